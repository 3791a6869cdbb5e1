import Foundation
import TestSupport
import Testing

/// `soundd report`, beside a daemon that counts.
struct ReportTests {
  private static let configuration = """
    [value.level]
    type = "number"
    [[trigger]]
    name = "battery"
    value = "level"
    above = 50
    loop = true
    latch = true
    sound = "error"
    [[trigger]]
    value = "mail"
    sound = "tick"
    """

  private func end(_ daemon: Program) throws {
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
  }

  private func triggers(_ home: Home) throws -> [String: [String: Any]] {
    let report = try JSON.object(try home.run("report", "--json").text)
    let triggers = report["triggers"] as? [[String: Any]] ?? []
    return Dictionary(uniqueKeysWithValues: triggers.map { ($0["name"] as? String ?? "", $0) })
  }

  @Test func `the report has what was heard, and a restart continues it`() throws {
    let home = try Home()
    #expect(try home.run("report").text == "nothing has played, or the daemon has not written it yet\n")
    var daemon = try home.daemon(Self.configuration, "--device", "none")
    for text in ["level=1", "mail=1", "mail=2"] { #expect(try home.run("set", text).wait() == .exit(0)) }
    for _ in 1...3 {
      for text in ["level=60", "level=10"] { #expect(try home.run("set", text).wait() == .exit(0)) }
      // It is latched.
      #expect(try home.connect().ask("ack battery") == "ok")
    }
    #expect(try home.run("mute").wait() == .exit(0))
    for text in ["mail=3", "level=60"] { #expect(try home.run("set", text).wait() == .exit(0)) }
    #expect(try home.connect().ask("snooze for=1min battery") == "ok")
    try end(daemon)
    var found = try triggers(home)
    #expect(found["mail"]?["plays"] as? Int == 1)
    #expect(found["battery"]?["plays"] as? Int == 3)
    #expect(found["battery"]?["alarms"] as? Int == 4)
    #expect(found["battery"]?["acknowledged"] as? Int == 3)
    #expect(
      try home.run("report", "--days", "1").text.hasSuffix(
        "\n'battery' rang 4 times in a minute: add 'hysteresis' or 'off_delay'\n"))

    daemon = try home.daemon(Self.configuration, "--device", "none")
    #expect(try home.connect().ask("ack battery") == "ok")
    for text in ["mail=1", "mail=2"] { #expect(try home.run("set", text).wait() == .exit(0)) }
    #expect(try home.played("mail") == 1)
    try end(daemon)
    found = try triggers(home)
    #expect(found["mail"]?["plays"] as? Int == 2)
    #expect(found["battery"]?["alarms"] as? Int == 4, "it was active before")
    #expect(found["battery"]?["acknowledged"] as? Int == 4)
  }

  @Test func `a running daemon is asked, so that the last hour is in the report`() throws {
    let home = try Home()
    let daemon = try home.daemon(Self.configuration, "--device", "none")
    #expect(try home.run("report").text == "nothing has played\n")
    for text in ["level=10", "level=60"] { #expect(try home.run("set", text).wait() == .exit(0)) }
    let found = try triggers(home)
    #expect(found["battery"]?["alarms"] as? Int == 1)
    #expect(!FileManager.default.fileExists(atPath: home(".local/state/soundd/report")))
    // Nobody reads what is damaged meanwhile.
    let file = try home.write(".local/state/soundd/report", "nonsense")
    #expect(try triggers(home)["battery"]?["alarms"] as? Int == 1)

    let reply = try JSON.object(home.connect().ask("report"))
    #expect((reply["standing"] as? [[String: Any]])?.map { $0["trigger"] as? String } == ["battery"])
    #expect((reply["counts"] as? [[String: Any]])?.map { $0["trigger"] as? String } == ["battery"])
    try end(daemon)
    #expect(try triggers(home)["battery"]?["alarms"] as? Int == 1)
    #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix(#"{"soundd_report":1,"sha256":""#))
  }

  @Test func `a file of 0.2.0 is read, and continued with a checksum`() throws {
    let home = try Home()
    let hour = Int(Date().timeIntervalSince1970) / 3600
    let file = try home.write(
      ".local/state/soundd/report",
      #"""
      {"written_at":"2026-01-31T08:15:00.250000Z"}
      {"hour":\#(hour - 1),"trigger":"mail","figures":[41,0,0,0,0,0,0]}

      """#)
    #expect(try triggers(home)["mail"]?["plays"] as? Int == 41)
    let daemon = try home.daemon(Self.configuration, "--device", "none")
    #expect(try triggers(home)["mail"]?["plays"] as? Int == 41)
    for text in ["mail=1", "mail=2"] { #expect(try home.run("set", text).wait() == .exit(0)) }
    #expect(try home.played("mail") == 1)
    try end(daemon)
    #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix(#"{"soundd_report":1,"sha256":""#))
    #expect(try triggers(home)["mail"]?["plays"] as? Int == 42)
  }

  @Test(arguments: [
    "error: line 1: 'report' is neither NAME=VALUE nor a command [unknown_request]",
    // 0.2.0 sends no codes.
    "error: line 1: 'report' is neither NAME=VALUE nor a command",
  ])
  func `with a daemon that does not know the request, the file is read`(reply: String) throws {
    let home = try Home()
    let hour = Int(Date().timeIntervalSince1970) / 3600
    try home.write(
      ".local/state/soundd/report",
      #"{"written_at":"2026-01-31T08:15:00.250000Z"}"# + "\n"
        + #"{"hour":\#(hour),"trigger":"mail","figures":[7,0,0,0,0,0,0]}"# + "\n")
    let answer = try home.write("reply", reply + "\n")
    let daemon = try home.start(
      program: "/usr/bin/socat", ["UNIX-LISTEN:\(home.socket)", "SYSTEM:read line; cat \(answer)"])
    try eventually("it listens") { FileManager.default.fileExists(atPath: home.socket) }
    #expect(try triggers(home)["mail"]?["plays"] as? Int == 7)
    try daemon.wait()
  }

  @Test func `a damaged file is reported, and replaced`() throws {
    let home = try Home()
    let file = try home.write(".local/state/soundd/report", "nonsense")
    let report = try home.run("report")
    #expect(try report.wait() == .exit(65))
    #expect(report.errors == "soundd: \(file) is damaged; the daemon will replace it\n")
    let daemon = try home.daemon(Self.configuration, "--device", "none")
    for text in ["mail=1", "mail=2"] { #expect(try home.run("set", text).wait() == .exit(0)) }
    #expect(try home.played("mail") == 1)
    try end(daemon)
    #expect(daemon.errors.components(separatedBy: "'soundd report' counts anew").count == 2)
    #expect(try triggers(home)["mail"]?["plays"] as? Int == 1)
  }

  @Test func `days are those that are kept`() throws {
    let home = try Home()
    for days in ["0", "8", "-1", "x"] { #expect(try home.run("report", "--days", days).wait() == .exit(64), "\(days)") }
  }
}
