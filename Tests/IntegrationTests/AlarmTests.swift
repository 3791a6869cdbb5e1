import Foundation
import Testing

/// The life of an alarm in a real daemon, with its commands.
struct AlarmTests {
  private let home: Home
  private static let configuration = """
    [output]
    device = "none"
    [value.heat]
    type = "number"
    [[trigger]]
    value = "heat"
    above = 90
    hysteresis = 5
    sound = "alarm"
    loop = true
    latch = true
    unless = "maintenance"
    importance = "critical"
    [[trigger]]
    name = "plain"
    value = "heat"
    sound = "tick"
    """

  init() throws { home = try Home() }

  private func run(_ arguments: String...) throws -> (output: String, errors: String, end: Program.Ending) {
    let program = try home.run(arguments)
    let end = try program.wait()
    return (String(decoding: program.output, as: UTF8.self), program.errors, end)
  }

  private func alarms() throws -> [[String: Any]] {
    let program = try home.run(["alarms", "--json"])
    #expect(try program.wait() == .exit(0))
    return try #require(JSONSerialization.jsonObject(with: Data(program.output)) as? [[String: Any]])
  }

  private func state() throws -> String { try alarms().first?["state"] as? String ?? "normal" }

  @Test func `an alarm is seen, snoozed, acknowledged and over`() throws {
    let daemon = try home.daemon(Self.configuration)
    #expect(try run("alarms").output == "every alarm is normal\n")
    #expect(try run("ack").output == "nothing to acknowledge\n")
    #expect(try run("snooze").output == "no alarm sounds: nothing to snooze\n")
    _ = try run("set", "heat=20")
    _ = try run("set", "heat=95")
    try eventually("it is heard") { try alarms().first?["heard"] as? Bool == true }
    let alarm = try #require(try alarms().first)
    #expect(alarm["name"] as? String == "heat" && alarm["state"] as? String == "active")
    #expect(alarm["value"] as? String == "heat" && alarm["content"] as? Double == 95)
    #expect(try run("status").output.hasPrefix("alarm "))
    #expect(try run("snooze", "--for", "1 h").output.hasSuffix(": heat\n"))
    #expect(try state() == "snoozed")
    #expect(try run("unsnooze", "heat").end == .exit(0))
    #expect(try state() == "active")
    _ = try run("set", "maintenance=on")
    #expect(try state() == "suppressed")
    #expect(try alarms().first?["why"] as? String == "maintenance is true (unless)")
    #expect(try run("ack", "heat").end == .exit(0))
    try daemon.waitForErrors("alarm 'heat': suppressed: maintenance is true (unless) (acknowledged since ")
    _ = try run("set", "maintenance=off", "heat=20")
    _ = try run("set", "heat=95")
    _ = try run("set", "heat=20")
    #expect(try state() == "latched")
    #expect(try run("ack").output == "acknowledged: heat\n")
    #expect(try state() == "normal")
    withExtendedLifetime(daemon) {}
  }

  @Test func `after SIGKILL an alarm sounds again before its value has a content, and what was acknowledged is silent`()
    throws
  {
    let first = try home.daemon(Self.configuration)
    _ = try run("set", "heat=20")
    _ = try run("set", "heat=95")
    try eventually("it is heard") { try alarms().first?["heard"] as? Bool == true }
    // Saved within 100 ms.
    poll(nil, 0, 200)
    first.send(signal: SIGKILL)
    _ = try first.wait()
    let second = try home.daemon(Self.configuration)
    #expect(second.errors.contains(/alarm 'heat': active since [-0-9: ]+, as before/))
    #expect(try state() == "active")
    try eventually("it sounds") { try home.status()["voices"] as? Int == 1 }
    // The answer comes when it is on the disk.
    #expect(second.errors.components(separatedBy: "alarm 'heat': active").count == 2)
    #expect(try run("ack", "heat", "heat").output == "acknowledged: heat\n")
    second.send(signal: SIGKILL)
    _ = try second.wait()
    let third = try home.daemon(Self.configuration)
    #expect(try state() == "acknowledged")
    #expect(try home.status()["voices"] as? Int == 0)
    _ = try run("set", "heat=20")
    #expect(try state() == "normal")
    withExtendedLifetime(third) {}
  }

  @Test func `unknown names, plain triggers and impossible times are refused, each with what to do`() throws {
    let daemon = try home.daemon(Self.configuration)
    for command in ["ack", "snooze", "unsnooze"] {
      #expect(try run(command, "heet").end == .exit(66), "\(command)")
      #expect(try run(command, "").end == .exit(64), "\(command)")
    }
    #expect(try run("alarms", "--test", "heet").end == .exit(66))
    let plain = try run("snooze", "plain")
    #expect(plain.end == .exit(77) && plain.errors.contains("is no alarm, because it has no loop"))
    #expect(plain.errors.contains("soundd mute 10min --trigger=plain"))
    #expect(try run("mute", "10min", "--trigger", "plain").end == .exit(0))
    let acknowledged = try run("ack", "plain")
    #expect(acknowledged.end == .exit(77) && !acknowledged.errors.contains("mute"))
    let negative = try run("snooze", "--for", "-1", "heat")
    #expect(negative.end == .exit(64) && negative.errors.contains("at most 24 h"))
    let long = try run("snooze", "--for", "25 h", "heat")
    #expect(long.end == .exit(64) && long.errors.contains("at most 24 h"))
    let normal = try run("ack", "heat")
    #expect(normal.end == .exit(0) && normal.output == "nothing to acknowledge\n")
    withExtendedLifetime(daemon) {}
  }

  @Test func `an acknowledgement of an alarm that has ended since touches no later one`() throws {
    let daemon = try home.daemon(Self.configuration)
    let connection = try home.connect()
    try connection.send(line: "heat=20")
    try connection.send(line: "heat=95")
    #expect(try connection.ask("sync") == "ok")
    #expect(try connection.ask("ack since=2020-01-01T00:00:00.000000Z heat") == "ok")
    #expect(try state() == "active")
    let since = try #require(try alarms().first?["since"] as? String)
    #expect(try connection.ask("ack since=\(since) heat") == "ok")
    #expect(try state() == "acknowledged")
    withExtendedLifetime(daemon) {}
  }

  @Test func `a test rings for five seconds and changes no life`() throws {
    let daemon = try home.daemon(Self.configuration)
    let heard = try run("alarms", "--test", "heat")
    #expect(heard.output == "'heat' rings for 5 s\n" && heard.errors == "")
    #expect(try home.status()["voices"] as? Int == 1)
    #expect(try state() == "normal")
    try eventually("it is over") { try home.status()["voices"] as? Int == 0 }
    _ = try run("mute")
    let unheard = try run("alarms", "--test", "heat")
    #expect(unheard.end == .exit(0) && unheard.errors.contains("it plays unheard: soundd is muted"))
    withExtendedLifetime(daemon) {}
  }

  @Test func `a snooze of a normal alarm is shown, and its end offered`() throws {
    let daemon = try home.daemon(Self.configuration)
    #expect(try run("snooze", "heat").end == .exit(0))
    #expect(try run("alarms").output.contains("heat   snoozed (normal)"))
    #expect(try run("status").output.hasPrefix("alarm     heat: snoozed until "))
    #expect(try run("__complete", "unsnooze", "").output.contains("heat\t"))
    #expect(try run("__complete", "ack", "").output == "words\n")
    #expect(try run("unsnooze", "heat").end == .exit(0))
    #expect(try run("alarms").output == "every alarm is normal\n")
    withExtendedLifetime(daemon) {}
  }

  @Test func `an acknowledgement that cannot be saved says so`() throws {
    try home.write("state/soundd", "no folder")
    let daemon = try home.daemon(Self.configuration, environment: ["XDG_STATE_HOME": home("state")])
    _ = try run("set", "heat=20")
    _ = try run("set", "heat=95")
    let acknowledged = try run("ack", "heat")
    #expect(acknowledged.end == .exit(0) && acknowledged.output == "acknowledged: heat\n")
    #expect(acknowledged.errors.contains("the state cannot be saved: "))
    #expect(acknowledged.errors.contains("after a restart the alarms may be as they were before"))
    #expect(try run("status").output.contains("warning   the state cannot be saved"))
    withExtendedLifetime(daemon) {}
  }

  @Test func `a follower learns that a mute and a volume of 0 silence an alarm, and of their ends`() throws {
    let daemon = try home.daemon(Self.configuration)
    let events = try home.connect()
    try events.send(line: "heat=20")
    try events.send(line: "heat=95")
    #expect(try events.ask("events") == "ok")
    let changes = [
      ("mute", "muted"), ("unmute", "null"), ("mute trigger=heat", "trigger_muted"), ("unmute trigger=heat", "null"),
      ("volume 0", "volume"), ("volume 1", "null"),
    ]
    for (request, silence) in changes {
      try events.send(line: request)
      var next = ""
      while !next.contains(#""event":"alarm""#) { next = try events.line() }
      #expect(next.contains(#""silence":\#(silence == "null" ? silence : "\"\(silence)\"")"#), "\(request): \(next)")
    }
    withExtendedLifetime(daemon) {}
  }

  @Test func `an alarm that the configuration has lost is named, at a start and at a reload`() throws {
    let first = try home.daemon(Self.configuration)
    _ = try run("set", "heat=20")
    _ = try run("set", "heat=95")
    try home.write(
      "config/soundd/config.toml", Self.configuration.replacingOccurrences(of: "loop = true\nlatch = true\n", with: ""))
    #expect(try run("reload").end == .exit(0))
    try first.waitForErrors("alarm 'heat' was not normal, and its trigger is no alarm any more: it ends")
    try home.write("config/soundd/config.toml", Self.configuration)
    #expect(try run("reload").end == .exit(0))
    _ = try run("set", "heat=20")
    _ = try run("set", "heat=95")
    poll(nil, 0, 200)
    first.send(signal: SIGKILL)
    _ = try first.wait()
    let second = try home.daemon("[value.heat]\ntype = \"number\"\n", "--device", "none")
    #expect(
      second.errors.contains(
        "alarm 'heat' was not normal, and the configuration does not have it: it is silent, and kept"))
    withExtendedLifetime(second) {}
  }

  @Test func `render says that an alarm is latched, and each state once`() throws {
    try home.write("config.toml", Self.configuration)
    func render(_ timeline: String) throws -> (text: String, errors: String, end: Program.Ending) {
      let program = try home.run("render", "-", "--config", "config.toml", input: .text(timeline))
      let end = try program.wait()
      return (program.text, program.errors, end)
    }
    let latched = try render("0 heat=20\n1 heat=95\n2 heat=20\n")
    #expect(latched.end == .exit(65))
    #expect(latched.errors.contains("it is latched, and no line acknowledges it; acknowledge it ('ack heat')"))
    let holds = try render("0 heat=20\n1 heat=95\n")
    #expect(holds.errors.contains("its condition still holds after the last line"))
    let snoozed = try render("0 heat=20\n1 heat=95\n2 snooze for=5s heat\n3 snooze for=9s heat\n4 ack heat\n")
    #expect(snoozed.end == .exit(0) && snoozed.text.components(separatedBy: "heat is snoozed").count == 2, "\(snoozed)")
    #expect(try render("0 snooze heat for=5s\n").errors.contains("'for=' comes before the name: snooze for=5s heat"))
  }

  @Test func `a follower learns of each life, and of the present ones first`() throws {
    let daemon = try home.daemon(Self.configuration)
    _ = try run("set", "heat=20")
    _ = try run("set", "heat=95")
    let events = try home.connect()
    try events.send(line: "events --state")
    var lines: [String] = []
    while lines.last != #"{"event":"ready"}"# { lines.append(try events.line()) }
    #expect(
      lines.contains {
        $0.hasPrefix(#"{"event":"alarm","id":"#) && $0.contains(#","name":"heat","state":"active","life":"active","#)
      })
    _ = try run("ack", "heat")
    var next = ""
    while !next.contains(#""event":"alarm""#) { next = try events.line() }
    #expect(next.contains(#""life":"acknowledged""#))
    withExtendedLifetime(daemon) {}
  }
}
