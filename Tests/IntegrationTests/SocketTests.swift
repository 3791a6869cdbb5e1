import Foundation
import Testing

/// The socket's language, spoken without our own client.
struct SocketTests {
  private let home: Home
  private let daemon: Program
  private let connection: Connection

  init() throws {
    home = try Home()
    daemon = try home.daemon(
      """
      [value.level]
      type = "number"
      [value.door]
      type = "bool"
      [[trigger]]
      name = "both"
      value = "a"
      sound = "tick"
      [[trigger]]
      value = "level"
      above = 90
      sound = "warning"
      """, "--device", "none")
    connection = try home.connect()
  }

  @Test func `a value line sets the value and says nothing`() throws {
    try connection.send(line: "a=1")
    try connection.send("a=2\r\n".utf8)
    try connection.send(line: "a= with = signs ")
    #expect(try connection.ask("sync") == "ok")
    let value = try home.value("a")
    #expect(value["value"] as? String == "with = signs")
    #expect(value["updates"] as? Int == 3)
    #expect(try home.played("both") == 2)
  }

  @Test func `a JSON line is one transaction`() throws {
    try connection.send(line: #"{"a": "1", "level": 5}"#)
    // There and back within the line: no change.
    try connection.send(line: #"{"a": "2", "level": 95, "a": "1"}"#)
    #expect(try connection.ask("sync") == "ok")
    #expect(try home.played("both") == 0)
    #expect(try home.played("level") == 1)
    // A member that is refused takes the others with it.
    let error = try connection.ask(#"{"a": "3", "level": "high"}"#)
    #expect(error.hasPrefix("error: line 4: "))
    #expect(error.contains("'high' is not a number"))
    #expect(try home.value("a")["value"] as? String == "1")
  }

  @Test func `JSON members become text as the contract says`() throws {
    try connection.send(
      line: #"{"s": "x\u0041\n", "n": 1.50, "t": true, "o": {"k": [1, "two"]}, "door": "on"}"#)
    #expect(try connection.ask("sync") == "ok")
    #expect(try home.value("s")["value"] as? String == "xA")
    #expect(try home.value("n")["value"] as? String == "1.50")
    #expect(try home.value("t")["value"] as? String == "true")
    let object = try home.value("o")["value"] as? String ?? ""
    #expect(try JSON.object(object)["k"] as? [AnyHashable] == [1, "two"])
    #expect(try home.value("door")["value"] as? Bool == true)
    #expect(try connection.ask(#"{"s": null}"#).hasPrefix("error: line 3: "))
  }

  @Test func `get and list show every member of the contract`() throws {
    try connection.send(line: "a=1")
    let value = try JSON.object(try connection.ask("get a"))
    #expect(Set(value.keys).isSuperset(of: ["name", "value", "type", "updates", "refused", "changed_at", "source"]))
    #expect(value["name"] as? String == "a")
    #expect(value["type"] as? String == "text")
    #expect(value["source"] as? String == "socket")
    #expect(JSON.isTime(value["changed_at"]))
    let list = try JSON.array(try connection.ask("list"))
    #expect(Set(list.compactMap { $0["name"] as? String }) == ["a", "level", "door"])
    for value in list {
      #expect(Set(value.keys).isSuperset(of: ["name", "value", "type", "updates", "refused", "changed_at", "source"]))
    }
  }

  @Test func `status shows every member of the contract`() throws {
    try connection.send(line: "a=1\na=2")
    #expect(try connection.ask("sync") == "ok")
    try eventually("the play has been measured") {
      (try home.status()["latency"] as? [String: Any])?["count"] as? Int == 1
    }
    let status = try home.status()
    let members = [
      "uptime", "configuration", "device", "voices", "xruns", "late", "values", "refused", "clients", "profile",
      "volume", "muted", "latency", "triggers", "version", "executable", "pid",
    ]
    #expect(Set(status.keys).isSuperset(of: members))
    let device = try #require(status["device"] as? [String: Any])
    let deviceMembers = ["name", "state", "format", "rate", "channels", "period_frames", "buffer_frames", "since"]
    #expect(Set(device.keys).isSuperset(of: deviceMembers))
    #expect(device["name"] as? String == "none")
    #expect(JSON.isTime(device["since"]))
    #expect(status["executable"] as? String == Home.soundd)
    let latency = try #require(status["latency"] as? [String: Any])
    #expect(Set(latency.keys).isSuperset(of: ["count", "p50", "p99", "max", "ours_p50", "ours_p99"]))
    let histogram = try #require(latency["histogram"] as? [[Double]])
    #expect(histogram.count == 1)
    #expect(histogram.first?.last == 1)
    // The longest one is rounded to whole microseconds.
    #expect((histogram.first?.first ?? 0) + 1 >= latency["max"] as? Double ?? .infinity)
    // Durations are microseconds: the daemon has run for less than this test has, and a play takes time.
    let uptime = try #require(status["uptime"] as? Int)
    #expect(uptime > 0 && uptime < 60_000_000)
    #expect(latency["max"] as? Int ?? 0 > 0)
    #expect(latency["max"] as? Int ?? .max < 60_000_000)
    let trigger = try home.trigger("both")
    #expect(
      Set(trigger.keys).isSuperset(of: ["name", "value", "sound", "state", "changes", "played", "last", "latency"]))
    #expect(trigger["changes"] as? Int == 1)
    #expect(trigger["played"] as? Int == 1)
    #expect(JSON.isTime(trigger["last"]))
    #expect(status["clients"] as? Int == 2)
    #expect(status["values"] as? Int == 3)
  }

  @Test func `errors name the line, and the connection goes on`() throws {
    try connection.send(line: "# a comment\n\n   \na=1")
    #expect(try connection.ask("frobnicate").hasPrefix("error: line 5: 'frobnicate' is neither"))
    #expect(try connection.ask("level=many") == "error: line 6: 'level': 'many' is not a number [refused]")
    #expect(try connection.ask("level=nan").hasPrefix("error: line 7: "))
    #expect(try home.value("level")["refused"] as? Int == 2)
    #expect(try home.status()["refused"] as? Int == 2)
    #expect(try connection.ask(".hidden=1").hasPrefix("error: line 8: "))
    #expect(try connection.ask("get nothing").hasPrefix("error: line 9: there is no value 'nothing'"))
    #expect(try connection.ask("get").hasPrefix("error: line 10: "))
    #expect(try connection.ask("{\"a\": ").hasPrefix("error: line 11: "))
    #expect(try connection.ask("play nothing").hasPrefix("error: line 12: "))
    #expect(try connection.ask("sync") == "ok")
  }

  @Test func `an error says with a code what kind it is`() throws {
    let home = try Home()
    let daemon = try home.daemon(
      """
      [limits]
      values = 4
      [value.level]
      type = "number"
      [value.hot]
      of = "level"
      above = 90
      [[trigger]]
      value = "hot"
      sound = "tick"
      """, "--device", "none")
    let connection = try home.connect()
    try connection.send(line: "third=1\nfourth=1")
    // For the reload.
    try home.write("config/soundd/config.toml", "wrong = 1\n")
    for (line, code) in [
      ("frobnicate", "unknown_request"), (".hidden=1", "invalid"), ("{\"a\": ", "invalid"),
      (#"{"a": null}"#, "invalid"), (String(repeating: "x", count: 70_000), "too_long"), ("level=many", "refused"),
      (#"{"third": 2, "level": "many"}"#, "refused"), ("hot=true", "owned"),
      ("get nothing", "unknown"), ("explain nothing", "unknown"), ("stop nothing", "unknown"),
      ("mute trigger=nothing", "unknown"), ("unmute trigger=nothing", "unknown"),
      ("volume up trigger=nothing", "unknown"), ("play nothing", "unknown"), ("play /dev/null", "broken"),
      ("fifth=1", "limit"), ("events " + (0...256).map { "n\($0)" }.joined(separator: " "), "limit"),
      ("reload", "configuration"),
    ] {
      let reply = try connection.ask(line)
      #expect(reply.hasSuffix(" [\(code)]"), "\(line.prefix(80)): \(reply)")
    }
    #expect(try connection.ask("sync") == "ok")
    daemon.send(signal: SIGTERM)
  }

  @Test func `bytes that are no UTF-8 are content, and no command`() throws {
    try connection.send(Array("a=".utf8) + [0xFF, 0xFE, 0x80, 10])
    try connection.send(Array("a=".utf8) + [0xFF, 0xFE, 0x81, 10])
    #expect(try connection.ask("sync") == "ok")
    // They differ, although neither is text.
    #expect(try home.played("both") == 1)
    let shown = try JSON.object(try connection.ask("get a"))
    #expect((shown["value"] as? String)?.contains("\u{FFFD}") == true)
    try connection.send([0xC3, 0x28, 10])
    #expect(try connection.line().hasPrefix("error: line 5: "))
  }

  @Test func `a client that never reads and one that never stops cost the others nothing`() throws {
    let deaf = try home.connect()
    // At once: from a client that reads nothing, no more is read in the end.
    try deaf.send(Array(repeating: Array("list\n".utf8), count: 2000).joined())
    let chatter = try home.connect()
    try chatter.send(Array(repeating: Array("c=1\nc=2\n".utf8), count: 50_000).joined())
    #expect(try connection.ask("sync") == "ok")
    #expect(try chatter.ask("sync") == "ok")
    #expect(try home.value("c")["updates"] as? Int == 100_000)
  }

  @Test func `a list of thousands of values is one array, in the order of their arrival`() throws {
    let names = (0..<5000).map { "many/\($0)" }
    try connection.send(Array(names.map { "\($0)=\"\($0)\"\n" }.joined().utf8))
    #expect(try connection.ask("sync") == "ok")
    let reply = try connection.ask("list")
    let list = try #require(try JSONSerialization.jsonObject(with: Data(reply.utf8)) as? [[String: Any]])
    #expect(list.compactMap { $0["name"] as? String }.suffix(5000).elementsEqual(names))
    #expect(list.last?["value"] as? String == "\"many/4999\"")
    #expect(try connection.ask("sync") == "ok")
  }

  @Test func `a storm of changes is decided whole, and what of it is left out is said in few lines`() throws {
    try connection.send(Array(repeating: Array("a=1\na=2\n".utf8), count: 2000).joined())
    #expect(try connection.ask("sync") == "ok")
    #expect(try home.trigger("both")["changes"] as? Int == 3999)
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    #expect(daemon.errors.split(separator: "\n").count < 20)
  }
}
