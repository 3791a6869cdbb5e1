import Testing

@testable import SoundTrigger

/// What an alarm plays if its own sound cannot be played.
struct AlarmSubstituteTests {
  private static let shipped = "shipped alarm"

  private static func rig(
    _ sound: SoundChoice = .sound("ding"), every: [Duration] = [], escalation: [TriggerDefinition.Escalation] = [],
    importance: PlaySettings.Importance = .critical
  ) -> TriggerRig {
    var definition = TriggerDefinition.test(
      above: 5, loop: .init(every: every, escalation: escalation), importance: importance)
    definition.sound = sound
    return TriggerRig(definition)
  }

  private static func missing(
    broken: Set<String> = [], kept: Set<String> = [], disabled: Set<String> = [], substitute: String? = shipped
  ) -> MissingSounds {
    var missing = MissingSounds(broken: broken)
    (missing.kept, missing.disabled, missing.substitute) = (kept, disabled, substitute)
    return missing
  }

  @Test func `without a sound of its own it plays the shipped one, and says so`() {
    var rig = Self.rig()
    rig.setMissing(Self.missing(broken: ["ding"]), at: 0)
    rig.set([1, 6])
    #expect(rig.plays.map(\.sound) == [Self.shipped])
    #expect(rig.alarm()?.substitute == AlarmSubstitute(missing: "ding", sound: Self.shipped))
    #expect(rig.alarm()?.silence == nil)
    // It returns to its own as soon as that can be played.
    rig.setMissing(Self.missing(), at: 5)
    #expect(rig.plays.map(\.sound) == [Self.shipped, "ding"])
    #expect(rig.alarm()?.substitute == nil)
  }

  @Test func `a step of the escalation that is broken keeps the sound before`() {
    var rig = Self.rig(escalation: [.init(after: .milliseconds(100), sound: "siren")])
    rig.setMissing(Self.missing(broken: ["siren"]), at: 0)
    rig.set([1, 6])
    rig.advance(to: 101)
    #expect(rig.plays.map(\.sound) == ["ding", "ding"])
    #expect(rig.alarm()?.substitute == AlarmSubstitute(missing: "siren", sound: "ding"))
  }

  @Test func `a row of a table that is broken takes what sounded last, then another row`() {
    let table = SoundChoice.table([.number(6): "six", .number(7): "seven", .number(8): "eight"], otherwise: nil)
    var rig = Self.rig(table)
    rig.setMissing(Self.missing(broken: ["seven"]), at: 0)
    rig.set([1, 6, 7])
    #expect(rig.plays.map(\.sound) == ["six", "six"])
    var other = Self.rig(table)
    other.setMissing(Self.missing(broken: ["seven", "six"]), at: 0)
    other.set([1, 7])
    #expect(other.plays.map(\.sound) == ["eight"])
  }

  @Test func `a damaged file is repeated as it was`() {
    var rig = Self.rig(every: [.milliseconds(100)])
    rig.set([1, 6])
    rig.endSound(at: 50)
    rig.setMissing(Self.missing(broken: ["ding"], kept: ["ding"]), at: 60)
    rig.advance(to: 101)
    #expect(rig.plays.map(\.sound) == ["ding", "ding"])
    #expect(rig.alarm()?.substitute == AlarmSubstitute(missing: "ding", sound: "ding"))
  }

  @Test func `of a list it plays those that can be played`() {
    var rig = Self.rig(.list(["a", "b", "c"], .random), every: [.milliseconds(10)])
    rig.setMissing(Self.missing(broken: ["a", "c"]), at: 0)
    rig.set([1, 6])
    for time in stride(from: Int64(11), to: 100, by: 10) {
      rig.endSound(at: time - 1)
      rig.advance(to: time)
    }
    #expect(Set(rig.plays.map(\.sound)) == ["b"])
  }

  @Test func `what a theme silences is silent, unless the alarm is critical`() {
    for importance in [PlaySettings.Importance.high, .critical] {
      var rig = Self.rig(importance: importance)
      rig.setMissing(Self.missing(disabled: ["ding"]), at: 0)
      rig.set([1, 6])
      #expect(rig.plays.map(\.sound) == [importance == .critical ? Self.shipped : "ding"])
    }
  }

  @Test func `any other trigger plays nothing instead`() {
    var rig = TriggerRig(.test(above: 5))
    rig.setMissing(Self.missing(broken: ["ding"], kept: ["ding"]), at: 0)
    rig.set([1, 6])
    #expect(rig.plays.isEmpty)
    #expect(rig.verdict == .broken)
  }

  // MARK: A missing device

  @Test func `an alarm that no device took says nothing of voices, and sounds as soon as there is one`() {
    var rig = Self.rig(every: [.seconds(60)])
    rig.answer = .refused(.noDevice)
    rig.set([1, 6])
    for second in 1...5 {
      rig.advance(to: Int64(second) * 1000 + 1)
      #expect(rig.alarm()?.silence == nil && rig.alarm()?.life == .active)
    }
    rig.engine.removeChangedAlarms()
    rig.advance(to: 10_001)
    #expect(rig.engine.changedAlarms.isEmpty)
    rig.answer = .heard
    rig.returnDevice(at: 10_500)
    #expect(rig.times.last == 10_500)
  }
}
