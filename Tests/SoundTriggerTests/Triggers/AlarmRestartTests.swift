import Testing

@testable import SoundTrigger

/// An alarm over the end of soundd and its next start. Times are in milliseconds.
struct AlarmRestartTests {
  /// On two values, met above 5.
  private static func pair(_ change: (inout TriggerDefinition) -> Void = { _ in }) -> TriggerDefinition {
    var definition = TriggerDefinition.test(name: "alarm", above: 5, hysteresis: 2, loop: .init()).with {
      $0.values = [.v0, .v1]
      $0.initial = .yes
    }
    change(&definition)
    return definition
  }

  @Test func `a value that begins to meet the condition of an acknowledged alarm rings after its own delay`() {
    var rig = TriggerRig(Self.pair { $0.timing.delay = .seconds(2) })
    rig.set(.number(9), at: 0)
    rig.set(.number(1), at: 0, name: .v1)
    rig.advance(to: 2000)
    rig.acknowledge(at: 3000)
    rig.set(.number(9), at: 4000, name: .v1)
    rig.restart(at: 5000)
    #expect(rig.alarm()?.life == .acknowledged)
    rig.appear(.number(9), at: 5100)
    rig.appear(.number(9), at: 5100, name: .v1)
    rig.advance(to: 5999)
    #expect(rig.alarm()?.life == .acknowledged)
    rig.advance(to: 6000)
    #expect(rig.alarm()?.life == .active)
    #expect(rig.alarm()?.value == .v1)
  }

  @Test func `a pending alarm of a table takes the sound of the last content`() {
    let table = SoundChoice.table([.utf8("warm"): "low", .utf8("hot"): "high"], otherwise: nil)
    var rig = TriggerRig(
      TriggerDefinition.test(name: "alarm", sound: table, delay: .seconds(2), loop: .init()).with { $0.initial = .yes })
    rig.set(.utf8("warm"), at: 0)
    rig.set(.utf8("hot"), at: 1000)
    #expect(rig.alarm()?.life == .pending)
    rig.restart(at: 1500)
    rig.acknowledge(at: 1600)
    rig.appear(.utf8("hot"), at: 1700)
    #expect(rig.alarm()?.life == .acknowledged)
    rig.set(.utf8("warm"), at: 1800)
    #expect(rig.alarm()?.life == .active)
  }

  @Test func `off_delay runs out over a restart, whether or not a content comes`() {
    var rig = TriggerRig(Self.pair { $0.loop = .init(offDelay: .seconds(10)) })
    rig.set(.number(9), at: 0)
    rig.set(.number(1), at: 1000)
    rig.restart(at: 5000)
    #expect(rig.alarm()?.life == .active)
    rig.advance(to: 10_999)
    #expect(rig.alarm()?.life == .active)
    rig.advance(to: 11_000)
    #expect(rig.alarm()?.life == .normal)
    rig.appear(.number(9), at: 12_000)
    #expect(rig.alarm()?.life == .active)
  }

  @Test func `a condition that returns within off_delay goes on, and one inside the hysteresis has not returned`() {
    var rig = TriggerRig(Self.pair { $0.loop = .init(offDelay: .seconds(10)) })
    rig.set(.number(9), at: 0)
    let since = rig.alarm()?.since
    rig.set(.number(1), at: 1000)
    rig.restart(at: 5000)
    var inside = rig
    rig.appear(.number(9), at: 6000)
    rig.advance(to: 20_000)
    #expect(rig.alarm()?.life == .active && rig.alarm()?.since == since)
    inside.appear(.number(4), at: 6000)
    inside.advance(to: 11_000)
    #expect(inside.alarm()?.life == .normal)
  }
}
