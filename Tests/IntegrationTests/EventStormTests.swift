import Foundation
import Testing

/// `events` while very much happens.
struct EventStormTests {
  @Test func `what is due when a line comes is told before it`() throws {
    let home = try Home()
    // One after the other is given up while lines come without a pause.
    let values = (0..<10).map { "[value.v\($0)]\nexpect_every = \"\(500 + 60 * $0) ms\"\n" }
    let names = (0..<10).map { "\"v\($0)\"" }.joined(separator: ", ")
    let trigger = "[[trigger]]\nname = \"dead\"\nvalue = [\(names)]\nwhen = \"stale\"\nsound = \"tick\"\n"
    _ = try home.daemon(values.joined() + trigger, "--device", "none")
    let events = try home.connect()
    #expect(try events.ask("events v9") == "ok")
    let sender = try home.connect()
    for value in 0..<10 { try sender.send(line: "v\(value)=1") }
    var number = 0
    let end = Date(timeIntervalSinceNow: 1.5)
    while Date() < end {
      number += 1
      try sender.send(line: (0..<50).map { "x=\(number * 50 + $0)" }.joined(separator: "\n"))
    }
    #expect(try sender.ask("sync") == "ok")
    // The first line is the content of v9.
    let told = try (0..<11).map { _ in try JSON.object(try events.line()) }.dropFirst()
    #expect(told.allSatisfy { $0["trigger"] as? String == "dead" })
  }

  @Test func `each play is told for the change that it plays for, however many there are`() throws {
    let home = try Home()
    let values = (0..<100).map { "\"v\($0)\"" }.joined(separator: ", ")
    _ = try home.daemon(
      """
      [[trigger]]
      name = "crowd"
      value = [\(values)]
      sound = "tick"
      debounce = "1 ms"
      [[trigger]]
      name = "pair"
      value = ["door", "log"]
      sound = "tick"
      debounce = "300 ms"
      """, "--device", "none")
    let sender = try home.connect()
    func object(_ content: Int) -> String {
      "{" + (0..<100).map { "\"v\($0)\": \"\(content)\"" }.joined(separator: ", ") + "}"
    }
    try sender.send(line: object(0) + "\ndoor=0\nlog=0")
    #expect(try sender.ask("sync") == "ok")
    let events = try home.connect()
    #expect(try events.ask("events") == "ok")
    // More changes than the trigger remembers come between the one and the other.
    try sender.send(line: object(1) + "\ndoor=open\n" + (1...40).map { "log=\($0)" }.joined(separator: "\n"))
    var causes: [String: [String]] = [:]
    while causes.values.map(\.count).reduce(0, +) < 102 {
      let event = try JSON.object(try events.line())
      guard event["event"] as? String == "play", let trigger = event["trigger"] as? String else { continue }
      let words = ["value", "old", "new"].map { event[$0] as? String ?? "missing" }
      causes[trigger, default: []].append(words.joined(separator: " "))
    }
    #expect(causes["crowd"]?.sorted() == (0..<100).map { "v\($0) 0 1" }.sorted())
    #expect(causes["pair"]?.sorted() == ["door 0 open", "log 0 40"])
  }

  @Test func `who hangs up while much is told does no harm`() throws {
    let home = try Home()
    let triggers = (0..<400).map { "[[trigger]]\nname = \"t\($0)\"\nvalue = \"a\"\nsound = \"tick\"\n" }
    _ = try home.daemon(triggers.joined(), "--device", "none")
    let sender = try home.connect()
    for round in 0..<10 {
      var events: Connection? = try home.connect()
      #expect(try events?.ask("events") == "ok")
      // One leaves, the next one stays and never reads.
      if round % 2 == 0 { events = nil }
      try sender.send(line: (0..<40).map { "a=\(round * 40 + $0)" }.joined(separator: "\n"))
      #expect(try sender.ask("sync") == "ok")
    }
  }
}
