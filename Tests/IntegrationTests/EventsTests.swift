import Foundation
import Testing

/// `events`: changes, plays and their ends, told to those who follow them.
struct EventsTests {
  private let home: Home
  private let daemon: Program
  private let configuration = """
    [value.level]
    type = "number"
    [value.high]
    of = "level"
    above = 50
    [value.button]
    type = "event"
    [[trigger]]
    name = "either"
    value = ["level", "door"]
    sound = "tick"
    throttle = "1 h"
    [[trigger]]
    name = "siren"
    value = "high"
    to = true
    sound = "alarm"
    loop = true
    """

  init() throws {
    home = try Home()
    daemon = try home.daemon(configuration, "--device", "none")
  }

  private func follow(_ names: String...) throws -> Connection {
    let connection = try home.connect()
    #expect(try connection.ask((["events"] + names).joined(separator: " ")) == "ok")
    return connection
  }

  /// Starts the command, and returns when it follows: it has told of changes of the value `ready`.
  private func following(_ names: String...) throws -> Program {
    let program = try following(try home.start(["events"] + names + ["ready"]))
    // Then it has printed the earlier changes of `ready`, too.
    try set("ready=now")
    try program.waitForOutput(containing: #""new":"now""#)
    return program
  }

  private func following(_ program: Program) throws -> Program {
    var number = 0
    try eventually("it follows") {
      number += 1
      try set("ready=\(number)")
      program.look()
      return program.text.hasSuffix("\n")
    }
    return program
  }

  /// Sets values, one after the other, and returns when all has been decided.
  private func set(_ lines: String...) throws {
    let connection = try home.connect()
    for line in lines { try connection.send(line: line) }
    #expect(try connection.ask("sync") == "ok")
  }

  /// The next events, without their times, in short.
  private func told(_ connection: Connection, _ count: Int) throws -> [String] {
    try (0..<count).map { _ in
      let event = try JSON.object(try connection.line())
      #expect(JSON.isTime(event["at"]))
      func word(_ member: String) -> String { event[member].map { $0 is NSNull ? "null" : "\($0)" } ?? "missing" }
      return switch event["event"] as? String {
      case "change": "\(word("name")) \(word("old"))>\(word("new"))"
      case "play":
        "\(word("trigger")) plays \(word("sound")) \(word("verdict")) for \(word("value")) \(word("old"))>\(word("new"))"
      case "stop": "\(word("trigger")) \(word("sound")) \(word("reason"))"
      case "alarm": "\(word("name")) is \(word("state"))"
      default: "\(event)"
      }
    }
  }

  /// The next events, with the changes apart from the plays and stops: a play is told when a device took it, so other changes
  /// may come before. Each play comes after its change.
  private func split(_ connection: Connection, _ count: Int) throws -> (changes: [String], sounds: [String]) {
    let lines = try told(connection, count)
    for (place, line) in lines.enumerated() where line.contains(" plays ") {
      let change = line.split(separator: " for ").last ?? ""
      #expect(lines[..<place].contains { $0 == change }, "\(line) comes before its change")
    }
    return (
      lines.filter { !$0.contains(" tick ") && !$0.contains(" alarm ") },
      lines.filter { $0.contains(" tick ") || $0.contains(" alarm ") }
    )
  }

  @Test func `each change is told, and after it what is played for it`() throws {
    let events = try follow()
    try set("door=open", "level=7", "door=shut", "level=8.5", "{\"a\": \"x\\n\", \"door\": \"open\"}")
    let (changes, sounds) = try split(events, 9)
    #expect(
      changes == [
        "door null>open", "level null>7", "high null>0", "door open>shut", "level 7>8.5", "door shut>open", "a null>x",
      ])
    #expect(sounds == ["either plays tick played for door open>shut", "either tick ended"])
  }

  @Test func `changes that come all at once are told one by one, each with what is played for it`() throws {
    let home = try Home()
    _ = try home.daemon("[[trigger]]\nname = \"t\"\nvalue = \"a\"\nsound = \"tick\"", "--device", "none")
    let events = try home.connect()
    #expect(try events.ask("events") == "ok")
    let sender = try home.connect()
    try sender.send(line: (0..<300).map { "a=\($0 / 2)\nb=\($0)\n" }.joined() + "sync")
    #expect(try sender.line() == "ok")
    // 150 changes of a, 300 of b, and a play and an end for each change of a but the first.
    let (changes, sounds) = try split(events, 150 + 300 + 2 * 149)
    let expected = (0..<300).flatMap { number in
      let (old, new) = (number / 2 - 1, number / 2)
      let first = number == 0 ? "a null>0" : "a \(old)>\(new)"
      return (number % 2 == 0 ? [first] : []) + ["b \(number == 0 ? "null" : "\(number - 1)")>\(number)"]
    }
    #expect(changes == expected)
    #expect(
      sounds.filter { $0.contains(" plays ") } == (1..<150).map { "t plays tick played for a \($0 - 1)>\($0)" })
  }

  @Test func `changes come before the refusals of what was sent after them`() throws {
    let events = try follow("level")
    try events.send(line: "level=1\nlevel=x\nlevel=2\nno request\nlevel=3\n{\"level\": null}\nlevel=4\nsync")
    var lines: [String] = []
    while lines.last != "ok" {
      let line = try events.line()
      let event = line.hasPrefix("{") ? try JSON.object(line) : [:]
      if event["event"] as? String == "play" || event["event"] as? String == "stop" { continue }
      lines.append((event["new"] as? Int).map { "\($0)" } ?? String(line.prefix(5)))
    }
    #expect(lines == ["1", "error", "2", "error", "3", "error", "4", "ok"])
  }

  @Test func `an event after a reload that reads it in another way follows none`() throws {
    let home = try Home()
    let file = try home.write("l", "")
    let configuration = "[value.l]\nlines = \"\(file)\"\ntype = \"event\"\n"
    _ = try home.daemon(configuration, "--device", "none")
    let events = try home.connect()
    #expect(try events.ask("events l") == "ok")
    func append(_ line: String) throws {
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data((line + "\n").utf8))
      try handle.close()
    }
    for line in ["a1", "a2"] { try append(line) }
    #expect(try told(events, 2) == ["l null>a1", "l a1>a2"])
    try home.write("config/soundd/config.toml", configuration + "trim = false\n")
    #expect(try home.run("reload").wait() == .exit(0))
    for line in ["a3", "a4"] { try append(line) }
    #expect(try told(events, 2) == ["l null>a3", "l a3>a4"])
  }

  @Test func `equal updates and throttled plays are silent, arrivals of an event are not`() throws {
    let events = try follow()
    try set("door=1", "door=1", "door=2", "door=3", "button=a", "button=a")
    let (changes, sounds) = try split(events, 7)
    #expect(changes == ["door null>1", "door 1>2", "door 2>3", "button null>a", "button a>a"])
    #expect(sounds == ["either plays tick played for door 1>2", "either tick ended"])
  }

  @Test func `an alarm whose condition ends is stopped, and what is muted is told so`() throws {
    let events = try follow("high")
    try set("mute", "level=1", "level=60")
    let began = try told(events, 4).filter { !$0.contains("siren is") }
    #expect(began == ["high null>0", "high 0>1", "siren plays alarm muted for high 0>1"])
    try set("level=2")
    let ended = try told(events, 3).filter { !$0.contains("siren is") }
    #expect(ended == ["high 1>0", "siren alarm stopped"])
  }

  @Test func `what is played by hand has no trigger, and no filter lets it through`() throws {
    let (all, filtered) = (try follow(), try follow("door"))
    #expect(try home.connect().ask("play tick") == "ok")
    try set("door=1")
    let first = try told(all, 3)
    #expect(first[0] == "null plays tick played for null null>null")
    #expect(Set(first.dropFirst()) == ["door null>1", "null tick ended"])
    #expect(try told(filtered, 1) == ["door null>1"])
  }

  @Test func `a filter lets through its values and their triggers, also those that come to be`() throws {
    let events = try follow("later", "door", "later")
    try set("level=1", "level=60", "later=1", "other=1", "door=a", "door=b", "later=2")
    // The trigger belongs to 'door' as well as to 'level'.
    let lines = try told(events, 6)
    #expect(lines.filter { !$0.contains(" tick ") } == ["later null>1", "door null>a", "door a>b", "later 1>2"])
    #expect(
      lines.filter { $0.contains(" tick ") } == ["either plays tick played for level 1>60", "either tick ended"])
  }

  @Test func `requests on the same connection go on, and their replies are lines of their own`() throws {
    let events = try follow()
    try events.send(line: "door=1\nget door\nnonsense\nsync")
    #expect(try told(events, 1) == ["door null>1"])
    #expect(try JSON.object(try events.line())["value"] as? String == "1")
    #expect(try events.line().hasPrefix("error: line 4: 'nonsense' is neither"))
    #expect(try events.line() == "ok")
    try events.send(line: "events level\ndoor=2\nlevel=1\nsync")
    #expect(try events.line() == "ok")
    // The play's event comes when a device took it: before, between or after the change and the reply.
    var lines = try (0..<3).map { _ in try events.line() }
    #expect(lines.contains("ok"))
    lines.removeAll { $0 == "ok" }
    let kinds = try lines.map { try JSON.object($0)["event"] as? String }
    #expect(Set(kinds) == ["change", "play"])
  }

  @Test func `names that are none and too many of them are refused`() throws {
    let connection = try home.connect()
    #expect(try connection.ask("events a -b").contains("'-b' is not a name"))
    let many = (0..<257).map { "v\($0)" }.joined(separator: " ")
    #expect(try connection.ask("events \(many)").contains("'events' takes at most 256 names"))
    #expect(try connection.ask("sync") == "ok")
  }

  @Test func `the daemon's end is the end of the events`() throws {
    let events = try follow()
    let program = try following("door")
    try set("door=1")
    try eventually("the last event has come") { try told(events, 1) == ["door null>1"] }
    try program.waitForOutput(containing: "\"door\"")
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    #expect(throws: TimedOut.self) { try events.line() }
    #expect(try program.wait() == .exit(69))
    #expect(program.errors.hasPrefix("soundd: soundd on \(home.socket) ended the connection"))
  }

  @Test func `triggers of a new configuration are told under their values`() throws {
    let events = try follow("window")
    try set("door=1", "window=1")
    #expect(try told(events, 1) == ["window null>1"])
    try home.write(
      "config/soundd/config.toml",
      configuration.replacingOccurrences(of: "[\"level\", \"door\"]", with: "[\"level\", \"window\"]"))
    #expect(try home.connect().ask("reload") == "ok")
    try set("window=2")
    #expect(try told(events, 2) == ["window 1>2", "either plays tick played for window 1>2"])
  }

  @Test func `a play that its trigger restarts at once is cancelled, and has no stop`() throws {
    let home = try Home()
    try home.write("sounds/alarm.wav", Recording.sine(seconds: 10))
    _ = try home.daemon(
      "[[trigger]]\nvalue = [\"a\", \"b\"]\nsound = \"alarm\"\noverlap = \"restart\"\n", "--device", "none")
    let client = try home.connect()
    try client.send(line: "a=0\nb=0")
    #expect(try client.ask("events") == "ok")
    try client.send(line: #"{"a": 1, "b": 1}"#)
    var plays: [String] = []
    while plays.count < 2 {
      let event = try JSON.object(try client.line())
      #expect(event["event"] as? String != "stop")
      if let verdict = event["verdict"] as? String { plays.append("\(event["value"] ?? "") \(verdict)") }
    }
    #expect(plays.sorted() == ["a cancelled", "b played"])
  }

  @Test func `who had to give way, and who found no place, is told`() throws {
    let home = try Home()
    // One voice, and none of these sounds ends by itself.
    let triggers = ["low", "normal", "high"].map {
      "[[trigger]]\nvalue = \"\($0)\"\nto = \"on\"\nsound = \"alarm\"\nloop = true\nimportance = \"\($0)\"\n"
    }
    _ = try home.daemon("[limits]\nvoices = 1\n" + triggers.joined(), "--device", "none")
    let events = try home.connect()
    #expect(try events.ask("events") == "ok")
    /// The next event of a kind, for a trigger. Lost plays are tried again in between.
    func next(_ kind: String, _ trigger: String) throws -> [String: Any] {
      while true {
        let event = try JSON.object(try events.line())
        if event["event"] as? String == kind, event["trigger"] as? String == trigger { return event }
      }
    }
    try events.send(line: "normal=off\nnormal=on")
    #expect(try next("play", "normal")["verdict"] as? String == "played")
    try events.send(line: "high=off\nhigh=on")
    #expect(try next("play", "high")["verdict"] as? String == "played")
    #expect(try next("stop", "normal")["reason"] as? String == "stolen")
    try events.send(line: "low=off\nlow=on")
    #expect(try next("play", "low")["verdict"] as? String == "crowded")
  }

  @Test func `what no device took in time is told`() throws {
    let home = try Home()
    _ = try home.daemon(
      """
      [output]
      device = "hw:63"
      [[trigger]]
      value = "a"
      sound = "alarm"
      fresh = "50 ms"
      """)
    let events = try home.connect()
    #expect(try events.ask("events") == "ok")
    try events.send(line: "a=1\na=2")
    for kind in ["change", "change", "play"] {
      let event = try JSON.object(try events.line())
      #expect(event["event"] as? String == kind)
      if kind == "play" { #expect(event["verdict"] as? String == "no_device") }
    }
  }

  @Test func `the command prints each line at once`() throws {
    let program = try following("door", "level")
    let before = program.text.split(separator: "\n").count
    try set("door=1")
    try program.waitForOutput(containing: #""name":"door""#)
    try set("noise=1", "level=2")
    try program.waitForOutput(containing: #""name":"level""#)
    program.send(signal: SIGINT)
    #expect(try program.wait() == .signal(SIGINT))
    #expect(program.errors.isEmpty)
    #expect(program.text.split(separator: "\n").count == before + 2)
  }

  @Test func `when its reader leaves, the command leaves too, even if nothing happens`() throws {
    let program = try following(
      try home.start(program: "/bin/sh", ["-c", "\"$0\" events | head -n 1; echo over", Home.soundd]))
    // Nothing happens any more.
    #expect(try program.wait() == .exit(0))
    #expect(program.text.hasSuffix("\nover\n"))
    #expect(program.errors.isEmpty)
    try eventually("it has left") { try home.status()["clients"] as? Int == 1 }
  }

  @Test(arguments: [["events", "-a"], ["events", ""], ["events", "a b"], ["events", "a", "ä"]])
  func `a name that is none is a usage error`(arguments: [String]) throws {
    #expect(try home.run(arguments).wait() == .exit(64))
  }
}
