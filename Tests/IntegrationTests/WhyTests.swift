import Foundation
import Testing

/// A live "why": each verdict as it is made, for `events --why` and for who has just set a value.
struct WhyTests {
  private let home: Home
  private static let configuration = """
    [value.level]
    type = "number"
    [value.high]
    of = "level"
    above = 50
    [value.beat]
    expect_every = "400 ms"
    [[trigger]]
    value = "build"
    sounds = { passed = "success", failed = "error" }
    [[trigger]]
    name = "siren"
    value = "high"
    to = true
    sound = "alarm"
    loop = true
    [[trigger]]
    value = "door"
    sound = "tick"
    debounce = "500 ms"
    [[trigger]]
    value = "eggs"
    to = "on"
    delay = "1 h"
    sound = "alarm"
    [[trigger]]
    name = "silent beat"
    value = "beat"
    when = "stale"
    sound = "warning"
    """

  init() throws {
    home = try Home()
    _ = try home.daemon(Self.configuration, "--device", "none")
  }

  /// Sets values by the command, and returns what it prints.
  private func set(_ arguments: String...) throws -> [String] {
    let program = try home.run(["set", "-v"] + arguments)
    #expect(try program.wait() == .exit(0))
    return program.text.split(separator: "\n").map(String.init)
  }

  /// The next verdict, as `TRIGGER VERDICT`.
  private func verdict(_ connection: Connection) throws -> [String: Any] {
    while true {
      let event = try JSON.object(try connection.line())
      if event["event"] as? String == "verdict" { return event }
    }
  }

  @Test func `each verdict comes as it is made, and again when a change that waited is decided`() throws {
    let (events, others) = (try home.connect(), try home.connect())
    #expect(try events.ask("events --why door") == "ok")
    #expect(try others.ask("events door") == "ok")
    let setting = try home.connect()
    #expect(try setting.ask("door=open\nbuild=x\ndoor=closed\nsync") == "ok")
    var verdicts: [[String: Any]] = []
    for _ in 0..<4 { verdicts.append(try verdict(events)) }
    #expect(verdicts.map { $0["verdict"] as? String } == ["appeared", "waiting", "starting", "played"])
    #expect(verdicts.allSatisfy { $0["trigger"] as? String == "door" && $0["value"] as? String == "door" })
    #expect(verdicts.allSatisfy { JSON.isTime($0["at"]) && JSON.isTime($0["decided_at"]) })
    #expect(verdicts[1]["old"] as? String == "open")
    #expect(verdicts[1]["new"] as? String == "closed")
    #expect((verdicts[1]["reason"] as? String)?.hasSuffix("(debounce)") == true)
    #expect(JSON.isTime(verdicts[1]["until"]))
    #expect(verdicts[3]["until"] is NSNull)
    #expect(verdicts[3]["sound"] as? String == "tick")
    // Who did not ask for verdicts gets none.
    var seen: [String?] = []
    for _ in 0..<3 { seen.append(try JSON.object(try others.line())["event"] as? String) }
    #expect(seen == ["change", "change", "play"])
  }

  @Test func `people get a line for each verdict`() throws {
    let program = try home.start(["events", "--why", "--pretty"])
    var number = 0
    try eventually("it follows") {
      number += 1
      _ = try home.connect().ask("build=\(number)\nsync")
      program.look()
      return program.text.contains("build: no_sound: there is no sound for '\(number)'\n")
    }
    _ = try home.connect().ask("build=failed\nsync")
    try program.waitForOutput(containing: "build: played 'error'\n")
  }

  @Test func `set -v says what each trigger made of it`() throws {
    #expect(try set("build=x") == ["build: appeared: the first content is not a change (initial is false)"])
    #expect(try set("build=failed") == ["build: played 'error'"])
    #expect(try set("build=failed") == ["build: no change, its content stays as it is"])
    #expect(
      try set("note=1", "build=y") == [
        "note: changed, and no trigger plays for it", "build: no_sound: there is no sound for 'y'",
      ])
    _ = try set("level=1")
    #expect(try set("level=99") == ["siren: played 'alarm'"])
  }

  @Test func `set -v follows a change that waits, if not for long`() throws {
    _ = try set("door=open", "eggs=off")
    #expect(try set("door=closed") == ["door: played 'tick'"])
    let line = try set("eggs=on").first ?? ""
    #expect(line.hasPrefix("eggs: delayed: waits for 1 h, unless its condition ends before (delay), until "))
  }

  @Test func `set -v says why a value was refused, and takes no lines`() throws {
    let refused = try home.run("set", "-v", "level=x")
    #expect(try refused.wait() == .exit(77))
    #expect(refused.text.isEmpty)
    #expect(try home.run("set", "-v", "-").wait() == .exit(64))
    #expect(try home.run("-v").text == home.run("--version").text)
  }

  @Test func `on a terminal the first set says why it is silent, and the next says nothing`() throws {
    func onTerminal(_ assignment: String) throws -> String {
      let program = try home.start(
        program: "/usr/bin/script", ["-qec", "'\(Home.soundd)' set \(assignment)", "/dev/null"])
      #expect(try program.wait() == .exit(0))
      return program.text
    }
    #expect(try onTerminal("build=failed").contains("'build' begins with this content, which is no change"))
    #expect(try onTerminal("build=passed").isEmpty)
    #expect(try onTerminal("unwatched=1").isEmpty)
    #expect(try home.run("set", "door=open").errors.isEmpty)
  }

  @Test func `a verdict on staleness names the value, and since when it was not reported`() throws {
    let connection = try home.connect()
    #expect(try connection.ask("beat=1\nsync") == "ok")
    try home.waitForStarts(of: "silent beat")
    try eventually("it is stale") { try home.played("silent beat") == 1 }
    let reply = try JSON.object(try connection.ask("explain silent beat"))
    let last = try #require((reply["verdicts"] as? [[String: Any]])?.last)
    #expect(last["verdict"] as? String == "played")
    let reason = try #require(last["reason"] as? String)
    #expect(reason.hasPrefix("played: 'beat' was not reported for 400 ms (expect_every), since "))
  }

  @Test func `contents that differ only at their ends are told apart`() throws {
    let long = String(repeating: "x", count: 300)
    _ = try home.connect().ask("build=\(long)A\nbuild=\(long)B\nsync")
    let table = try home.run("explain", "build").text
    #expect(table.contains("'…xxxxxxxxA' → '…xxxxxxxxB'"))
  }

  @Test func `explain names the value that ended a loop, and status how long a delay still waits`() throws {
    _ = try home.connect().ask("level=1\nlevel=99\nlevel=2\neggs=off\neggs=on\nsync")
    #expect(try home.run("explain", "siren").text.contains(": its condition ended, because of 'high'\n"))
    #expect(JSON.isTime(try home.trigger("eggs")["waits_until"]))
    #expect(try home.trigger("siren")["waits_until"] is NSNull)
    #expect(try home.run("status").text.contains(" left"))
  }

  @Test func `what a reload takes from the configuration leaves list and get, unless a client has set it`() throws {
    _ = try home.connect().ask("build=x\nsync")
    try home.replace("config/soundd/config.toml", "[[trigger]]\nvalue = \"other\"\nsound = \"tick\"\n")
    #expect(try home.run("reload").wait() == .exit(0))
    #expect(try home.run("list").text == "build=x\nother=(none yet)\n")
    #expect(try home.run("get", "beat").wait() == .exit(66))
    #expect(try home.connect().ask("get other").hasPrefix("{"))
  }

  @Test func `a mute ends at a time of day, or after a day`() throws {
    let until = try home.start(["mute", "until", "10:00"], environment: ["TZ": "Asia/Kolkata"])
    #expect(try until.wait() == .exit(0))
    let text = try #require(try home.status()["muted_until"] as? String)
    let end = try #require(JSON.time(text))
    #expect(end.timeIntervalSinceNow > 0 && end.timeIntervalSinceNow <= 86_400)
    #expect(try home.run("mute", "1", "day").wait() == .exit(0))
    let next = try #require(try home.status()["muted_until"] as? String)
    let day = try #require(JSON.time(next))
    #expect(abs(day.timeIntervalSinceNow - 86_400) < 600)
    let refused = try home.run("mute", "10:00")
    #expect(try refused.wait() == .exit(64))
    #expect(refused.errors.contains("(did you mean 'until 10:00'?)"))
  }
}
