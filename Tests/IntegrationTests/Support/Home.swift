import Foundation
import TestSupport

/// A user's home for one test: `soundd` runs in it as it would on a machine of its own.
final class Home {
  let path: String
  /// A started program lives as long as its home, even if no variable holds it.
  private var programs: [Program] = []

  init() throws {
    // Short: the path of a socket has at most 107 bytes.
    path = "/tmp/sdi-\(UUID().uuidString.prefix(8))"
    for folder in ["", "/run", "/config/soundd", "/data/soundd"] {
      try FileManager.default.createDirectory(atPath: path + folder, withIntermediateDirectories: true)
    }
    try FileManager.default.createSymbolicLink(
      atPath: path + "/data/soundd/sounds", withDestinationPath: Self.checkout + "/sounds")
  }

  deinit {
    programs = []
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The folder that the package lies in.
  static let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  /// The built program lies beside the program that runs the tests.
  static let soundd: String = {
    let tests =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    let beside = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("soundd").path
    return FileManager.default.isExecutableFile(atPath: beside) ? beside : checkout + "/.build/debug/soundd"
  }()

  func callAsFunction(_ name: String) -> String { path + "/" + name }

  /// Where the daemon listens by default.
  var socket: String { path + "/run/soundd.sock" }

  /// The environment that programs get.
  var environment: [String: String] {
    var variables = [
      "HOME": path, "XDG_RUNTIME_DIR": path + "/run", "XDG_CONFIG_HOME": path + "/config",
      "XDG_DATA_HOME": path + "/data", "XDG_DATA_DIRS": path + "/nowhere", "TZ": "UTC", "LC_ALL": "C.UTF-8",
      // The machine's own RealtimeKit serves its user's programs, not our tests.
      "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(path)/run/no-bus",
    ]
    for name in ["PATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS", "LLVM_PROFILE_FILE"] {
      variables[name] = ProcessInfo.processInfo.environment[name]
    }
    return variables
  }

  // MARK: Files

  /// Writes a file in place and returns its path.
  @discardableResult
  func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    let file = self(name)
    try FileManager.default.createDirectory(
      at: URL(fileURLWithPath: file).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return file
  }

  @discardableResult
  func write(_ name: String, _ text: String) throws -> String { try write(name, text.utf8) }

  /// Writes a file beside another one and moves it over it.
  func replace(_ name: String, _ text: String) throws {
    try write(name + ".new", text)
    guard rename(self(name + ".new"), self(name)) == 0 else { throw TimedOut(description: "cannot rename \(name)") }
  }

  // MARK: Programs

  /// Starts `soundd` in this home.
  func start(
    _ arguments: String..., input: Program.Input = .nothing, environment extra: [String: String] = [:]
  ) throws -> Program {
    try start(arguments, input: input, environment: extra)
  }

  func start(
    _ arguments: [String], input: Program.Input = .nothing, output: String? = nil,
    environment extra: [String: String] = [:], through wrapper: [String] = []
  ) throws -> Program {
    // A wrapper, such as prlimit, becomes the program.
    let line = wrapper + [Self.soundd] + arguments
    return try start(program: line[0], Array(line.dropFirst()), input: input, output: output, environment: extra)
  }

  /// Starts any program in this home.
  func start(
    program: String, _ arguments: [String], input: Program.Input = .nothing, output: String? = nil,
    environment extra: [String: String] = [:]
  ) throws -> Program {
    let program = try Program(
      program, arguments, environment: environment.merging(extra) { $1 }, folder: path, input: input, output: output)
    programs.append(program)
    return program
  }

  /// Runs `soundd` to its end.
  func run(
    _ arguments: String..., input: Program.Input = .nothing, environment extra: [String: String] = [:]
  ) throws -> Program {
    try run(arguments, input: input, environment: extra)
  }

  func run(
    _ arguments: [String], input: Program.Input = .nothing, environment extra: [String: String] = [:]
  ) throws -> Program {
    let program = try start(arguments, input: input, environment: extra)
    try program.wait()
    return program
  }

  /// Starts the daemon with a configuration, and returns when it says that it is ready.
  func daemon(
    _ configuration: String, _ arguments: String..., input: Program.Input = .nothing,
    environment extra: [String: String] = [:]
  ) throws -> Program {
    try write("config/soundd/config.toml", configuration)
    let program = try start(["run"] + arguments, input: input, environment: extra)
    try program.waitForErrors("soundd: ready: ")
    return program
  }

  // MARK: The daemon's answers

  /// A connection to the daemon.
  func connect() throws -> Connection { try Connection(socket) }

  /// The daemon's status.
  func status() throws -> [String: Any] { try JSON.object(try connect().ask("status")) }

  /// The sentences of the warnings in the daemon's status.
  func warnings() throws -> [String] {
    let warnings = try status()["warnings"] as? [[String: Any]]
    guard let texts = warnings?.map({ $0["message"] as? String ?? "none" }) else {
      throw TimedOut(description: "no warnings, not even none")
    }
    return texts
  }

  /// The status of one trigger once none of its sounds is starting, or after a second: a sound may wait longer for a device.
  func trigger(_ name: String) throws -> [String: Any] {
    try waitForStarts(of: name)
    let triggers = try status()["triggers"] as? [[String: Any]] ?? []
    guard let trigger = triggers.first(where: { $0["name"] as? String == name }) else {
      throw TimedOut(description: "no trigger '\(name)' in \(triggers)")
    }
    return trigger
  }

  /// Waits until no sound of a trigger is starting, but at most a second.
  func waitForStarts(of trigger: String) throws {
    let deadline = Deadline(in: atMost(1))
    while try verdicts(trigger).contains(where: { $0.hasSuffix(" starting") }), !deadline.isPast { poll(nil, 0, 2) }
  }

  /// How often a trigger has played.
  func played(_ name: String) throws -> Int? { try trigger(name)["played"] as? Int }

  /// How many plays of a trigger were decided on, those that found no device in time among them.
  func decided(_ name: String) throws -> Int? {
    let trigger = try trigger(name)
    guard let played = trigger["played"] as? Int, let dropped = trigger["dropped"] as? Int else { return nil }
    return played + dropped
  }

  /// A value as `get` shows it.
  func value(_ name: String) throws -> [String: Any] { try JSON.object(try connect().ask("get \(name)")) }
}

/// JSON as Foundation reads it: not our own reader.
enum JSON {
  static func object(_ line: String) throws -> [String: Any] {
    guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
      throw TimedOut(description: "no JSON object: \(line)")
    }
    return object
  }

  static func array(_ line: String) throws -> [[String: Any]] {
    guard let array = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [[String: Any]] else {
      throw TimedOut(description: "no JSON array of objects: \(line)")
    }
    return array
  }

  /// A moment as replies have it: in UTC, with fractions of seconds.
  static func time(_ text: String) -> Date? {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    return text.hasSuffix("Z") ? formatter.date(from: text) : nil
  }

  /// Whether a member is a time as RFC 3339 has it.
  static func isTime(_ member: Any?) -> Bool {
    guard let text = member as? String else { return false }
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    let pattern = #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$"#
    guard text.range(of: pattern, options: .regularExpression) != nil else { return false }
    let date = formatter.date(from: text) ?? ISO8601DateFormatter().date(from: text)
    // A clock that runs on another epoch would be caught here.
    return date.map { abs($0.timeIntervalSinceNow) < 3600 } ?? false
  }
}
