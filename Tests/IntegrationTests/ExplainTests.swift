import Foundation
import Testing

/// `explain`: why a trigger played, or did not.
struct ExplainTests {
  private let home: Home
  private let daemon: Program

  init() throws {
    home = try Home()
    daemon = try home.daemon(
      """
      [value.level]
      type = "number"
      [[trigger]]
      value = "build"
      sounds = { passed = "success", failed = "error" }
      throttle = "1 h"
      [[trigger]]
      name = "too hot"
      value = "level"
      above = 90
      sound = "tick"
      [[trigger]]
      name = "any"
      value = ["build", "level"]
      sound = ["press", "release"]
      pick = "cycle"
      debounce = "1 h"
      [[trigger]]
      name = "cold"
      value = "room"
      sound = "tick"
      """, "--device", "none")
  }

  private func verdicts(_ trigger: String) throws -> [[String: Any]] {
    try home.waitForStarts(of: trigger)
    let reply = try JSON.object(try home.connect().ask("explain \(trigger)"))
    return try #require(reply["verdicts"] as? [[String: Any]])
  }

  private func set(_ assignments: String...) throws {
    for assignment in assignments { #expect(try home.run("set", assignment).wait() == .exit(0)) }
  }

  @Test func `each change has its verdict, the oldest first`() throws {
    try set("build=unknown", "build=passed", "build=failed", "build=unknown")
    let verdicts = try verdicts("build")
    #expect(verdicts.map { $0["verdict"] as? String } == ["appeared", "played", "throttled", "no_sound"])
    #expect(verdicts.map { $0["old"] as? String } == ["unknown", "unknown", "passed", "failed"])
    #expect(verdicts.map { $0["new"] as? String } == ["unknown", "passed", "failed", "unknown"])
    #expect(verdicts.allSatisfy { JSON.isTime($0["at"]) && $0["value"] as? String == "build" })
    let reason = try #require(verdicts[2]["reason"] as? String)
    #expect(reason.hasPrefix("played ") && reason.hasSuffix(" ago, throttle is 1 h"))
  }

  @Test func `a trigger of several values tells whose change it was`() throws {
    try set("build=a", "level=1", "level=2", "build=b")
    let verdicts = try verdicts("any")
    #expect(verdicts.map { $0["value"] as? String } == ["build", "level", "level", "build"])
    #expect(verdicts.map { $0["verdict"] as? String } == ["appeared", "appeared", "waiting", "waiting"])
    let table = try home.run("explain", "any")
    #expect(table.text.hasPrefix("any (build, level)\n\nTIME "))
    #expect(try home.trigger("any")["state"] as? String == "waiting")
  }

  @Test func `the last 32 changes are told`() throws {
    let lines = (0..<50).map { "level=\($0)\n" }.joined()
    #expect(try home.run("set", "-", input: .text(lines)).wait() == .exit(0))
    let verdicts = try verdicts("too hot")
    #expect(verdicts.map { $0["new"] as? Int } == Array(18..<50))
    #expect(verdicts.allSatisfy { $0["verdict"] as? String == "outside" })
  }

  @Test func `people get a table in local time, without colour where there is no terminal`() throws {
    try set("level=1", "level=95")
    let table = try home.start(["explain", "too hot"], environment: ["TZ": "Asia/Kolkata"])
    #expect(try table.wait() == .exit(0))
    let parts = table.text.components(separatedBy: "\n\n'")
    let lines = parts[0].split(separator: "\n").map(String.init)
    #expect(parts.last == "tick' is \(home("data/soundd/sounds/tick.wav"))\n")
    #expect(lines.count == 4)
    #expect(lines.first == "too hot (level)")
    #expect(lines.last?.hasSuffix("  1 → 95  played") == true)
    #expect(!table.text.contains("\u{1B}"))
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "Asia/Kolkata")
    formatter.dateFormat = "yyyy-MM-dd HH:mm:ss.SSS"
    // Today's changes have no date.
    let day = formatter.string(from: Date()).prefix(10)
    let time = try #require(formatter.date(from: "\(day) \((lines.last ?? "").prefix(12))"))
    #expect(abs(time.timeIntervalSinceNow) < 600)
  }

  @Test func `a terminal gets colour, unless its user wants none`() throws {
    try set("level=1", "level=95")
    func onTerminal(_ environment: [String: String]) throws -> String {
      let line = "\(Home.soundd) explain 'too hot'"
      let program = try home.start(program: "script", ["-qec", line, "/dev/null"], environment: environment)
      #expect(try program.wait() == .exit(0))
      return program.text
    }
    #expect(try onTerminal(["TERM": "xterm"]).contains("\u{1B}[32m"))
    #expect(try !onTerminal(["TERM": "xterm", "NO_COLOR": "1"]).contains("\u{1B}"))
    #expect(try !onTerminal(["TERM": "dumb"]).contains("\u{1B}"))
  }

  @Test func `contents from outside do nothing to a terminal and break no reply`() throws {
    let hostile = "\u{1B}]0;owned\u{7}\r\n" + String(repeating: "é", count: 200)
    try set("build=x", "build=\(hostile)")
    let last = try #require(try verdicts("build").last)
    let content = try #require(last["new"] as? String)
    #expect(hostile.hasPrefix(content))
    #expect((100...128).contains(content.utf8.count))
    let table = try home.run("explain", "build")
    #expect(table.text.contains(#"x → '\u{1b}]0;owned\u{7}\r\n"#))
    #expect(!table.text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
  }

  @Test func `a trigger that there is not is an error, with the one that was meant`() throws {
    let program = try home.run("explain", "biuld")
    #expect(try program.wait() == .exit(66))
    #expect(program.errors == "soundd: there is no trigger 'biuld' (did you mean 'build'?)\n")
    #expect(
      try home.run("explain", "level").errors
        == "soundd: there is no trigger 'level', but a value, with the triggers 'too hot', 'any'\n")
    #expect(
      try home.connect().ask("explain biuld")
        == "error: line 1: there is no trigger 'biuld' (did you mean 'build'?) [unknown]")
    // Its value has no other trigger.
    #expect(try JSON.object(home.connect().ask("explain room"))["name"] as? String == "cold")
    #expect(try home.run("explain", " ").wait() == .exit(64))
    #expect(try home.run("explain").wait() == .exit(64))
  }

  @Test func `a trigger that saw nothing says so`() throws {
    let program = try home.run("explain", "build")
    #expect(try program.wait() == .exit(0))
    #expect(program.text.hasPrefix("build: no change so far\n\n'"))
    let reply = try home.run("explain", "--json", "build").text
    #expect(reply.hasPrefix(#"{"name":"build","value":"build","verdicts":[],"sounds":[{"name":""#))
    #expect(reply.hasSuffix(#"","found":null}],"said":null,"stopped":null}"# + "\n"))
  }
}
