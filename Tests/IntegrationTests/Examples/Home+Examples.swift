import Foundation
import Testing

/// Opens a named pipe for writing as soon as a program reads it.
func openPipe(_ path: String) throws -> FileHandle {
  var fd: Int32 = -1
  try eventually("somebody reads \(path)") {
    fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    return fd >= 0
  }
  _ = fcntl(fd, F_SETFL, 0)
  return FileHandle(fileDescriptor: fd, closeOnDealloc: true)
}

extension Home {
  /// The folder of the examples.
  static let examples = checkout + "/examples"

  /// An example; if it is `edited`, with the settings that its user takes in: lines that begin with # and no blank.
  private func text(of example: String, edited: Bool) throws -> String {
    let text = try String(contentsOfFile: "\(Self.examples)/\(example)", encoding: .utf8)
    return edited ? text.replacing(/^#(?=[a-z\[])/.anchorsMatchLineEndings(), with: "") : text
  }

  /// Starts the daemon with an example as it is, but for what no test may touch or wait for.
  func daemon(
    example: String, edited: Bool = false, replacing replacements: [String: String] = [:],
    environment extra: [String: String] = [:]
  ) throws -> Program {
    var text = try text(of: example, edited: edited)
    for (old, new) in replacements {
      try #require(text.contains(old), "\(example) has no '\(old)'")
      text = text.replacingOccurrences(of: old, with: new)
    }
    return try daemon(text, "--device", "none", environment: extra)
  }

  /// What an example plays, on a virtual clock: `SECONDS TRIGGER plays SOUND`, or `… stops`.
  func render(example: String, edited: Bool = false, _ timeline: String) throws -> [String] {
    let file = try write("rendered.toml", try text(of: example, edited: edited))
    let program = try run("render", "-", "--config", file, input: .text(timeline))
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    // Without the states of alarms.
    return program.text.split(separator: "\n").map(String.init).filter { !$0.contains(" is ") }
  }

  /// The environment of an example's script: `soundd` and the programs in `bin` are found by their names.
  func scriptEnvironment() throws -> [String: String] {
    if !FileManager.default.fileExists(atPath: self("bin/soundd")) {
      try FileManager.default.createDirectory(atPath: self("bin"), withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(atPath: self("bin/soundd"), withDestinationPath: Self.soundd)
    }
    return ["PATH": self("bin") + ":" + (environment["PATH"] ?? "/usr/bin:/bin")]
  }

  /// Copies a file of an example to where it is used, and returns its path there.
  @discardableResult
  func install(_ file: String, at name: String) throws -> String {
    try install(from: "\(Self.examples)/\(file)", at: name)
  }

  /// Copies a file with install(1): whatever this process starts meanwhile may inherit what it writes to, and what somebody
  /// may still write to cannot be run.
  private func install(from source: String, at name: String) throws -> String {
    let mode = FileManager.default.isExecutableFile(atPath: source) ? "755" : "644"
    let program = try start(program: "install", ["-D", "-m", mode, source, self(name)])
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    return self(name)
  }

  /// Starts an example's script.
  func start(
    example: String, _ arguments: [String] = [], environment extra: [String: String] = [:]
  ) throws -> Program {
    try start(
      program: "\(Self.examples)/\(example)", arguments,
      environment: try scriptEnvironment().merging(extra) { $1 })
  }

  /// Writes a program; in `bin`, it is found before the real one of that name.
  func writeProgram(_ name: String, _ text: String) throws {
    let source = try write("written", text)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: source)
    _ = try install(from: source, at: name)
  }

  /// What became of each change of a trigger's values so far: `NEW VERDICT`.
  func verdicts(_ trigger: String) throws -> [String] {
    let reply = try JSON.object(try connect().ask("explain \(trigger)"))
    return try #require(reply["verdicts"] as? [[String: Any]]).map {
      let new = $0["new"] as? String ?? ($0["new"] as? NSNumber)?.stringValue
      return "\(new ?? "?") \($0["verdict"] as? String ?? "?")"
    }
  }

  /// Whether so many changes have a verdict that stays.
  private func areThere(_ count: Int, of trigger: String) throws -> Bool {
    let verdicts = try verdicts(trigger)
    return verdicts.count >= count && !verdicts.contains { $0.hasSuffix(" starting") }
  }

  /// Expects these verdicts, of which the last ones may still have to come.
  func expect(_ trigger: String, _ verdicts: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
    let deadline = Deadline(in: Program.patience)
    while try !areThere(verdicts.count, of: trigger), !deadline.isPast { poll(nil, 0, 5) }
    #expect(try self.verdicts(trigger) == verdicts, sourceLocation: sourceLocation)
  }
}
