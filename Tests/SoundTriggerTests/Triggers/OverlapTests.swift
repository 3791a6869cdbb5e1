import SoundTrigger
import Testing

@Suite struct OverlapTests {
  @Test func `mix plays over what still runs`() {
    Marbles(overlap: .mix, length: 4).expect(
      values: "A-BC--D---",
      plays: "--BC--D---")
  }

  @Test func `restart ends what still runs`() {
    Marbles(overlap: .restart, length: 4).expect(
      values: "A-BC------D--",
      plays: "--BC------D--",
      stops: "---|---------")
  }

  @Test func `ignore leaves out what comes while its sound runs`() {
    Marbles(overlap: .ignore, length: 4).expect(
      values: "A-BC-DE--",
      plays: "--B---E--")
  }

  @Test func `queue plays one after the other`() {
    Marbles(overlap: .queue, length: 3).expect(
      values: "A-BCD---------E--",
      plays: "--B--C--D-----E--")
  }

  @Test func `a sound that was ended makes way like one that ended`() {
    Marbles(overlap: .queue, length: 9).expect(
      values: "A-BC-----",
      ends: "-----x---",
      plays: "--B--C---")
    Marbles(overlap: .ignore, length: 9).expect(
      values: "A-BC-D---",
      ends: "----x----",
      plays: "--B--D---")
  }

  @Test func `what was ignored starts no interval of the throttle`() {
    Marbles(throttle: 4, overlap: .ignore, length: 5).expect(
      values: "A-B---CD-",
      plays: "--B----D-")
  }

  @Test func `the throttle counts from when a play joins the queue`() {
    Marbles(throttle: 3, overlap: .queue, length: 6).expect(
      values: "A-B--CD-E-------------",
      plays: "--B-----C-----E-------")
  }

  @Test func `sixteen wait, and no more`() {
    var rig = TriggerRig(.test(overlap: .queue))
    rig.set((0...18).map { Double($0) })
    #expect(rig.verdicts() == [.appeared, .played] + (1...16).map { .queued(position: $0) } + [.queueFull])
    #expect(rig.activity() == TriggerActivity(state: .sounding, queued: 16))
    for time in 100..<120 { rig.endSound(at: Int64(time)) }
    #expect(rig.times == [1] + (100..<116).map { Int64($0) })
    #expect(rig.verdicts() == [.appeared] + Array(repeating: .played, count: 17) + [.queueFull])
    #expect(rig.activity() == TriggerActivity(state: .resting))
    #expect(rig.counters().played == 17)
  }

  @Test func `a queued play keeps the sound of the value that began it`() {
    var rig = TriggerRig(
      .test(sound: .table([.number(2): "two", .number(3): "three"], otherwise: nil), overlap: .queue))
    rig.set([1, 2, 3, 2])
    rig.endSound(at: 10)
    rig.endSound(at: 20)
    #expect(rig.sounds == ["two", "three", "two"])
  }

  @Test func `what can not be played makes way for the next`() {
    var rig = TriggerRig(.test(overlap: .queue))
    rig.set([0, 1, 2, 3])
    rig.setBroken(["ding"], at: 5)
    rig.endSound(at: 10)
    #expect(rig.verdicts() == [.appeared, .played, .broken, .broken])
    #expect(rig.activity() == TriggerActivity(state: .resting))
    rig.setBroken([], at: 15)
    rig.set(.number(4), at: 20)
    #expect(rig.verdict == .played)
  }

  @Test func `a refused play is no play`() {
    var rig = TriggerRig(.test(throttle: .milliseconds(10), overlap: .ignore))
    rig.set(.number(0), at: 0)
    rig.answer = .refused(.crowded)
    rig.set(.number(1), at: 1)
    #expect(rig.verdict == .crowded)
    #expect(rig.counters().played == 0)
    #expect(rig.engine.lastPlay(of: TriggerID(index: 0)) == nil)
    rig.answer = .muted
    rig.set(.number(2), at: 2)
    #expect(rig.verdict == .muted)
    #expect(rig.counters().played == 1)
    #expect(rig.engine.lastPlay(of: TriggerID(index: 0)) == Instant(2))
  }

  @Test func `counts the sounds of all its values together`() {
    Marbles(overlap: .ignore, length: 4).expect(
      values: "A-B----",
      others: "A--C--D",
      plays: "--B---D")
  }

  @Test func `an end that nobody began changes nothing`() {
    var rig = TriggerRig(.test(overlap: .ignore))
    rig.endSound(at: 0)
    rig.set([1, 2, 3])
    #expect(rig.times == [1])
  }

  @Test(arguments: [TriggerDefinition.Overlap.ignore, .queue, .restart])
  func `a sound that was stopped and fades counts nothing`(overlap: TriggerDefinition.Overlap) {
    var rig = TriggerRig(.test(overlap: overlap))
    rig.set([1, 2])
    rig.callOff(at: 5)
    rig.set(.number(3), at: 6)
    #expect(rig.times == [1, 6])
    #expect(rig.stops.count == 1)
    #expect(rig.running.map(\.isStopping) == [true, false])
    // Its end frees nothing, the end of the other does.
    rig.endFade(at: 7)
    rig.set(.number(4), at: 8)
    #expect(rig.times == (overlap == .restart ? [1, 6, 8] : [1, 6]))
  }

  @Test func `a queue that was emptied leaves the throttle to the play that sounded`() {
    var rig = TriggerRig(.test(throttle: .milliseconds(10), overlap: .queue))
    rig.set([0, 1])
    rig.set(.number(2), at: 11)
    #expect(rig.engine.lastPlay(of: TriggerID(index: 0)) == Instant(11))
    rig.callOff(at: 12)
    #expect(rig.engine.lastPlay(of: TriggerID(index: 0)) == Instant(1))
  }
}
