import Foundation
import Testing

struct LogExampleTests {
  private let home: Home

  init() throws { home = try Home() }

  private func append(_ text: String, to name: String) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: home(name)))
    try file.seekToEnd()
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  /// A message of OpenSSH, as it is in the journal.
  private func failure(_ user: String) -> String {
    "Failed password for \(user) from 203.0.113.5 port 40022 ssh2\n"
  }

  @Test func `failed logins are heard once in a while, root's at once, and others' success never`() throws {
    // systemd is not what runs here, so a program stands for its journal: it shows what is written to a pipe.
    let environment = try home.scriptEnvironment()
    #expect(mkfifo(home("journal"), 0o600) == 0)
    try home.writeProgram(
      "bin/journalctl",
      """
      #!/bin/sh
      test "$*" = "--follow --lines=0 --output=cat --unit=ssh --unit=sshd" && exec cat "$HOME/journal"

      """)
    let daemon = try home.daemon(example: "log.toml", environment: environment)
    let journal = try openPipe(home("journal"))
    func log(_ text: String) throws { try journal.write(contentsOf: Data(text.utf8)) }
    try log("Accepted publickey for bob from 203.0.113.9 port 1 ssh2\n" + failure("invalid user admin"))
    try home.expect("intruder", ["admin played"])
    let strange = "a \"b\" '; touch pwned; $(touch pwned) \u{1B}[2J"
    try log((0..<20).map { failure("invalid user guest\($0)") }.joined() + failure(strange) + failure("root"))
    try home.expect(
      "intruder-root",
      ["admin not_to"] + (0..<20).map { "guest\($0) not_to" } + ["\(strange) not_to", "root played"])
    #expect(try home.decided("intruder") == 1)
    #expect(!FileManager.default.fileExists(atPath: home("config/soundd/pwned")))
    withExtendedLifetime(daemon) {}
  }

  @Test func `errors click like a Geiger counter, each of a few, and twenty of many in a second`() throws {
    let environment = try home.scriptEnvironment()
    #expect(mkfifo(home("journal"), 0o600) == 0)
    try home.writeProgram(
      "bin/journalctl",
      """
      #!/bin/sh
      test "$*" = "--follow --lines=0 --output=cat --priority=err" && exec cat "$HOME/journal"

      """)
    let daemon = try home.daemon(example: "geiger.toml", environment: environment)
    let journal = try openPipe(home("journal"))
    try journal.write(contentsOf: Data((0..<9).map { "disk\($0)\n" }.joined().utf8))
    try home.expect("geiger", (0..<9).map { "disk\($0) played" })
    try journal.write(contentsOf: Data(String(repeating: "disk\n", count: 1000).utf8))
    try eventually("many click") { try home.decided("geiger") ?? 0 >= 20 }
    // All may fall into two seconds.
    for _ in 0..<20 {
      usleep(100_000)
      #expect(try home.decided("geiger") ?? 0 <= 40)
    }
    withExtendedLifetime(daemon) {}
  }

  @Test func `errors of a program are heard, its other lines are not`() throws {
    try home.write(".local/state/app/app.log", "")
    let daemon = try home.daemon(example: "log.toml")
    try append(
      """
      2026-01-31T09:15:00Z INFO begun; there was no ERROR
      a line of a trace without a level
      2026-01-31T09:15:01Z ERROR no space left
      2026-01-31T09:15:01Z FATAL giving up

      """, to: ".local/state/app/app.log")
    try home.expect("app-error", ["INFO not_to", "ERROR played", "FATAL throttled"])
    withExtendedLifetime(daemon) {}
  }

  @Test func `each kind of line has its sound, and so has a program that writes none`() throws {
    let plays = try home.render(
      example: "log.toml", edited: true,
      """
      1 login-failure=\(failure("bob"))
      2 login-failure=\(failure("root"))
      3 app-level=2026-01-31T09:15:00Z WARN disk is nearly full
      4 app-level=2026-01-31T09:15:00Z ERROR disk is full
      605 app-level=2026-01-31T09:25:00Z INFO begun
      """)
    #expect(
      plays == [
        "1 intruder plays warning", "2 intruder-root plays error", "4 app-error plays error",
        "604 app-silent plays stop",
      ])
  }
}
