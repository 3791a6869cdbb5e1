import SoundTrigger
import Testing

/// Only what was heard counts for the throttle; a play that is starting counts until that is known.
@Suite struct UnheardThrottleTests {
  private func lastPlay(_ rig: TriggerRig) -> Instant? { rig.engine.lastPlay(of: TriggerID(index: 0)) }

  /// A play at 1 ms that was stopped at 5 ms, before a device took it.
  private func stoppedRig(_ definition: TriggerDefinition) -> TriggerRig {
    var rig = TriggerRig(definition)
    rig.answer = .later
    rig.set([1, 2])
    rig.callOff(at: 5)
    return rig
  }

  @Test func `a play that was stopped before it was heard does not count`() {
    var rig = stoppedRig(.test(throttle: .milliseconds(100)))
    #expect(lastPlay(rig) == Instant(1))
    rig.set(.number(3), at: 6)
    #expect(rig.verdict == .throttled(for: .milliseconds(95)))
    rig.tell(.ended(rig.running[0].play, .cancelled), at: 7)
    #expect(lastPlay(rig) == nil)
    rig.set(.number(4), at: 8)
    #expect(rig.times == [1, 8])
  }

  @Test func `a play that was heard and then stopped counts`() {
    var rig = TriggerRig(.test(throttle: .milliseconds(100)))
    rig.set([1, 2])
    rig.callOff(at: 5)
    rig.endFade(at: 6)
    #expect(lastPlay(rig) == Instant(1))
    rig.set(.number(3), at: 8)
    #expect(rig.times == [1])
  }

  @Test func `a play that was muted counts, because a device took it`() {
    var rig = TriggerRig(.test(throttle: .milliseconds(100)))
    rig.answer = .muted
    rig.set([1, 2])
    rig.set(.number(3), at: 8)
    #expect(rig.times == [1])
  }

  @Test(arguments: [PlayEvent.Refusal.noDevice, .crowded])
  func `a loop that an unheard play held back begins as soon as that is known`(refusal: PlayEvent.Refusal) {
    let definition = TriggerDefinition.test(above: 5, throttle: .seconds(30), loop: .init())
    for isRefused in [false, true] {
      var rig = TriggerRig(definition)
      rig.answer = .later
      rig.set([1, 6, 1, 7])
      #expect(rig.verdict == .throttled(for: .milliseconds(29_998)))
      let play = rig.running[0].play
      rig.answer = .heard
      rig.tell(isRefused ? .refused(play, refusal) : .ended(play, .cancelled), at: 20)
      #expect(rig.times == [1, 20])
      #expect(rig.activity().state == .looping)
      #expect(rig.verdict == .played)
      // It counts from this beginning.
      #expect(lastPlay(rig) == Instant(20))
    }
  }

  @Test func `a loop that an earlier play holds back, too, begins when that one's interval ends`() {
    var rig = TriggerRig(.test(above: 5, throttle: .milliseconds(100), loop: .init()))
    rig.set([1, 6, 1])
    rig.endFade(at: 4)
    rig.answer = .later
    rig.set([7, 1, 8], from: 101)
    let play = rig.running[0].play
    #expect(rig.engine.nextDeadline == Instant(201))
    rig.answer = .heard
    rig.tell(.ended(play, .cancelled), at: 110)
    #expect(rig.times == [1, 101, 110])
  }

  @Test func `a loop that was acknowledged meanwhile does not begin`() {
    var rig = TriggerRig(.test(above: 5, throttle: .seconds(30), loop: .init()))
    rig.answer = .later
    rig.set([1, 6, 1, 7])
    rig.callOff(at: 10)
    rig.tell(.ended(rig.running[0].play, .cancelled), at: 20)
    rig.advance(to: 60_000)
    #expect(rig.times == [1])
  }
}
