import Foundation
import TestSupport
import Testing

/// A `systemd --user` with the service installed, all of it in a folder that goes with it.
final class ServiceHost {
  /// How a program ended, and what it said.
  struct Result: Equatable {
    var status: Int32
    var output: String
    var errors: String
  }

  /// The part of `soundd status --json` that is looked at.
  struct Status: Decodable {
    struct Trigger: Decodable {
      var name: String
      var played: Int
    }
    var voices: Int
    var triggers: [Trigger]
  }

  /// Something that was waited for did not come.
  struct TimedOut: Error, CustomStringConvertible { var description: String }

  private let folder: String
  private let name: String
  private let runtime: String
  /// The private user manager; `nil`: the user's own.
  private var manager: (process: Process, input: Pipe)?

  private var service: String { name + ".service" }
  var unitFile: String { "\(runtime)/systemd/user/\(service)" }
  private var socketUnitFile: String { "\(runtime)/systemd/user/\(name).socket" }
  var socket: String { folder + "/s" }
  var stateFile: String { folder + "/state/soundd/state" }
  var configurationFile: String { folder + "/config/soundd/config.toml" }

  init() throws {
    let id = UUID().uuidString.prefix(8)
    // Short: the path of a socket has at most 107 bytes.
    folder = "/tmp/sds-\(id)"
    name = "soundd-test-\(id)"
    let own = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? ""
    runtime = Self.isRoot ? folder + "/run" : own
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    for path in [folder + "/config/soundd/sounds", folder + "/prefix/bin", "\(unitFile).d"] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/prefix/bin/soundd", withDestinationPath: try Self.program())
    try write(
      try String(contentsOfFile: Self.checkout + "/systemd/soundd.service", encoding: .utf8)
        .replacingOccurrences(of: "@PREFIX@", with: folder + "/prefix"), to: unitFile)
    try write(
      try String(contentsOfFile: Self.checkout + "/systemd/soundd.socket", encoding: .utf8)
        .replacingOccurrences(of: "%t/soundd.sock", with: socket), to: socketUnitFile)
    try writeDropIn()
    if Self.isRoot { try startManager() }
    guard try run("systemctl", "--user", "daemon-reload").status == 0 else {
      throw TimedOut(description: "the user manager does not answer")
    }
  }

  deinit {
    _ = try? systemctl("stop", "socket")
    _ = try? systemctl("stop")
    _ = try? systemctl("reset-failed")
    for path in [unitFile, "\(unitFile).d", socketUnitFile] { try? FileManager.default.removeItem(atPath: path) }
    if let manager {
      try? manager.input.fileHandleForWriting.write(contentsOf: Array("\n".utf8))
      manager.process.waitUntilExit()
    } else {
      _ = try? run("systemctl", "--user", "daemon-reload")
    }
    try? FileManager.default.removeItem(atPath: folder)
  }

  // MARK: What the machine has

  private static let isRoot = geteuid() == 0

  /// Whether there is a user manager, or one can be started. Sanitizers need system calls that the service is denied.
  static let isAvailable: Bool = {
    let isSanitized = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil
    guard !isSanitized, access("/usr/bin/systemctl", X_OK) == 0 else { return false }
    if !isRoot {
      let state = try? run("systemctl", ["--user", "is-system-running"], [:]).output
      return ["running\n", "degraded\n"].contains(state)
    }
    let groups = ["", "/unified", "/systemd"].map { "/sys/fs/cgroup\($0)" }
      .filter { access($0 + "/cgroup.procs", F_OK) == 0 }
    return access("/lib/systemd/systemd", X_OK) == 0 && !groups.isEmpty
      && groups.allSatisfy { access($0, W_OK) == 0 }
      && (try? run("unshare", ["--mount", "true"], [:]).status) == 0
  }()

  private static let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  /// The built program: it lies beside the one that runs the tests.
  private static func program() throws -> String {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let beside = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("soundd").path
    return FileManager.default.isExecutableFile(atPath: beside) ? beside : checkout + "/.build/debug/soundd"
  }

  // MARK: The service

  /// Adds lines to the service's section.
  func override(_ lines: String) throws {
    try write("[Service]\n\(lines)\n", to: "\(unitFile).d/zz.conf")
    #expect(try run("systemctl", "--user", "daemon-reload").status == 0)
  }

  /// Gives both units the names that users type. Only in a manager of this test's own, because the user may have the real ones.
  func alias() throws {
    try #require(manager != nil)
    for kind in ["service", "socket"] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(runtime)/systemd/user/soundd.\(kind)", withDestinationPath: "\(name).\(kind)")
    }
    #expect(try run("systemctl", "--user", "daemon-reload").status == 0)
  }

  /// What the service gets beside its unit: folders of this test, and a log that passes for the journal.
  private func writeDropIn() throws {
    try write("", to: folder + "/log")
    let log = try run("stat", "--format=%d:%i", folder + "/log")
    try write(
      """
      [Service]
      Environment=HOME=\(folder) XDG_CONFIG_HOME=\(folder)/config SOUNDD_SOCKET=\(socket)
      Environment=XDG_STATE_HOME=\(folder)/state JOURNAL_STREAM=\(log.output.trimmingCharacters(in: .newlines))
      StandardOutput=append:\(folder)/log
      StandardError=append:\(folder)/log
      RestartSec=100ms

      """, to: "\(unitFile).d/test.conf")
  }

  private func startManager() throws {
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("user-manager")
    process.arguments = [runtime]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    guard output.fileHandleForReading.availableData == Data("ready\n".utf8) else {
      process.waitUntilExit()
      throw TimedOut(description: "the user manager did not start")
    }
    manager = (process, input)
  }

  /// `systemctl --user COMMAND UNIT`; returns its exit status.
  func systemctl(_ command: String, _ kind: String = "service") throws -> Int32 {
    try run("systemctl", "--user", command, "\(name).\(kind)").status
  }

  /// The service's properties.
  func state() throws -> [String: String] {
    let lines = try run("systemctl", "--user", "show", service).output.split(separator: "\n")
    return Dictionary(
      lines.compactMap { line in
        line.firstIndex(of: "=").map { (String(line[..<$0]), String(line[line.index(after: $0)...])) }
      }, uniquingKeysWith: { $1 })
  }

  func configure(_ text: String) {
    #expect(throws: Never.self) {
      try write("[output]\ndevice = \"file:\(folder)/out.raw,raw\"\n" + text, to: configurationFile)
    }
  }

  func install(_ samples: [Float], as sound: String) {
    let bytes = WAVBuilder.float32(samples, channels: 2, rate: 48_000)
    let file = "\(folder)/config/soundd/sounds/\(sound).wav"
    #expect(throws: Never.self) { try Data(bytes).write(to: URL(fileURLWithPath: file)) }
  }

  func soundd(_ arguments: String...) throws -> Result {
    try Self.run(folder + "/prefix/bin/soundd", arguments, ["SOUNDD_SOCKET": socket, "XDG_RUNTIME_DIR": runtime])
  }

  func status() throws -> Status {
    try JSONDecoder().decode(Status.self, from: Data(try soundd("status", "--json").output.utf8))
  }

  /// The samples that the device got, both channels.
  func played() throws -> [Float] {
    let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/out.raw"))
    return data.withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
    }
  }

  /// The lines of the service's standard error.
  func log() throws -> [String] {
    try String(contentsOfFile: folder + "/log", encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// Asks until it is so; gives up after 20 seconds.
  func wait(for what: String, _ condition: () throws -> Bool) throws {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(20)
    while try !condition() {
      if clock.now > end { throw TimedOut(description: "waited in vain for \(what); log: \(try log())") }
    }
  }

  // MARK: Programs and files

  /// Runs a program with this manager's environment.
  func run(_ program: String, _ arguments: String...) throws -> Result {
    try Self.run(program, arguments, ["XDG_RUNTIME_DIR": runtime])
  }

  /// Runs a program to its end; it must say little.
  private static func run(_ program: String, _ arguments: [String], _ environment: [String: String]) throws -> Result {
    let (process, output, errors) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    let errorBytes = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus, output: String(decoding: said, as: UTF8.self),
      errors: String(decoding: errorBytes, as: UTF8.self))
  }

  private func write(_ text: String, to path: String) throws {
    try text.write(toFile: path, atomically: false, encoding: .utf8)
  }
}
