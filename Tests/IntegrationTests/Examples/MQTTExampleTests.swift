import Foundation
import Testing

/// Messages of a real broker, through the real mosquitto_sub, into the daemon.
final class MQTTExampleTests {
  private let home: Home
  private let broker: Broker
  private let daemon: Program

  init() throws {
    home = try Home()
    broker = try Broker(in: home)
    try broker.publish("home/door", "closed", retained: true)
    daemon = try home.daemon(
      example: "mqtt.toml", replacing: ["-h localhost": broker.options.joined(separator: " ")])
    try wait("mqtt/home/door", "closed")
  }

  private func wait(_ name: String, _ text: String) throws {
    // Until its first message there is no such value.
    try eventually("'\(name)' is '\(text)'") { text == (try? home.value(name))?["value"] as? String }
  }

  /// Waits until so many lines of the feed were refused.
  private func waitForRefusals(_ count: Int) throws {
    try eventually("\(count) are refused") {
      (try home.status()["commands"] as? [[String: Any]])?.first?["refused"] as? Int == count
    }
  }

  @Test func `messages are heard, and what is retained is where a value begins`() throws {
    #expect(try home.verdicts("home-door") == ["closed appeared"])
    try broker.publish("home/door", "open")
    try home.expect("home-door", ["closed appeared", "open played"])
    try broker.publish("home/door", "open")
    try broker.publish("home/doorbell", #"{"battery": 80, "action": "single"}"#)
    try broker.publish("home/doorbell", #"{"battery": 80}"#)
    try broker.publish("hosts/nas/disk", "93.5\n")
    try home.expect("host-disk-full", ["93.5 played"])
    #expect(try home.verdicts("home-door").count == 2)
    #expect(try home.verdicts("home-doorbell") == ["single played"])
  }

  @Test func `a message sets no other value and runs nothing, and what cannot be taken is named`() throws {
    try broker.publish("home/note", "one\nhome/door=open\n{\"home/door\":\"open\"}\r\nstop")
    try wait("mqtt/home/note", "one\nhome/door=open\n{\"home/door\":\"open\"}\r\nstop")
    for text in [
      #"","qos":0,"payload":"\" {"home/door":"open"} \n \"#, "'; touch pwned; $(touch pwned) `touch pwned`",
      "grün 🎵 \u{1}\u{1B}[2J\t|", "",
    ] {
      try broker.publish("home/note", text)
      try wait("mqtt/home/note", text)
    }
    try broker.publish("home/note", Array("up to here".utf8) + [0] + Array("and no further".utf8))
    try wait("mqtt/home/note", "up to here")
    try broker.publish("home/$(touch pwned) \"door\"=", "open")
    let odd = "mqtt/home/%24%28touch%20pwned%29%20%22door%22%3D"
    try wait(odd, "open")
    try broker.publish("home/freezer", "warm")
    try daemon.waitForErrors("'warm' is not a number")
    try broker.publish("home/note", [0x66, 0xFF, 0xFE])
    try broker.publish("home/note", Array(repeating: UInt8(ascii: "x"), count: 1_000_000))
    try waitForRefusals(3)
    try broker.publish("home/note", "still here")
    try wait("mqtt/home/note", "still here")
    #expect(try home.verdicts("home-door") == ["closed appeared"])
    let names = try JSON.array(try home.connect().ask("list")).compactMap { $0["name"] as? String }
    #expect(
      Set(names) == [
        "mqtt/broker", "mqtt/home/door", "mqtt/home/doorbell", "mqtt/home/freezer", "mqtt/home/note", odd,
      ])
    let files = try FileManager.default.subpathsOfDirectory(atPath: home(""))
    #expect(!files.contains { $0.hasSuffix("pwned") })
  }

  @Test func `a broker that is started anew is found, and its retained messages are no news`() throws {
    try broker.publish("hosts/web/disk", "50", retained: true)
    try eventually("it is known") { (try? home.value("mqtt/hosts/web/disk"))?["value"] as? Int == 50 }
    let updates = try #require(try home.value("mqtt/hosts/web/disk")["updates"] as? Int)
    try broker.stop()
    try broker.start()
    try eventually("it is told again") { try home.value("mqtt/hosts/web/disk")["updates"] as? Int ?? 0 > updates }
    try broker.publish("home/door", "open")
    try home.expect("home-door", ["closed appeared", "open played"])
    #expect(try home.verdicts("host-disk-full").count == 1)
  }

  @Test func `an event that the broker has retained is no news, and a state is where its value begins`() throws {
    try broker.publish("home/doorbell", #"{"action":"single","note":",\"retain\":1,"}"#, retained: true)
    try home.expect("home-doorbell", ["single played"])
    try broker.stop()
    try broker.start()
    try broker.publish("home/note", "end", retained: true)
    try wait("mqtt/home/note", "end")
    #expect(try home.verdicts("home-doorbell") == ["single played"])
    #expect(try home.verdicts("home-door") == ["closed appeared"])
    try broker.publish("home/doorbell", #"{"action":"double"}"#)
    try eventually("it rings again") { try home.verdicts("home-doorbell").count == 2 }
  }

  @Test func `a broker that is gone is heard, though mosquitto_sub runs on`() throws {
    try wait("mqtt/broker", "up")
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    let other = try home.daemon(
      example: "mqtt.toml",
      replacing: [
        "-h localhost": broker.options.joined(separator: " "), "expect_every = \"1 min\"": "expect_every = \"3 s\"",
      ])
    try wait("mqtt/broker", "up")
    #expect(try home.decided("broker-gone") == 0)
    try broker.stop()
    try eventually("it is heard") { try home.decided("broker-gone") == 1 }
    withExtendedLifetime(other) {}
  }

  @Test func `without a broker status says so, and the feed works as soon as there is one`() throws {
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    try broker.stop()
    let other = try home.daemon(
      example: "mqtt.toml", replacing: ["-h localhost": broker.options.joined(separator: " ")])
    try eventually("it is refused") {
      let problem = (try home.status()["commands"] as? [[String: Any]])?.first?["problem"] as? String
      return problem?.contains("refused") == true
    }
    try broker.start()
    try wait("mqtt/home/door", "closed")
    withExtendedLifetime(other) {}
  }

  @Test func `each has its sound, and a freezer that is open for a moment has none`() throws {
    let plays = try home.render(
      example: "mqtt.toml", edited: true,
      """
      0 mqtt/home/door=closed
      1 mqtt/home/door=open
      2 mqtt/home/doorbell={"action": "single", "battery": 80}
      3 mqtt/home/doorbell={"action": "", "battery": 80}
      10 mqtt/hosts/nas/disk=91
      11 mqtt/hosts/web/disk=80
      12 mqtt/hosts/web/disk=95
      13 mqtt/hosts/web/disk=91
      20 mqtt/home/freezer=-18
      30 mqtt/home/freezer=-5
      40 mqtt/home/freezer=-16
      50 mqtt/home/freezer=-11
      660 mqtt/home/freezer=-14
      700 mqtt/home/freezer=-16
      2100 mqtt/home/freezer=-18
      """)
    #expect(
      plays == [
        "1 home-door plays press", "2 home-doorbell plays message",
        "10 host-disk-full[mqtt/hosts/nas/disk] plays error", "12 host-disk-full[mqtt/hosts/web/disk] plays error",
        // A minute without a line of the feed.
        "110 freezer-silent plays warning", "650 thaw plays alarm", "700 thaw stops",
        "760 freezer-silent plays warning", "1360 freezer-silent plays warning", "1960 freezer-silent plays warning",
      ])
  }
}
