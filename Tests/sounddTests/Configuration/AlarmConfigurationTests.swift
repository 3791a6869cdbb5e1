import SoundTrigger
import SoundWire
import Testing

@testable import soundd

/// What a configuration says of alarms, gates and groups.
struct AlarmConfigurationTests {
  private func read(_ text: String) throws -> Configuration {
    try ConfigurationText(file: "c", bytes: Array(text.utf8)).configuration(.test)
  }

  private func trigger(_ keys: String) throws -> TriggerDefinition {
    let text = "[value.t]\n[group.net]\nwithin='20 s'\nsound='y'\n[[trigger]]\nvalue='t'\nsound='x'\nto='a'\n\(keys)"
    return try #require(try read(text).triggers.first?.definition)
  }

  @Test func `an alarm has all its keys`() throws {
    let alarm = try trigger(
      """
      loop_every = ["30 s", "1 min", "5 min"]
      loop_limit = "1 h"
      latch = true
      off_delay = "10 s"
      realarm = "10 min"
      escalate = [{ after = "2 min", volume = "0 dB" }, { after = "5 min", sound = "siren", importance = "critical" }]
      unless = ["maintenance", "holiday"]
      """)
    #expect(
      alarm.loop
        == .init(
          every: [.seconds(30), .seconds(60), .seconds(300)], limit: .seconds(3600), latch: true,
          offDelay: .seconds(10),
          realarm: .seconds(600),
          escalation: [
            .init(after: .seconds(120), volume: 1), .init(after: .seconds(300), sound: "siren", importance: .critical),
          ]))
    #expect(alarm.unless.map(\.description) == ["maintenance", "holiday"])
    #expect(alarm.sounds == ["x", "siren"])
  }

  @Test(arguments: [
    ("loop=true", TriggerDefinition.Initial.yes), ("loop=true\ninitial=true", .yes),
    ("loop=true\ninitial='if-changed'", .yes), ("loop=true\ninitial=false", .no), ("loop=true\nfrom='b'", .ifChanged),
  ])
  func `an alarm follows the state that it finds, unless it asks for a change`(
    keys: String, initial: TriggerDefinition.Initial
  ) throws {
    #expect(try trigger(keys).initial == initial)
    #expect(try trigger("").initial == .no)
  }

  @Test func `a group belongs to its triggers, with its sound`() throws {
    let definition = try trigger("group='net'")
    #expect(definition.group == .init(name: "net", within: .seconds(20), sound: "y"))
    #expect(definition.sounds == ["x", "y"])
  }

  @Test func `the most restrictive profile of a value counts`() throws {
    let configuration = try read("[profile]\nquiet_while=['call', 'show']\nsilent_while='show'")
    let profiles = configuration.profileGates.map { "\($0.key) \($0.value)" }.sorted()
    #expect(profiles == ["call quiet", "show silent"])
  }

  @Test func `a critical alarm that gives up is warned of, unless it rings again`() throws {
    func codes(_ keys: String) throws -> [WarningCode?] {
      try read("[value.t]\n[[trigger]]\nvalue='t'\nsound='x'\nto='a'\nloop=true\n\(keys)").ownWarnings.map(\.code)
    }
    #expect(try codes("loop_limit='1 h'\nimportance='critical'") == [.givesUp])
    #expect(try codes("loop_limit='1 h'\nimportance='critical'\nrealarm='2 h'") == [])
    #expect(try codes("loop_limit='1 h'") == [])
  }

  @Test func `a value that only silences something is used`() throws {
    let text = "[value.busy]\ntype='bool'\n[value.t]\n[profile]\nquiet_while='busy'\n[[trigger]]\nvalue='t'\nsound='x'"
    #expect(try read(text).ownWarnings.isEmpty)
  }
}
