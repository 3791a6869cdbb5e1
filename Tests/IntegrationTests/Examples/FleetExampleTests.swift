import Foundation
import Testing

/// Values of one machine's daemon, through the real scripts and a real broker, into the daemon of another one.
final class FleetExampleTests {
  /// The machine that listens.
  private let home: Home
  /// The machine `web`.
  private let web: Home
  private let broker: Broker
  /// The publishers that run.
  private var publishers: [Program] = []

  init() throws {
    (home, web) = (try Home(), try Home())
    broker = try Broker(in: home)
    let options = "-h 127.0.0.1\n-p \(broker.port)\n"
    try home.write("config/mosquitto_sub", options)
    try web.write("config/mosquitto_pub", options)
    try home.install(Self.listen, at: "data/soundd/bin/soundd-fleet-listen")
    try web.writeProgram("bin/uname", "#!/bin/sh\necho web\n")
    // Its number is known, so that it can be killed; the state comes every second.
    try web.writeProgram(
      "bin/mosquitto_pub", "#!/bin/sh\necho $$ >'\(web("pid"))'\nPATH=${PATH#*:}\nexec mosquitto_pub \"$@\"\n")
    try web.writeProgram("bin/timeout", "#!/bin/sh\nshift\nexec /usr/bin/timeout 1 \"$@\"\n")
    _ = try web.daemon("[[trigger]]\nvalue = 'disk'\nsound = 'tick'\n", "--device", "none")
  }

  deinit {
    // The script ends its parts; they would outlive it if it were killed.
    for publisher in publishers { _ = try? end(publisher) }
  }

  private static let listen = "fleet/soundd-fleet-listen"

  private func startListener(delay: String = "10 ms") throws -> Program {
    try home.daemon(
      example: "fleet/config.toml", replacing: ["\"90 s\"": "\"\(delay)\""], environment: try home.scriptEnvironment())
  }

  private func startPublisher(_ names: String...) throws -> Program {
    let publisher = try web.start(
      example: "fleet/soundd-fleet-publish", names, environment: ["TMPDIR": web("run")])
    publishers.append(publisher)
    return publisher
  }

  @discardableResult
  private func end(_ publisher: Program, killed: Bool = false) throws -> Program.Ending {
    if !killed { publisher.send(signal: SIGTERM) }
    publishers.removeAll { $0 === publisher }
    return try publisher.wait()
  }

  /// How often a rule has played.
  private func played(_ rule: String) throws -> Int? {
    let triggers = try home.status()["triggers"] as? [[String: Any]]
    return triggers?.first { $0["name"] as? String == rule }?["played"] as? Int
  }

  private func set(_ assignments: String...) throws {
    let set = try web.start(["set"] + assignments)
    #expect(try set.wait() == .exit(0), "\(set.errors)")
  }

  /// What the listener has of a value, as text; `nil` if it has none.
  private func heard(_ name: String) -> String? {
    guard let reply = try? home.value(name), let value = reply["value"] else { return nil }
    if reply["type"] as? String == "bool" { return (value as? Bool).map { "\($0)" } }
    return value as? String ?? "\(value)"
  }

  private func wait(_ name: String, _ text: String) throws {
    try eventually("'\(name)' is '\(text)'") { heard(name) == text }
  }

  /// Waits until the listener has all that was published before.
  private func settle() throws {
    let mark = UUID().uuidString
    try broker.publish("fleet/mark", "{\"mark\":\"\(mark)\"}")
    try wait("host/mark/mark", mark)
  }

  private func kill() throws {
    let pid = try String(contentsOfFile: web("pid"), encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    Glibc.kill(try #require(pid_t(pid)), SIGKILL)
  }

  @Test func `what a machine says is heard, and a listener that starts again knows it`() throws {
    let listener = try startListener()
    _ = try startPublisher("disk", "note")
    try wait("host/web/down", "false")
    try set("disk=93", "note=one")
    // The member is there then.
    try wait("host/web/disk", "93")
    try home.expect("host-disk[host/web/disk]", ["93 played"])
    try wait("host/web/note", "one")
    listener.send(signal: SIGTERM)
    #expect(try listener.wait() == .exit(0))
    _ = try startListener()
    try wait("host/web/disk", "93")
    try wait("host/web/note", "one")
    #expect(try played("host-disk") == 0)
  }

  @Test func `a machine that vanishes is heard, and one that takes leave is not`() throws {
    _ = try startListener()
    let first = try startPublisher("disk")
    try wait("host/web/down", "false")
    try end(first)
    let left = try FileManager.default.contentsOfDirectory(atPath: web("run")).filter { $0.hasPrefix("tmp.") }
    #expect(left == [])
    try settle()
    #expect(heard("host/web/down") == "false")
    try FileManager.default.removeItem(atPath: web("pid"))
    let second = try startPublisher("disk")
    try eventually("it publishes") { FileManager.default.fileExists(atPath: web("pid")) }
    try eventually("it is connected") { try home.value("host/web/down")["updates"] as? Int ?? 0 > 2 }
    try kill()
    try wait("host/web/down", "true")
    try eventually("it is heard") { try played("host-down") == 1 }
    // Its unit starts it again.
    #expect(try end(second, killed: true) != .exit(0))
    _ = try startPublisher("disk")
    try wait("host/web/down", "false")
    #expect(try JSON.array(try home.connect().ask("alarms")).isEmpty)
  }

  @Test func `a broker that is stopped and started says what it knew, and no machine is down`() throws {
    _ = try startListener(delay: "1 min")
    _ = try startPublisher("disk")
    try set("disk=50")
    try broker.publish("fleet/db", #"{"disk":20,"down":false}"#, retained: true)
    try wait("host/web/disk", "50")
    try wait("host/db/disk", "20")
    let updates = try #require(try home.value("host/db/disk")["updates"] as? Int)
    try broker.stop()
    try broker.start()
    try eventually("it is told again") { try home.value("host/db/disk")["updates"] as? Int ?? 0 > updates }
    try set("disk=60")
    try wait("host/web/disk", "60")
    #expect(heard("host/web/down") == "false")
    #expect(try played("host-down") == 0)
  }

  @Test func `what a machine says reaches no shell, and sets nothing but its own values`() throws {
    let listener = try startListener()
    _ = try startPublisher("disk", "note", "down")
    try wait("host/web/down", "false")
    for text in [
      "one\nhost/web/down=true\n{\"down\":true}\r\nstop", #"","down":true,"x":" \" \\ {} "#,
      "$(touch made)`touch made`;'",
      "\u{1B}]0;title\u{7}", "grün 🎵",
    ] {
      try set("note=\(text)")
      try wait("host/web/note", text.trimmingCharacters(in: .whitespaces))
    }
    // A value of this name does not say that the machine is down.
    try set("down=true", "note=last")
    try wait("host/web/note", "last")
    #expect(heard("host/web/down") == "false")

    for payload in [
      "host/web/down=true", "{\"a\":1}\n{\"down\":true}", "[{\"down\":true}]", "\"down\"", "", "null", "{",
      #"{"../web/down":true,"/web/down":true}"#, #"{"":1}"#, #"{"a b":1}"#, #"{"a\nb":1}"#,
    ] { try broker.publish("fleet/evil", payload) }
    try broker.publish("fleet/evil", [0x7B, 0xFF, 0x00, 0x7D])
    for topic in ["fleet/evil/web", "fleet", "other/web", "fleet/a b\"c"] {
      try broker.publish(topic, #"{"down":true}"#)
    }
    try settle()
    #expect(heard("host/web/down") == "false")
    let values = try JSON.array(try home.connect().ask("list")).compactMap { $0["name"] as? String }
    let own = values.filter { !$0.hasPrefix("host/evil/") }
    #expect(Set(own) == ["host/web/down", "host/web/note", "host/mark/mark", "host/a%20b%22c/down"])
    #expect(!values.contains("host/evil/down"))
    try listener.waitForErrors("has a control character")
    for home in [home, web] { #expect(!FileManager.default.fileExists(atPath: home("made"))) }
  }

  @Test func `systemd accepts the unit, which lets the script take leave`() throws {
    let unit = try home.install(
      "fleet/soundd-fleet-publish.service", at: ".config/systemd/user/soundd-fleet-publish.service")
    try home.install("fleet/soundd-fleet-publish", at: ".local/share/soundd/bin/soundd-fleet-publish")
    #expect(try String(contentsOfFile: unit, encoding: .utf8).contains("\nKillMode=mixed\n"))
    let verified = try home.start(
      program: "systemd-analyze", ["verify", "--user", "--man=no", "--recursive-errors=no", unit])
    #expect(try verified.wait() == .exit(0))
    #expect(verified.text + verified.errors == "")
  }

  @Test func `a machine that is back within 90 s has no sound, and each disk has its own`() throws {
    let plays = try home.render(
      example: "fleet/config.toml",
      """
      0 {"host/a/down":false,"host/a/disk":50}
      10 host/a/down=true
      40 host/a/down=false
      100 host/b/down=true
      120 host/a/disk=91
      121 host/c/disk=95
      200 host/a/disk=92
      260 host/b/down=false
      """)
    #expect(
      plays == [
        "120 host-disk[host/a/disk] plays warning", "121 host-disk[host/c/disk] plays warning",
        "190 host-down[host/b/down] plays error", "250 host-down[host/b/down] plays error",
      ])
  }
}
