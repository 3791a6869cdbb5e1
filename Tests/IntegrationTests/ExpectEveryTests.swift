import Foundation
import TestSupport
import Testing

/// What is expected of a value goes on over the end of a daemon.
struct ExpectEveryTests {
  private let home: Home

  init() throws { home = try Home() }

  private func configuration(_ value: String, every: String = "1 s", loops: Bool = false) -> String {
    "[value.heartbeat]\n\(value)\nexpect_every = \"\(every)\"\n[[trigger]]\nname = \"gone\"\nvalue = \"heartbeat\"\n"
      + "when = \"stale\"\nsound = \"tick\"\n\(loops ? "loop_every = \"1 min\"\n" : "")"
  }

  private func end(_ daemon: Program) throws {
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
  }

  /// Makes a file that was written so many seconds ago.
  private func makeFile(secondsAgo: Double) throws -> String {
    let path = try home.write("heartbeat", "1\n")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -secondsAgo)], ofItemAtPath: path)
    return path
  }

  private func life() throws -> String? {
    try JSON.array(try home.connect().ask("alarms --all")).first?["life"] as? String
  }

  @Test func `what never reports is missed`() throws {
    let daemon = try home.daemon(configuration(""), "--device", "none")
    try eventually("it is missed") { try home.played("gone") == 1 }
    #expect(try home.value("heartbeat")["value"] is NSNull)
    withExtendedLifetime(daemon) {}
  }

  @Test func `a heartbeat that does not come back after a restart is missed`() throws {
    var daemon = try home.daemon(configuration(""), "--device", "none")
    #expect(try home.run("set", "heartbeat=1").wait() == .exit(0))
    try end(daemon)
    daemon = try home.daemon(configuration(""), "--device", "none")
    try eventually("it is missed") { try home.played("gone") == 1 }
    withExtendedLifetime(daemon) {}
  }

  @Test func `the time goes on where it was: a value that is not overdue waits for the rest`() throws {
    var daemon = try home.daemon(configuration("", every: "20 s"), "--device", "none")
    #expect(try home.run("set", "heartbeat=1").wait() == .exit(0))
    let start = Date()
    try end(daemon)
    // Half of the time, in which soundd does not run.
    poll(nil, 0, 10_000)
    daemon = try home.daemon(configuration("", every: "20 s"), "--device", "none")
    try eventually("it is missed") { try home.played("gone") == 1 }
    let time = Date().timeIntervalSince(start)
    #expect(time > 19 && time < atMost(25), "\(time)")
    withExtendedLifetime(daemon) {}
  }

  @Test func `a file that was written long ago is missed soon, a new one is not`() throws {
    let path = try makeFile(secondsAgo: 100)
    let text = configuration("file = \"\(path)\"", every: "2 s")
    var daemon = try home.daemon(text, "--device", "none")
    try eventually("it is missed") { try home.played("gone") == 1 }
    try end(daemon)
    // It was missed in the last run: that is the same silence.
    daemon = try home.daemon(text, "--device", "none")
    #expect(try home.value("heartbeat")["stale"] as? Bool == true)
    #expect(try home.played("gone") == 0)
    _ = try makeFile(secondsAgo: 0)
    try eventually("it has come back") { try home.value("heartbeat")["stale"] as? Bool == false }
    withExtendedLifetime(daemon) {}
  }

  @Test func `an alarm that rang goes on, though the old file is read again, and ends with a new one`() throws {
    let path = try makeFile(secondsAgo: 100)
    let text = configuration("file = \"\(path)\"", every: "1 s", loops: true)
    var daemon = try home.daemon(text, "--device", "none")
    try eventually("it rings") { try life() == "active" }
    try end(daemon)
    daemon = try home.daemon(text, "--device", "none")
    #expect(try life() == "active")
    #expect(try home.run("ack", "gone").wait() == .exit(0))
    try end(daemon)
    daemon = try home.daemon(text, "--device", "none")
    #expect(try life() == "acknowledged")
    _ = try makeFile(secondsAgo: 0)
    try eventually("it is over") { try life() == "normal" }
    withExtendedLifetime(daemon) {}
  }

  @Test func `a member that the state knows is missed, though it never comes back`() throws {
    let text =
      "[value.\"beat/*\"]\nexpect_every = \"1 s\"\n[[trigger]]\nname = \"gone\"\nvalue = \"beat/*\"\nwhen = \"stale\"\n"
      + "sound = \"tick\"\n"
    var daemon = try home.daemon(text, "--device", "none")
    #expect(try home.run("set", "beat/1=1").wait() == .exit(0))
    try end(daemon)
    daemon = try home.daemon(text, "--device", "none")
    #expect(try home.value("beat/1")["value"] is NSNull)
    try eventually("it is missed") { try home.played("gone") == 1 }
    withExtendedLifetime(daemon) {}
  }
}
