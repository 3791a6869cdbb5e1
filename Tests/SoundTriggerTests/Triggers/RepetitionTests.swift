import SoundTrigger
import Testing

/// However late a loop is repeated, nothing is made up for.
@Suite struct RepetitionTests {
  private static let hour: Int64 = 3_600_000

  /// A loop whose sound has always ended before the next repetition, and that is never too late for `fresh`.
  private func loop(every: [Duration], fresh: Duration = TriggerDefinition.longestInterval) -> TriggerRig {
    var rig = TriggerRig(.test(above: 5, loop: .init(every: every), fresh: fresh))
    rig.set([1, 6])
    rig.endSound(at: 1)
    return rig
  }

  @Test(arguments: [Duration.zero, .milliseconds(500), TriggerDefinition.longestInterval])
  func `after eight hours of sleep a loop of 1 ms sounds once and continues from there`(fresh: Duration) {
    var rig = loop(every: [.milliseconds(1)], fresh: fresh)
    let end = 8 * Self.hour
    rig.advance(to: end)
    #expect(rig.times == [1, end])
    rig.endSound(at: end)
    #expect(rig.engine.nextDeadline == Instant(end + 1))
    rig.advance(to: end + 1)
    #expect(rig.times == [1, end, end + 1])
  }

  @Test func `in a day of late wake-ups each sounds at most once`() {
    var rig = loop(every: [.milliseconds(1)])
    var random = TestRandom(state: 7)
    var (time, wakeUps) = (Int64(1), 0)
    while time < 24 * Self.hour {
      time += Int64(1 + random.below(20_000))
      let before = rig.times.count
      rig.advance(to: time)
      wakeUps += 1
      #expect(rig.times.count == before + 1)
      rig.endSound(at: time)
    }
    #expect(wakeUps > 8_000)
    #expect(rig.times.count == wakeUps + 1)
    #expect((rig.engine.nextDeadline ?? Instant(0)) > Instant(time))
  }

  @Test func `while the sound still runs the missed repetitions cost one step`() {
    var rig = TriggerRig(
      .test(above: 5, loop: .init(every: [.milliseconds(1)]), fresh: TriggerDefinition.longestInterval))
    rig.set([1, 6])
    rig.advance(to: 24 * Self.hour)
    #expect(rig.times == [1])
    #expect(rig.engine.nextDeadline == Instant(24 * Self.hour + 1))
  }

  @Test func `a repetition that is late by less than an interval keeps its beat`() {
    var rig = loop(every: [.milliseconds(100)])
    rig.advance(to: 160)
    #expect(rig.times == [1, 101])
    rig.endSound(at: 170)
    rig.advance(to: 201)
    #expect(rig.times == [1, 101, 201])
  }

  @Test func `the pause counts from the sound at the end of a silence`() {
    let gate = ValueName.name("v8")
    let every = TriggerDefinition.Loop(every: [.milliseconds(100)])
    var rig = TriggerRig(.test(above: 5, unless: [gate], loop: every))
    rig.set(.bool(true), at: 0, name: gate)
    rig.set([1, 6])
    rig.set(.bool(false), at: 100, name: gate)
    rig.endSound(at: 100)
    rig.advance(to: 199)
    #expect(rig.times == [100])
    rig.advance(to: 200)
    rig.endSound(at: 200)
    rig.snooze(until: 350, at: 210)
    rig.advance(to: 449)
    rig.endSound(at: 449)
    #expect(rig.times == [100, 200, 350])
    rig.setProfile(.silent, at: 449)
    rig.setProfile(.full, at: 530)
    rig.endSound(at: 530)
    rig.advance(to: 630)
    #expect(rig.times == [100, 200, 350, 530, 630])
  }

  @Test func `one that is late by an interval continues from now`() {
    var rig = loop(every: [.milliseconds(100)])
    rig.advance(to: 201)
    #expect(rig.times == [1, 201])
    rig.endSound(at: 210)
    rig.advance(to: 300)
    #expect(rig.times == [1, 201])
    rig.advance(to: 301)
    #expect(rig.times == [1, 201, 301])
  }
}
