import Foundation
import Testing

/// Messages of a real broker, through the real script, into the daemon.
final class MQTTExampleTests {
  private let home: Home
  private let broker: Broker
  private let daemon: Program
  private let bridge: Program
  private var bridgeHasEnded = false

  init() throws {
    home = try Home()
    broker = try Broker(in: home)
    try broker.publish("home/door", "closed", retained: true)
    daemon = try home.daemon(example: "mqtt/config.toml")
    bridge = try home.start(
      example: "mqtt/soundd-mqtt", broker.options + ["-t", "home/#", "-t", "hosts/#"],
      environment: ["TMPDIR": home("run")])
    try wait("home/door", "closed")
  }

  deinit {
    // It ends its parts; they would outlive it if it were killed.
    if !bridgeHasEnded { bridge.send(signal: SIGTERM) }
    _ = try? bridge.wait()
  }

  private func wait(_ name: String, _ text: String) throws {
    // Until its first message there is no such value.
    try eventually("'\(name)' is '\(text)'") { text == (try? home.value(name))?["value"] as? String }
  }

  @Test func `messages are heard, and what is retained is where a value begins`() throws {
    #expect(try home.verdicts("home/door") == ["closed appeared"])
    try broker.publish("home/door", "open")
    try home.expect("home/door", ["closed appeared", "open played"])
    try broker.publish("home/door", "open")
    try broker.publish("home/doorbell", #"{"battery": 80, "action": "single"}"#)
    try broker.publish("home/doorbell", #"{"battery": 80}"#)
    try broker.publish("hosts/nas/disk", "93.5\n")
    try home.expect("disk-full", ["93.5 played"])
    #expect(try home.verdicts("home/door").count == 2)
    #expect(try home.verdicts("home/doorbell") == ["single played"])
    #expect(bridge.errors == "")
  }

  @Test func `what a message holds cannot set another value, and what cannot be taken is named`() throws {
    try broker.publish("home/note", "one\nhome/door=open\n{\"home/door\":\"open\"}\r\nstop")
    try wait("home/note", "one\nhome/door=open\n{\"home/door\":\"open\"}\r\nstop")
    let quoted = #"","qos":0,"payload":"\" {"home/door":"open"} \n \ "#
    try broker.publish("home/note", quoted)
    try wait("home/note", quoted.trimmingCharacters(in: .whitespaces))
    try broker.publish("home/note", "grün 🎵 \u{1}\t|")
    try wait("home/note", "grün 🎵 \u{1}\t|")
    try broker.publish("home/note", "")
    try wait("home/note", "")
    try broker.publish("home/note", Array("up to here".utf8) + [0] + Array("and no further".utf8))
    try wait("home/note", "up to here")
    try broker.publish("home/note", [0x66, 0xFF, 0xFE])
    try bridge.waitForErrors("UTF-8")
    try broker.publish("home/note", Array(repeating: UInt8(ascii: "x"), count: 1_000_000))
    try bridge.waitForErrors("65536 bytes")
    try broker.publish("home/front \"door\"=", "open")
    try bridge.waitForErrors("is not a name")
    try broker.publish("home/freezer", "warm")
    try bridge.waitForErrors("'warm' is not a number")
    try broker.publish("home/note", "still here")
    try wait("home/note", "still here")
    #expect(try home.verdicts("home/door") == ["closed appeared"])
    let names = try JSON.array(try home.connect().ask("list")).compactMap { $0["name"] as? String }
    #expect(
      Set(names) == ["home/door", "home/doorbell", "home/freezer", "home/note", "hosts/nas/disk", "hosts/web/disk"])
  }

  @Test func `a broker that is started anew is found, and its retained messages are no news`() throws {
    try broker.publish("hosts/web/disk", "50", retained: true)
    try eventually("it is known") { try home.value("hosts/web/disk")["value"] as? Int == 50 }
    let updates = try #require(try home.value("hosts/web/disk")["updates"] as? Int)
    try broker.stop()
    try broker.start()
    try eventually("it is told again") { try home.value("hosts/web/disk")["updates"] as? Int ?? 0 > updates }
    try broker.publish("home/door", "open")
    try home.expect("home/door", ["closed appeared", "open played"])
    #expect(try home.verdicts("disk-full").count == 1)
  }

  @Test func `it ends with the daemon and by a signal, and leaves nothing behind`() throws {
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    try broker.publish("home/door", "open")
    #expect(try bridge.wait() == .exit(69))
    bridgeHasEnded = true
    let other = try home.daemon(example: "mqtt/config.toml")
    let second = try home.start(
      example: "mqtt/soundd-mqtt", broker.options + ["-t", "home/#"], environment: ["TMPDIR": home("run")])
    try wait("home/door", "closed")
    second.send(signal: SIGTERM)
    // Its output ends with the last of its parts.
    #expect(try second.wait() == .exit(143))
    let left = try FileManager.default.contentsOfDirectory(atPath: home("run")).filter { $0.hasPrefix("tmp.") }
    #expect(left == [])
    withExtendedLifetime(other) {}
  }

  @Test func `without a broker it fails, for its unit to start it again`() throws {
    let bridge = try home.start(example: "mqtt/soundd-mqtt", ["-h", "127.0.0.1", "-p", "1", "-t", "home/#"])
    #expect(try bridge.wait() != .exit(0))
    #expect(bridge.errors.contains("refused"))
    let unit = try home.install("mqtt/soundd-mqtt.service", at: ".config/systemd/user/soundd-mqtt.service")
    try home.install("mqtt/soundd-mqtt", at: ".local/bin/soundd-mqtt")
    #expect(try String(contentsOfFile: unit, encoding: .utf8).contains("\nRestart=always\n"))
    let verified = try home.start(
      program: "systemd-analyze", ["verify", "--user", "--man=no", "--recursive-errors=no", unit])
    #expect(try verified.wait() == .exit(0))
    #expect(verified.text + verified.errors == "")
  }

  @Test func `each has its sound, and a freezer that is open for a moment has none`() throws {
    let plays = try home.render(
      example: "mqtt/config.toml",
      """
      0 home/door=closed
      1 home/door=open
      2 home/doorbell={"action": "single", "battery": 80}
      3 home/doorbell={"action": "", "battery": 80}
      4 home/doorbell={"battery": 80}
      10 hosts/nas/disk=91
      11 hosts/web/disk=80
      12 hosts/web/disk=95
      13 hosts/web/disk=91
      20 home/freezer=-18
      30 home/freezer=-5
      40 home/freezer=-16
      50 home/freezer=-11
      660 home/freezer=-14
      700 home/freezer=-16
      2100 home/freezer=-18
      """)
    #expect(
      plays == [
        "1 home/door plays press", "2 home/doorbell plays message", "10 disk-full plays error",
        "12 disk-full plays error", "650 thaw plays alarm", "700 thaw stops", "1600 freezer-silent plays warning",
      ])
  }
}
