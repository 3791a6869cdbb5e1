import SoundTrigger
import Testing

/// A crossing that a gate silences is not used up: it sounds when the gate ends, if the number is still beyond the threshold.
@Suite struct HeldCrossingTests {
  private static let charger = ValueName.name("v8"), call = ValueName.name("v7")

  /// A warning of a battery at 50 %, silent while the charger is connected.
  private func battery(_ change: (inout TriggerDefinition) -> Void = { _ in }) -> TriggerRig {
    let warning = TriggerDefinition.test(below: 15, hysteresis: 5, unless: [Self.charger, Self.call])
    var rig = TriggerRig(warning.with(change))
    rig.set(.bool(true), at: 0, name: Self.charger)
    rig.set([50])
    return rig
  }

  private func unplug(_ rig: inout TriggerRig, at milliseconds: Int64) {
    rig.set(.bool(false), at: milliseconds, name: Self.charger)
  }

  @Test func `a battery at 12 % warns when the charger is unplugged`() {
    var rig = battery()
    rig.set(.number(12), at: 1000)
    #expect(rig.verdict == .held(by: Self.charger))
    unplug(&rig, at: 3_600_000)
    #expect(rig.times == [3_600_000])
    #expect(rig.verdicts() == [.appeared, .played])
    // Once.
    rig.set(.bool(true), at: 3_700_000, name: Self.charger)
    unplug(&rig, at: 3_800_000)
    rig.set(.number(11), at: 3_900_000)
    #expect(rig.times.count == 1)
  }

  @Test func `it warns for the number of then, also of one that was refused by its direction`() {
    var rig = battery { $0.when = .decrease }
    rig.set(.number(12), at: 1000)
    rig.set(.number(9), at: 2000)
    rig.set(.number(10), at: 3000)
    #expect(rig.verdict == .held(by: Self.charger))
    unplug(&rig, at: 4000)
    #expect(rig.times == [4000])
    #expect(rig.causes.first == Cause(value: .v0, old: .number(9), new: .number(10)))
  }

  @Test func `a number that has gone back is silent, and within the hysteresis the crossing stays unused`() {
    for (number, later) in [(15.0, true), (19, true), (20, false), (50, false)] {
      var rig = battery()
      rig.set(.number(12), at: 1000)
      rig.set(.number(number), at: 2000)
      unplug(&rig, at: 3000)
      #expect(rig.times.isEmpty)
      if later { #expect(rig.verdict == .outside) }
      rig.set(.number(14), at: 4000)
      #expect(rig.times == [4000], "back from \(number)")
      rig.set(.number(16), at: 5000)
      rig.set(.number(13), at: 6000)
      #expect(rig.times == [4000])
    }
  }

  @Test func `what has sounded before the gate does not sound again after it`() {
    var rig = battery()
    unplug(&rig, at: 10)
    rig.set(.number(12), at: 1000)
    rig.set(.bool(true), at: 2000, name: Self.charger)
    rig.set(.number(11), at: 3000)
    unplug(&rig, at: 4000)
    #expect(rig.times == [1000])
  }

  @Test func `all gates must have ended, by their contents, by staleness or because they are forgotten`() {
    var rig = battery()
    rig.set(.bool(true), at: 10, name: Self.call)
    rig.set(.number(12), at: 1000)
    unplug(&rig, at: 2000)
    #expect(rig.times.isEmpty)
    rig.becomeStale(at: 3000, name: Self.call)
    #expect(rig.times == [3000])

    var other = battery()
    other.set(.number(12), at: 1000)
    other.unset(at: 2000, name: Self.charger)
    #expect(other.times == [2000])
  }

  @Test func `a gate that ends with a change of the number decides about that number`() {
    var rig = battery()
    rig.set(.number(12), at: 1000)
    rig.set([(.v0, .number(11)), (Self.charger, .bool(false))], at: 2000)
    #expect(rig.times == [2000])
    #expect(rig.causes.first == Cause(value: .v0, old: .number(12), new: .number(11)))

    var other = battery()
    other.set(.number(12), at: 1000)
    other.set([(Self.charger, .bool(false)), (.v0, .number(50))], at: 2000)
    #expect(other.times.isEmpty)
  }

  @Test func `a delay passes before the gate ends, and not once more`() {
    var rig = battery { $0.timing.delay = .seconds(5) }
    rig.set(.number(12), at: 1000)
    rig.advance(to: 6000)
    #expect(rig.verdict == .held(by: Self.charger))
    rig.set(.number(11), at: 7000)
    unplug(&rig, at: 7001)
    #expect(rig.times == [7001])

    // The delay still runs when the gate ends.
    var other = battery { $0.timing.delay = .seconds(5) }
    other.set(.number(12), at: 1000)
    unplug(&other, at: 3000)
    other.advance(to: 60_000)
    #expect(other.times == [6000])

    var third = battery { $0.timing.delay = .seconds(5) }
    third.set(.number(12), at: 1000)
    third.advance(to: 6000)
    third.set([(.v0, .number(10)), (Self.charger, .bool(false))], at: 7000)
    #expect(third.times == [7000])
  }

  @Test func `a gate that ends during a debounce waits for the number to be still`() {
    var rig = battery { $0.timing.debounce = .seconds(2) }
    rig.set(.number(12), at: 1000)
    rig.advance(to: 3000)
    #expect(rig.verdict == .held(by: Self.charger))
    rig.set(.number(11), at: 4000)
    unplug(&rig, at: 5000)
    #expect(rig.times.isEmpty)
    rig.set(.number(12), at: 5500)
    rig.advance(to: 60_000)
    #expect(rig.times == [7500])
  }

  @Test func `cancel uses it up, and so does the loss of the content`() {
    var rig = battery()
    rig.set(.number(12), at: 1000)
    rig.callOff(at: 2000)
    #expect(rig.verdict == .cancelled)
    unplug(&rig, at: 3000)
    rig.set(.number(11), at: 4000)
    #expect(rig.times.isEmpty)

    var other = battery()
    other.set(.number(12), at: 1000)
    other.unset(at: 2000)
    unplug(&other, at: 3000)
    #expect(other.times.isEmpty)
  }

  @Test func `the throttle and the profile decide at the end of the gate, and what they refuse is used up`() {
    var rig = battery { $0.timing.throttle = .seconds(60) }
    unplug(&rig, at: 10)
    rig.set(.number(12), at: 1000)
    rig.set(.bool(true), at: 2000, name: Self.charger)
    rig.set([50, 12], from: 70_000)
    #expect(rig.verdict == .held(by: Self.charger))
    unplug(&rig, at: 80_000)
    #expect(rig.times == [1000, 80_000])

    var other = battery()
    other.set(.number(12), at: 1000)
    other.setProfile(.silent, at: 2000)
    #expect(other.verdict == .held(by: Self.charger))
    unplug(&other, at: 3000)
    #expect(other.verdict == .profile(.silent))
    other.setProfile(.full, at: 4000)
    other.set(.number(11), at: 5000)
    #expect(other.times.isEmpty)
  }

  @Test func `freshness counts from the end of the gate`() {
    var rig = battery { $0.timing.fresh = .zero }
    rig.set(.number(12), at: 1000)
    unplug(&rig, at: 3_600_000)
    #expect(rig.times == [3_600_000])
  }

  @Test func `each value of a list has a crossing of its own`() {
    var rig = battery { $0.values.append(.name("v1")) }
    rig.set(.number(60), at: 10, name: .name("v1"))
    rig.set(.number(12), at: 1000)
    rig.set(.number(5), at: 1000, name: .name("v1"))
    rig.set(.number(50), at: 2000)
    unplug(&rig, at: 3000)
    #expect(rig.causes.map { $0?.value } == [.name("v1")])
  }

  @Test func `a reload that keeps the trigger keeps it`() {
    var rig = battery()
    rig.set(.number(12), at: 1000)
    rig.reload(rig.engine.definitions + [.test(name: "other")], at: 2000)
    unplug(&rig, at: 3000)
    #expect(rig.times == [3000])
  }

  @Test func `what only meets a condition is not held`() {
    var rig = TriggerRig(.test(to: [.utf8("failed")], unless: [Self.charger]))
    rig.set(.bool(true), at: 0, name: Self.charger)
    rig.set(.utf8("passed"), at: 1)
    rig.set(.utf8("failed"), at: 2)
    #expect(rig.verdict == .suppressed(by: Self.charger))
    unplug(&rig, at: 3)
    #expect(rig.times.isEmpty)
  }

  @Test func `a jump over a corridor is held, too`() {
    var rig = TriggerRig(.test(above: 90, below: 10, unless: [Self.charger]))
    rig.set(.bool(true), at: 0, name: Self.charger)
    rig.set([50, 95, 5])
    unplug(&rig, at: 10)
    #expect(rig.times == [10])
    #expect(rig.causes.first == Cause(value: .v0, old: .number(95), new: .number(5)))
  }

  @Test func `a gate empties the queue, and the crossing in it is not used up`() {
    var rig = TriggerRig(.test(above: 5, unless: [Self.charger], overlap: .queue))
    rig.set([1, 6, 1, 7])
    rig.set(.bool(true), at: 10, name: Self.charger)
    #expect(rig.verdict == .held(by: Self.charger))
    unplug(&rig, at: 20)
    #expect(rig.causes.map { $0?.new } == [.number(6), .number(7)])
  }
}
