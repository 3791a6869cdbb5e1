import Foundation
import Testing

/// `events --state`: first all that is, then all that happens.
struct EventsStateTests {
  private let home: Home

  init() throws {
    home = try Home()
    _ = try home.daemon(
      """
      [value.level]
      type = "number"
      expect_every = "1 h"
      [[trigger]]
      name = "either"
      value = ["level", "door"]
      sound = "tick"
      [[trigger]]
      value = "mail"
      sound = "message"
      """, "--device", "none")
  }

  private func set(_ lines: String...) throws {
    let connection = try home.connect()
    #expect(try connection.ask((lines + ["sync"]).joined(separator: "\n")) == "ok")
  }

  /// The lines up to `ready`, and how they begin.
  private func state(_ connection: Connection, _ names: String...) throws -> [[String: Any]] {
    #expect(try connection.ask((["events --state"] + names).joined(separator: " ")) == "ok")
    var lines: [[String: Any]] = []
    while true {
      let line = try JSON.object(try connection.line())
      if line["event"] as? String == "ready" { return lines }
      lines.append(line)
    }
  }

  private func short(_ lines: [[String: Any]]) -> [String] {
    lines.map { "\($0["event"] ?? "") \($0["name"] ?? "") \($0["value"] ?? "")" }
  }

  @Test func `values and triggers come first, as get and status show them, then what happens`() throws {
    try set("level=7", "note=two words")
    let events = try home.connect()
    let lines = try state(events)
    #expect(
      short(lines) == [
        "value level 7", "value door <null>", "value mail <null>", "value note two words", "trigger either level, door",
        "trigger mail mail",
      ])
    for line in lines where line["event"] as? String == "value" {
      var (members, shown) = (line, try home.value("\(line["name"] ?? "")"))
      #expect(members.removeValue(forKey: "event") as? String == "value")
      // The civil time of a moment is computed anew each time, and may differ by a microsecond.
      for time in [members.removeValue(forKey: "changed_at"), shown.removeValue(forKey: "changed_at")] {
        #expect(time is NSNull || JSON.isTime(time))
      }
      #expect(NSDictionary(dictionary: members) == NSDictionary(dictionary: shown))
    }
    let known = Set(try #require(try home.status()["triggers"] as? [[String: Any]]).flatMap(\.keys))
    #expect(Set(lines[4].keys) == known.union(["event"]))
    #expect(lines[4]["played"] as? Int == 0)
    try set("door=open")
    let change = try JSON.object(try events.line())
    #expect(change["event"] as? String == "change")
    #expect(change["new"] as? String == "open")
  }

  @Test func `names restrict the state as they restrict the events`() throws {
    try set("level=7", "note=x")
    let events = try home.connect()
    #expect(
      short(try state(events, "note", "door", "later"))
        == ["value door <null>", "value note x", "trigger either level, door"])
    try set("level=8", "later=1")
    // The trigger belongs to 'door' as well as to 'level'.
    var names: [String] = []
    while names.last != "later" {
      let event = try JSON.object(try events.line())
      if event["event"] as? String == "change" { names.append(event["name"] as? String ?? "") }
    }
    #expect(names == ["later"])
    #expect(short(try state(try home.connect(), "unknown")) == [])
  }

  @Test func `more state than a client may leave unread loses and doubles nothing of what happens meanwhile`() throws {
    let count = 12_000
    let filler = String(repeating: "x", count: 200)
    let sender = try home.connect()
    let values = (0..<count).map { "v\($0)=\(filler)\n" }.joined()
    try sender.send(line: values + "sync")
    #expect(try sender.line() == "ok")

    let events = try home.connect()
    #expect(try events.ask("events --state") == "ok")
    var known: [String: String] = [:]
    var isComplete = false
    /// Takes a line; a change must fit to what is known.
    func take(_ line: String) throws {
      let event = try JSON.object(line)
      let name = event["name"] as? String ?? ""
      switch event["event"] as? String {
      case "value":
        #expect(!isComplete && known[name] == nil)
        known[name] = event["value"] as? String
      case "ready": isComplete = true
      case "change":
        #expect(isComplete)
        #expect(event["old"] as? String == known[name], "\(name)")
        known[name] = event["new"] as? String
      default: break
      }
    }
    for _ in 0..<10 { try take(try events.line()) }
    // Those at the beginning are written already, those at the end are not.
    let storm = (0..<1200).map { "v\($0 * 10)=\($0)\n" }.joined() + "new=1\nnew=2\n"
    try sender.send(line: storm + "sync")
    #expect(try sender.line() == "ok")
    while known["new"] != "2" { try take(try events.line()) }
    #expect(known.values.count { $0 == filler } == count - 1200)
    for number in 0..<1200 { #expect(known["v\(number * 10)"] == "\(number)") }
    #expect(try home.status()["slow_clients"] as? Int == 0)
    // Requests on the connection continue.
    #expect(try events.ask("sync") == "ok")
  }

  @Test func `a value that a reload reads in another way has no content until the next one comes`() throws {
    try set("note=seven", "mail=x")
    let (all, plain) = (try home.connect(), try home.connect())
    _ = try state(all, "note", "mail")
    #expect(try plain.ask("events note") == "ok")
    try home.write("config/soundd/config.toml", "[value.note]\ntype = \"number\"\n[value.mail]\ntype = \"number\"\n")
    #expect(try home.run("reload").wait() == .exit(0))
    #expect(
      short(try (0..<2).map { _ in try JSON.object(try all.line()) }).sorted()
        == ["value mail <null>", "value note <null>"])
    // It is no change: a client that follows changes alone gets the next one.
    try set("note=8")
    #expect(try JSON.object(try plain.line())["new"] as? Int == 8)
  }

  @Test func `the command prints the state and follows`() throws {
    try set("level=7", "note=x")
    let program = try home.start("events", "--state", "note")
    try program.waitForOutput(containing: "{\"event\":\"ready\"}\n")
    try set("note=y")
    try program.waitForOutput(lines: 3)
    let lines = program.text.split(separator: "\n")
    #expect(lines[0].hasPrefix(#"{"event":"value","name":"note","value":"x","type":"text","#))
    #expect(lines[2].contains(#""name":"note","old":"x","new":"y"}"#))
    program.send(signal: SIGINT)
    #expect(try program.wait() == .signal(SIGINT))
  }
}
