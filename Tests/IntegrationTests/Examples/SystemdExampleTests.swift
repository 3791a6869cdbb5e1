import Foundation
import Testing

/// Units that fail, under a real `systemd --user`.
@Suite(
  .enabled(if: geteuid() == 0 && ServiceHost.isAvailable, "needs systemd, root, and control groups that may be written")
)
final class SystemdExampleTests {
  private let home: Home
  private let manager: Program
  private let units = "run/config/systemd/user"

  /// A user manager whose runtime folder is that of the daemon. Its home is there, too.
  init() throws {
    home = try Home()
    try home.install("systemd/soundd-failed@.service", at: "\(units)/soundd-failed@.service")
    try FileManager.default.createDirectory(atPath: home("run/.local/bin"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: home("run/.local/bin/soundd"), withDestinationPath: Home.soundd)
    manager = try home.start(
      program: "\(Home.checkout)/Tests/IntegrationTests/user-manager", [home("run")], input: .pipe)
    try manager.waitForOutput(lines: 1)
  }

  deinit {
    manager.closeInput()
    _ = try? manager.wait()
  }

  private func systemctl(_ arguments: String...) throws -> Program {
    let program = try home.start(program: "systemctl", ["--user"] + arguments)
    try program.wait()
    return program
  }

  /// Writes a unit that fails, as a file of that name.
  private func writeFailing(_ unit: String, _ command: String = "false") throws {
    try home.write("\(units)/\(unit)", "[Service]\nType=oneshot\nExecStart=/bin/\(command)\n")
  }

  private func expect(_ trigger: String, toEndWith verdict: String) throws {
    try eventually("\(trigger): \(verdict)") { try home.verdicts(trigger).last == verdict }
  }

  @Test func `a unit that fails is heard by its name, every time`() throws {
    let daemon = try home.daemon(
      example: "systemd/config.toml", replacing: ["throttle = \"5 s\"": "throttle = \"1 ms\""])
    for unit in ["backup.service", "fine.service"] {
      try home.install("systemd/on-failure.conf", at: "\(units)/\(unit).d/soundd-failed.conf")
    }
    try writeFailing("backup.service")
    try writeFailing("fine.service", "true")
    #expect(try systemctl("daemon-reload").wait() == .exit(0))
    #expect(try systemctl("start", "fine.service").wait() == .exit(0))
    #expect(try systemctl("start", "backup.service").wait() == .exit(1))
    try home.expect("backup-failed", ["backup.service played"])
    try eventually("its report has ended") {
      try systemctl("is-active", "soundd-failed@backup.service.service").text == "inactive\n"
    }
    #expect(try systemctl("start", "backup.service").wait() == .exit(1))
    try home.expect("backup-failed", ["backup.service played", "backup.service played"])
    #expect(try home.verdicts("unit-failed") == Array(repeating: "backup.service not_matching", count: 2))
    // The line that the head of the configuration tells to try.
    let line = "systemd-run --user --collect --unit=trial -p OnFailure=soundd-failed@trial.service.service false"
    let text = try String(contentsOfFile: "\(Home.examples)/systemd/config.toml", encoding: .utf8)
    #expect(text.contains("\n#   \(line)\n"))
    // A second try works like the first one.
    for count in 1...2 {
      #expect(try home.start(program: "sh", ["-c", line]).wait() == .exit(0))
      try eventually("try \(count) is heard") {
        try home.verdicts("unit-failed").count { $0 == "trial.service played" } == count
      }
      try eventually("its report has ended") {
        try systemctl("is-active", "soundd-failed@trial.service.service").text == "inactive\n"
      }
    }
    withExtendedLifetime(daemon) {}
  }

  @Test func `all services at once, with names of any kind, and the report and soundd itself excluded`() throws {
    let daemon = try home.daemon(
      example: "systemd/config.toml", replacing: ["throttle = \"5 s\"": "throttle = \"1 ms\""])
    try home.install("systemd/on-failure.conf", at: "\(units)/service.d/soundd-failed.conf")
    for unit in ["soundd.service", "soundd-failed@.service"] {
      try home.install("systemd/no-failure.conf", at: "\(units)/\(unit).d/soundd-failed.conf")
    }
    // What systemd-escape makes of `a b`, of `a "b"` and of a name with a byte that is not UTF-8.
    let names = [#"a\x20b.service"#, #"a\x20\x22b\x22.service"#, "tty@tty-1.service", #"caf\xe9:1.service"#]
    for name in names { try writeFailing(name.replacingOccurrences(of: "@tty-1", with: "@")) }
    try writeFailing("soundd.service")
    #expect(try systemctl("daemon-reload").wait() == .exit(0))
    for name in names {
      #expect(try systemctl("start", name).wait() == .exit(1))
      try expect("unit-failed", toEndWith: "\(name) played")
    }
    let failure = { try self.systemctl("show", "--value", "--property=OnFailure", $0).text }
    #expect(try failure("soundd.service") == "\n")
    #expect(try failure("soundd-failed@x.service.service") == "\n")
    #expect(try failure("tty@tty-1.service") == "soundd-failed@tty@tty-1.service.service\n")
    withExtendedLifetime(daemon) {}
  }

  @Test func `without a daemon the report succeeds, and nothing fails because of it`() throws {
    try home.install("systemd/on-failure.conf", at: "\(units)/backup.service.d/soundd-failed.conf")
    try writeFailing("backup.service")
    #expect(try systemctl("daemon-reload").wait() == .exit(0))
    #expect(try systemctl("start", "backup.service").wait() == .exit(1))
    let report = {
      try self.systemctl(
        "show", "--property=ExecMainStatus,Result,ExecMainExitTimestampMonotonic",
        "soundd-failed@backup.service.service"
      ).text
    }
    try eventually("it was reported") { try !report().contains("ExecMainExitTimestampMonotonic=0\n") }
    #expect(try report().contains("Result=success\n"))
    #expect(try systemctl("--failed", "--plain", "--no-legend").text.split(separator: "\n").count == 1)
  }

  @Test func `for the machine's units, the drop-in says which socket`() throws {
    let unit = try home.install("systemd/soundd-failed@.service", at: "system/soundd-failed@.service")
    try home.install("systemd/system.conf", at: "system/soundd-failed@.service.d/system.conf")
    let instance = unit.replacingOccurrences(of: "@.service", with: "@backup.service.service")
    let verified = try home.start(
      program: "systemd-analyze", ["verify", "--system", "--man=no", "--recursive-errors=no", instance])
    #expect(try verified.wait() == .exit(0))
    #expect(verified.text + verified.errors == "")
    // Root may use the socket of another user.
    let daemon = try home.daemon(example: "systemd/config.toml")
    let text = try String(contentsOfFile: home("system/soundd-failed@.service.d/system.conf"), encoding: .utf8)
    #expect(text.contains("\nEnvironment=SOUNDD_SOCKET=/run/user/1000/soundd.sock\n"))
    let report = try home.start(
      ["set", "--if-running", "unit-failed=backup.service"],
      environment: ["SOUNDD_SOCKET": home.socket, "XDG_RUNTIME_DIR": home("nowhere")])
    #expect(try report.wait() == .exit(0))
    try home.expect("backup-failed", ["backup.service played"])
    withExtendedLifetime(daemon) {}
  }

  @Test func `each has its sound`() throws {
    let plays = try home.render(
      example: "systemd/config.toml",
      "0 unit-failed=a.service\n1 unit-failed=b.service\n2 unit-failed=backup.service\n10 unit-failed=a.service\n")
    #expect(
      plays == ["0 unit-failed plays warning", "2 backup-failed plays error", "10 unit-failed plays warning"])
  }
}
