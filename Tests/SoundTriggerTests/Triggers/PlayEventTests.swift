import SoundTrigger
import Testing

/// What a trigger makes of what became of its plays.
@Suite struct PlayEventTests {
  private func play(_ rig: TriggerRig, _ place: Int = 0) -> Play { rig.running[place].play }

  @Test func `a play is starting until a device has accepted it`() {
    var rig = TriggerRig(.test())
    rig.answer = .later
    rig.set([1, 2])
    #expect(rig.verdicts() == [.appeared, .starting])
    #expect(rig.verdict == .starting)
    #expect(rig.counters().played == 0)
    #expect(rig.counters().lastPlay == nil)
    #expect(rig.activity() == TriggerActivity(state: .sounding))
    rig.answer(.heard, to: play(rig), at: 40)
    #expect(rig.verdicts() == [.appeared, .played])
    #expect(rig.verdict == .played)
    #expect(rig.counters().played == 1)
    #expect(rig.counters().lastPlay == Instant(1))
  }

  @Test func `each play settles the record of its own change`() {
    var rig = TriggerRig(.test())
    rig.answer = .later
    rig.set([0, 1, 2, 3])
    let (first, second, third) = (play(rig, 0), play(rig, 1), play(rig, 2))
    rig.answer(.muted, to: second, at: 10)
    #expect(rig.verdicts() == [.appeared, .starting, .muted, .starting])
    rig.answer(.refused(.crowded), to: first, at: 11)
    #expect(rig.verdict == .starting)
    rig.answer(.heard, to: third, at: 12)
    #expect(rig.verdicts() == [.appeared, .crowded, .muted, .played])
    #expect(rig.verdict == .played)
    #expect(rig.counters().played == 2)
    #expect(rig.counters().dropped == 1)
  }

  @Test(arguments: [
    (PlayEvent.Refusal.crowded, Verdict.crowded, 1), (.noDevice, .noDevice, 1), (.broken, .broken, 0),
    (.ending, .ending, 0),
  ])
  func `a refused play counts for nothing but its verdict`(
    refusal: PlayEvent.Refusal, verdict: Verdict, dropped: Int
  ) {
    var rig = TriggerRig(.test(throttle: .milliseconds(10)))
    rig.set([0, 1])
    rig.answer = .later
    rig.set(.number(2), at: 20)
    #expect(rig.engine.lastPlay(of: TriggerID(index: 0)) == Instant(20))
    rig.answer(.refused(refusal), to: play(rig, 1), at: 22)
    #expect(rig.verdicts() == [.appeared, .played, verdict])
    #expect(rig.verdict == verdict)
    #expect(rig.counters().played == 1)
    #expect(rig.counters().lastPlay == Instant(1))
    #expect(rig.counters().dropped == dropped)
    #expect(rig.engine.lastPlay(of: TriggerID(index: 0)) == Instant(1))
    rig.set(.number(3), at: 23)
    #expect(rig.times == [1, 20, 23])
  }

  @Test func `a refused play leaves the throttle to a later play that is under way`() {
    var rig = TriggerRig(.test(throttle: .milliseconds(10)))
    rig.answer = .later
    rig.set([0, 1])
    rig.set(.number(2), at: 11)
    let (first, second) = (play(rig, 0), play(rig, 1))
    rig.answer(.refused(.noDevice), to: first, at: 12)
    #expect(rig.engine.lastPlay(of: TriggerID(index: 0)) == Instant(11))
    rig.answer(.refused(.noDevice), to: second, at: 13)
    #expect(rig.engine.lastPlay(of: TriggerID(index: 0)) == nil)
    rig.set(.number(3), at: 14)
    #expect(rig.times == [1, 11, 14])
  }

  @Test func `of two plays of one instant the refused one leaves the throttle to the other`() {
    var rig = TriggerRig(.test())
    rig.answer = .later
    rig.set(.number(0), at: 0)
    rig.set(.number(1), at: 5)
    rig.set(.number(2), at: 5)
    rig.answer(.refused(.crowded), to: play(rig), at: 6)
    #expect(rig.engine.lastPlay(of: TriggerID(index: 0)) == Instant(5))
  }

  @Test func `refused plays of a queue leave the throttle where it was before them`() {
    var rig = TriggerRig(.test(throttle: .milliseconds(10), overlap: .queue))
    rig.answer = .later
    rig.set([0, 1])
    rig.set(.number(2), at: 11)
    rig.answer(.refused(.crowded), to: play(rig), at: 12)
    #expect(rig.times == [1, 12])
    #expect(rig.engine.lastPlay(of: TriggerID(index: 0)) == Instant(11))
    rig.answer(.refused(.crowded), to: play(rig), at: 13)
    #expect(rig.verdicts() == [.appeared, .crowded, .crowded])
    #expect(rig.engine.lastPlay(of: TriggerID(index: 0)) == nil)
  }

  @Test func `a play that ends before a device accepted it was called off`() {
    var rig = TriggerRig(.test(cancel: .name("v1")))
    rig.answer = .later
    rig.set([1, 2])
    rig.callOff(at: 5)
    #expect(rig.verdict == .starting)
    rig.endFade(at: 6)
    #expect(rig.verdicts() == [.appeared, .cancelled])
    #expect(rig.verdict == .cancelled)
    #expect(rig.counters().played == 0)
  }

  @Test func `the end of a play that was heard leaves its verdict`() {
    for ending in [PlayEvent.Ending.finished, .stopped(by: .hand), .stolen] {
      var rig = TriggerRig(.test())
      rig.set([1, 2])
      rig.endSound(at: 5, 0, ending)
      #expect(rig.verdicts() == [.appeared, .played])
      #expect(rig.activity() == TriggerActivity(state: .resting))
    }
  }

  @Test func `events of another trigger's play change nothing`() {
    var rig = TriggerRig(.test(name: "a"), .test(name: "b", value: .name("v1"), overlap: .ignore))
    rig.answer = .later
    rig.set([1, 2])
    rig.set(.number(1), at: 2, name: .name("v1"))
    rig.set(.number(2), at: 3, name: .name("v1"))
    let a = play(rig, 0)
    rig.answer(.heard, to: a, at: 4)
    rig.tell(.ended(a, .finished), at: 5)
    #expect(rig.verdicts(1) == [.appeared, .starting])
    #expect(rig.activity(1) == TriggerActivity(state: .sounding))
    #expect(rig.counters(1).played == 0)
    #expect(rig.activity(0) == TriggerActivity(state: .resting))
  }

  @Test func `events of the play of an old definition change nothing`() {
    let old = TriggerDefinition.test(overlap: .ignore)
    for event in [
      { PlayEvent.heard($0, isMuted: false) }, { .refused($0, .noDevice) }, { .ended($0, .finished) },
    ] as [(Play) -> PlayEvent] {
      var rig = TriggerRig(old)
      rig.answer = .later
      rig.set([1, 2])
      let play = play(rig)
      rig.reload([old.with { $0.sound = .sound("dong") }], at: 3)
      rig.set(.number(3), at: 4)
      rig.tell(event(play), at: 5)
      #expect(rig.verdicts() == [.appeared, .starting])
      #expect(rig.counters() == rig.engine.counters(of: TriggerID(index: 0)))
      #expect(rig.counters().played == 0)
      #expect(rig.counters().dropped == 0)
      #expect(rig.activity() == TriggerActivity(state: .sounding))
    }
  }

  @Test func `a play by hand is no trigger's play, and its end frees a voice`() {
    var rig = TriggerRig(.test(above: 5, loop: .init()))
    rig.answer = .refused(.crowded)
    rig.set([1, 6])
    rig.answer = .heard
    let byHand = Play(id: rig.engine.makePlayID(), trigger: nil, sound: "ding", at: Instant(0))
    rig.tell(.heard(byHand, isMuted: false), at: 2)
    #expect(rig.counters().played == 0)
    rig.tell(.ended(byHand, .finished), at: 7)
    #expect(rig.times == [1, 7])
  }

  @Test func `a wait that ends together with the last sound is decided after that end`() {
    Marbles(delay: 2, overlap: .ignore, length: 3).expect(
      values: "A-BC-------",
      plays: "----B------")
    var rig = TriggerRig(.test(debounce: .milliseconds(10), overlap: .ignore))
    rig.set([0, 1])
    rig.advance(to: 11)
    rig.set(.number(2), at: 20)
    rig.endSound(at: 30)
    rig.advance(to: 30)
    #expect(rig.times == [11, 30])
    // A change at that instant plays as well.
    rig.endSound(at: 40)
    var immediate = TriggerRig(.test(overlap: .ignore))
    immediate.set([0, 1])
    immediate.endSound(at: 30)
    immediate.set(.number(2), at: 30)
    #expect(immediate.times == [1, 30])
  }

  @Test func `what was due before the end of a sound is decided before it`() {
    var rig = TriggerRig(.test(debounce: .milliseconds(10), overlap: .ignore))
    rig.set([0, 1])
    rig.advance(to: 11)
    rig.set(.number(2), at: 20)
    rig.endSound(at: 31)
    #expect(rig.times == [11])
    #expect(rig.verdict == .stillSounding)
  }
}
