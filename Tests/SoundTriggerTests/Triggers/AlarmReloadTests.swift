import SoundTrigger
import Testing

/// What a reload makes of an alarm.
@Suite struct AlarmReloadTests {
  private static let alarm = TriggerDefinition.test(name: "alarm", above: 5, loop: .init())

  private func rig(_ definitions: TriggerDefinition...) -> TriggerRig {
    var rig = TriggerRig(definitions)
    rig.set([1, 6])
    return rig
  }

  @Test func `it ends with its fade and sounds again with its new settings if its new condition holds`() {
    let settings = PlaySettings(volume: 0.5, pan: 1, fadeOut: .seconds(1), importance: .critical)
    var rig = rig(Self.alarm)
    rig.reload([.test(name: "new", to: [.number(9)]), Self.alarm.with { $0.settings = settings }], at: 9)
    #expect(rig.times == [1, 9])
    #expect(rig.stops == [.init(trigger: "alarm", at: 9)])
    #expect(rig.causesOfStops == [.configuration])
    #expect(rig.settings.last == settings)
    #expect(rig.adjusted.isEmpty)
    #expect(rig.verdicts(1) == [.appeared, .played])
    #expect(rig.counters(1).played == 2)
    rig.set(.number(2), at: 10)
    #expect(rig.stops == [.init(trigger: "alarm", at: 9), .init(trigger: "alarm", at: 10)])
  }

  @Test func `it stays active with its first time if only its conditions changed, also with initial`() {
    for change in [{ $0.initial = .yes }, { $0.threshold = Threshold(above: 4) }] as [(inout TriggerDefinition) -> Void]
    {
      var rig = rig(Self.alarm)
      rig.reload([Self.alarm.with(change)], at: 9)
      #expect(rig.times == [1, 9])
      #expect(rig.stops == [.init(trigger: "alarm", at: 9)])
      #expect(rig.alarm()?.life == .active)
      #expect(rig.alarm()?.since == Instant(1))
    }
  }

  @Test func `another sound replaces it`() {
    var rig = rig(Self.alarm)
    rig.reload([Self.alarm.with { $0.sound = .sound("dong") }], at: 9)
    #expect(rig.stops == [.init(trigger: "alarm", at: 9)])
    #expect(rig.sounds == ["ding", "dong"])
    #expect(rig.gapless == [true, true])
    rig.reload([Self.alarm.with { $0.loop = .init(every: [.milliseconds(100)]) }], at: 10)
    #expect(rig.sounds == ["ding", "dong", "ding"])
    #expect(rig.gapless == [true, true, false])
    #expect(rig.engine.nextDeadline == Instant(110))
  }

  @Test func `it ends if its new condition does not hold, if it is no alarm any more, or if its trigger is gone`() {
    let once = TriggerDefinition.test(name: "once")
    for next in [
      [once], [once, Self.alarm.with { $0.threshold = Threshold(above: 7) }],
      [once, Self.alarm.with { $0.loop = nil }],
      [once, Self.alarm.with { $0.values = [.name("v1")] }],
    ] {
      var rig = rig(once, Self.alarm)
      rig.reload(next, at: 9)
      #expect(rig.stops == [.init(trigger: "alarm", at: 9)])
      #expect(rig.sounding["once"] == 1)
    }
  }

  @Test func `the other sounds of a trigger that changed run to their end`() {
    var rig = rig(.test())
    rig.reload([.test(to: [.number(9)])], at: 9)
    #expect(rig.stops.isEmpty)
    #expect(rig.sounding["t"] == 1)
    #expect(rig.activity() == TriggerActivity(state: .resting))
  }

  @Test func `it is still stolen from, and comes back with its new settings`() {
    let settings = PlaySettings(volume: 0.5)
    var rig = rig(Self.alarm)
    rig.reload([Self.alarm.with { $0.settings = settings }], at: 9)
    rig.endFade(at: 10)
    rig.endSound(at: 20, 0, .stolen)
    #expect(rig.times == [1, 9, 20])
    #expect(rig.settings.last == settings)
  }

  @Test func `an alarm that the profile silenced sounds if it is important enough now, and the other way round`() {
    var rig = rig(Self.alarm)
    rig.setProfile(.quiet, at: 5)
    rig.reload([Self.alarm.with { $0.settings.importance = .high }], at: 9)
    #expect(rig.times == [1, 9])
    rig.endFade(at: 10)
    rig.reload([Self.alarm], at: 11)
    #expect(rig.stops.map(\.at) == [5, 11])
    rig.setProfile(.full, at: 12)
    #expect(rig.times == [1, 9, 12])
  }

  @Test func `a repeated alarm in its pause becomes a gapless one at once`() {
    var rig = rig(Self.alarm.with { $0.loop = .init(every: [.seconds(1)]) })
    rig.endSound(at: 3)
    rig.reload([Self.alarm], at: 9)
    #expect(rig.times == [1, 9])
    #expect(rig.gapless == [false, true])
  }

  @Test func `an alarm that the throttle holds back begins no earlier, with its new beat`() {
    let throttled = Self.alarm.with { $0.timing.throttle = .milliseconds(100) }
    var rig = TriggerRig(throttled)
    rig.set([1, 6, 1, 6])
    rig.reload([throttled.with { $0.loop = .init(every: [.milliseconds(10)], limit: .milliseconds(15)) }], at: 9)
    #expect(rig.times == [1])
    rig.advance(to: 101)
    rig.endFade(at: 102)
    rig.endSound(at: 102)
    rig.advance(to: 111)
    rig.advance(to: 1_000)
    #expect(rig.times == [1, 101, 111])
    #expect(rig.stops.map(\.at) == [2, 116])
  }

  @Test func `an alarm over a stale value continues while the value is stale`() {
    let stale = TriggerDefinition.test(name: "stale", when: .stale, loop: .init())
    var rig = TriggerRig(stale)
    rig.set(.number(1), at: 0)
    rig.becomeStale(at: 60)
    rig.reload([stale.with { $0.settings.volume = 0.5 }], at: 70)
    #expect(rig.times == [60, 70])
    #expect(rig.alarm()?.since == Instant(60))
    rig.report(at: 80)
    #expect(rig.stops == [.init(trigger: "stale", at: 70), .init(trigger: "stale", at: 80)])
  }

  @Test func `records name values of the new list alone`() {
    let both = Self.alarm.with { $0.values = [.name("v1"), .v0] }
    var rig = TriggerRig(both)
    rig.set([1, 6])
    rig.reload([Self.alarm], at: 9)
    #expect(rig.alarm()?.life == .active)
    rig.set(.number(7), at: 10)
    let judged = rig.engine.judgedChanges(of: TriggerID(index: 0))
    #expect(judged.map(\.watch) == [0])
    #expect(rig.counters().changes == 2)
  }

  @Test func `its waits are called off, because its trigger begins anew`() {
    let definition = Self.alarm.with {
      $0.values = [.v0, .name("v1")]
      $0.timing.delay = .milliseconds(10)
    }
    var rig = TriggerRig(definition)
    rig.set([1, 6])
    rig.set([(.name("v1"), .number(1))], at: 10)
    rig.set([(.name("v1"), .number(6))], at: 11)
    rig.reload([definition.with { $0.settings.volume = 0.5 }], at: 12)
    #expect(rig.verdicts() == [.appeared, .played, .appeared, .calledOff])
    #expect(rig.engine.nextDeadline == nil)
    #expect(rig.times == [11, 12])
  }
}
