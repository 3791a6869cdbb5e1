import SoundTrigger
import Testing

/// An alarm that lost its voice, or found none, sounds again as soon as there is room.
@Suite struct AlarmVoiceTests {
  private static let alarm = TriggerDefinition.test(above: 5, loop: .init())

  @Test func `a stolen alarm restarts at once and then at most once a second, and spares its equals`() {
    var rig = TriggerRig(Self.alarm)
    rig.set([1, 6])
    rig.endSound(at: 100, 0, .stolen)
    #expect(rig.times == [1, 100])
    rig.endSound(at: 300, 0, .stolen)
    #expect(rig.times == [1, 100])
    #expect(rig.engine.nextDeadline == Instant(1_100))
    rig.advance(to: 1_100)
    rig.endSound(at: 5_000, 0, .stolen)
    #expect(rig.times == [1, 100, 1_100, 5_000])
    #expect(rig.sparing == [false, true, true, true])
    #expect(rig.gapless == [true, true, true, true])
    #expect(rig.verdicts() == [.appeared, .played])
  }

  @Test func `an alarm whose restart is refused waits until a sound ends or is stopped`() {
    let other = TriggerDefinition.test(name: "other", value: .name("v1"), overlap: .restart)
    var rig = TriggerRig(Self.alarm, other)
    rig.set([1, 6])
    rig.set(.number(1), at: 2, name: .name("v1"))
    rig.set(.number(2), at: 3, name: .name("v1"))
    rig.answer = .refused(.crowded)
    rig.endSound(at: 100, 0, .stolen)
    rig.advance(to: 5_000)
    #expect(rig.times == [1, 3, 100])
    rig.answer = .heard
    // A restart of the other trigger stops its sound, and that one fades.
    rig.set(.number(3), at: 6_000, name: .name("v1"))
    #expect(rig.plays.suffix(2).map { "\($0.trigger)\($0.at)" } == ["other6000", "t6000"])
  }

  @Test func `a stolen alarm restarts while an older sound of its trigger still fades`() {
    var rig = TriggerRig(Self.alarm)
    rig.set([1, 6, 1, 7])
    #expect(rig.running.map(\.isStopping) == [true, false])
    rig.endSound(at: 50, 0, .stolen)
    #expect(rig.times == [1, 3, 50])
    #expect(rig.running.map(\.isStopping) == [true, false])
    rig.endFade(at: 60)
    #expect(rig.times == [1, 3, 50])
  }

  @Test func `two alarms on one voice do not steal from each other without end`() {
    var rig = TriggerRig(Self.alarm, Self.alarm.with { $0.name = "u" })
    rig.set([1, 6])
    for time in stride(from: Int64(10), to: 4_000, by: 10) {
      rig.advance(to: time)
      rig.endSound(at: time, 0, .stolen)
      rig.endSound(at: time, 1, .stolen)
    }
    #expect(rig.plays.filter { $0.trigger == "t" }.map(\.at) == [1, 10, 1_010, 2_010, 3_010])
    #expect(rig.plays.filter { $0.trigger == "u" }.count == 5)
  }

  @Test func `an alarm that was stolen from does not restart once its condition has ended`() {
    var rig = TriggerRig(Self.alarm)
    rig.set([1, 6])
    rig.endSound(at: 10, 0, .stolen)
    rig.endSound(at: 20, 0, .stolen)
    rig.set(.number(1), at: 30)
    rig.advance(to: 9_000)
    #expect(rig.times == [1, 10])
    #expect(rig.stops.isEmpty)
    #expect(rig.engine.nextDeadline == nil)
  }

  @Test func `a repeated alarm that was stolen from or refused keeps its beat`() {
    var rig = TriggerRig(.test(above: 5, loop: .init(every: [.milliseconds(100)])))
    rig.set([1, 6])
    rig.endSound(at: 50, 0, .stolen)
    rig.answer = .refused(.crowded)
    rig.advance(to: 101)
    rig.answer = .heard
    rig.advance(to: 201)
    #expect(rig.times == [1, 101, 201])
    #expect(rig.sparing == [false, false, false])
    #expect(rig.counters().dropped == 1)
  }

  @Test func `an alarm that waits for a voice starts unheard if the profile no longer admits it`() {
    var rig = TriggerRig(Self.alarm)
    rig.answer = .refused(.crowded)
    rig.set([1, 6])
    rig.answer = .heard
    rig.setProfile(.quiet, at: 5)
    #expect(rig.verdicts() == [.appeared, .profile(.quiet)])
    rig.tell(.ended(Play(id: PlayID(99), trigger: nil, sound: "s", at: Instant(0)), .finished), at: 6)
    #expect(rig.plays.count == 1)
    rig.setProfile(.full, at: 7)
    #expect(rig.times == [1, 7])
    #expect(rig.verdicts() == [.appeared, .played])
  }
}
