import Foundation
import Testing

/// Patterns and their members in a real daemon, over its commands and a restart.
struct PatternTests {
  private let home: Home
  private static let configuration = """
    [output]
    device = "none"
    [value."agent/*"]
    forget_after = "12 h"
    [[trigger]]
    name = "stuck"
    value = "agent/*"
    to = "stuck"
    sound = "alarm"
    loop_every = "1 min"
    [[trigger]]
    name = "says"
    value = "agent/*"
    sound = "message"
    initial = "if-changed"
    """

  init() throws { home = try Home() }

  private func run(_ arguments: String...) throws -> String {
    let program = try home.run(arguments)
    _ = try program.wait()
    return String(decoding: program.output, as: UTF8.self) + program.errors
  }

  private func alarms() throws -> [String: String] {
    let program = try home.run(["alarms", "--all", "--json"])
    #expect(try program.wait() == .exit(0))
    let list = try #require(JSONSerialization.jsonObject(with: Data(program.output)) as? [[String: Any]])
    return Dictionary(list.map { ($0["name"] as? String ?? "", $0["life"] as? String ?? "") }) { first, _ in first }
  }

  @Test func `members are named, seen, acknowledged and snoozed one by one or together`() throws {
    _ = try home.daemon(Self.configuration)
    for agent in 1...3 { _ = try run("set", "agent/\(agent)=busy") }
    for agent in 1...3 { _ = try run("set", "agent/\(agent)=stuck") }
    try eventually("all three are heard") { try run("ack", "stuck[agent/1]").contains("acknowledged: stuck[agent/1]") }
    #expect(
      try alarms() == [
        "stuck[agent/1]": "acknowledged", "stuck[agent/2]": "active", "stuck[agent/3]": "active",
      ])
    let status = try run("status")
    #expect(status.contains("3 members"))
    #expect(try run("explain", "says").contains("agent/2"))
    #expect(try run("explain", "says[agent/2]").contains("busy → stuck"))
    #expect(try run("snooze", "stuck[agent/2]").contains("stuck[agent/2]"))
    // The bare name means all.
    #expect(try run("ack", "stuck").contains("acknowledged: stuck[agent/1], stuck[agent/2], stuck[agent/3]"))
    #expect(try Set(alarms().values) == ["acknowledged"])
    #expect(try run("ack", "stuck[agent/9]").contains("there is no trigger 'stuck[agent/9]'"))
    #expect(try run("mute", "--trigger", "stuck[agent/1]").contains("is one member"))
    #expect(try run("unset", "agent/1").isEmpty)
    #expect(try alarms()["stuck[agent/1]"] == nil)
  }

  @Test func `an alarm of a member and what it last said outlive a restart`() throws {
    let daemon = try home.daemon(Self.configuration)
    _ = try run("set", "agent/1=busy", "agent/2=busy")
    _ = try run("set", "agent/1=stuck")
    try eventually("it is active") { try alarms()["stuck[agent/1]"] == "active" }
    // Long enough for the state to be on the disk.
    _ = try run("snooze", "stuck[agent/1]", "--for", "1 s")
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    _ = try home.daemon(Self.configuration)
    // Before its value has content again.
    #expect(try alarms()["stuck[agent/1]"] == "active")
    // What is as before is silent, and a newcomer is heard.
    _ = try run("set", "agent/2=busy")
    _ = try run("set", "agent/3=busy")
    #expect(try run("explain", "says[agent/2]").contains("as_before"))
    try eventually("the newcomer is heard") { try run("explain", "says[agent/3]").contains("played") }
    _ = try run("set", "agent/1=busy")
    #expect(try alarms()["stuck[agent/1]"] == "normal")
  }
}
