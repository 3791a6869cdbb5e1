import SoundTrigger
import Testing

@Suite struct TriggerLoopTests {
  @Test func `sounds until the condition ends`() {
    Marbles(to: [.utf8("B")], loop: true).expect(
      values: "A-B---C---B--",
      plays: "--B-------B--",
      stops: "------|------")
  }

  @Test func `one sound without a gap, not one after the other`() {
    var rig = TriggerRig(.test(above: 5, loop: .init()))
    rig.set([1, 6, 7, 8])
    #expect(rig.gapless == [true])
    #expect(rig.verdicts() == [.appeared, .played, .notArmed, .notArmed])
    #expect(rig.activity() == TriggerActivity(state: .looping))
  }

  @Test func `goes on while the number has not gone back by the hysteresis`() {
    Marbles(above: 5, hysteresis: 2, loop: true).expect(
      values: "1-6-4-7-3-6--",
      plays: "--6-------6--",
      stops: "--------|----")
  }

  @Test func `a number that begins beyond the line waits to be armed`() {
    Marbles(above: 5, loop: true).expect(
      values: "7-8-4-6--",
      plays: "------6--")
  }

  @Test func `ends when it is cancelled, and begins again with the next change that fires`() {
    Marbles(to: [.utf8("B"), .utf8("C")], loop: true).expect(
      values: "A-B---C---",
      cancel: "----c-----",
      plays: "--B---C---",
      stops: "----|-----")
  }

  @Test func `goes on while any of its values that fired keeps it`() {
    Marbles(to: [.utf8("B")], loop: true).expect(
      values: "A-B---A------",
      others: "A---B---A----",
      plays: "--B----------",
      stops: "--------|----")
    // A value that holds, but appeared so and never fired, keeps nothing.
    Marbles(to: [.utf8("B")], loop: true).expect(
      values: "A-B---A------",
      others: "B------------",
      plays: "--B----------",
      stops: "------|------")
  }

  @Test func `loop_every repeats it from beginning to beginning`() {
    Marbles(to: [.utf8("B")], every: 3, length: 1).expect(
      values: "A-B------C---",
      plays: "--B--B--B----")
    Marbles(to: [.utf8("B")], every: 3, length: 2).expect(
      values: "A-B------C---",
      plays: "--B--B--B----",
      stops: "---------|---")
  }

  @Test func `a repetition is left out while the sound still runs`() {
    Marbles(to: [.utf8("B")], every: 2, length: 3).expect(
      values: "A-B---------",
      plays: "--B---B---B-")
  }

  @Test func `loop_limit gives up, and the next change that fires begins anew`() {
    Marbles(to: [.utf8("B")], limit: 4).expect(
      values: "A-B-----A-B--",
      plays: "--B-------B--",
      stops: "------|------")
    Marbles(above: 5, every: 2, limit: 6, length: 1).expect(
      values: "4-6------7-4-6-",
      plays: "--6-6-6------6-")
  }

  @Test func `further changes begin nothing`() {
    var rig = TriggerRig(.test(to: [.number(2), .number(3)], throttle: .milliseconds(1), loop: .init()))
    rig.set([1, 2, 3, 2])
    #expect(rig.verdicts() == [.appeared, .played, .alreadyLooping, .alreadyLooping])
    #expect(rig.plays.count == 1)
  }

  @Test func `the throttle counts from its beginning`() {
    Marbles(to: [.utf8("B")], throttle: 5, loop: true).expect(
      values: "A-BA-BA-BA--",
      plays: "--B-----B---",
      stops: "---|-----|--")
    var rig = TriggerRig(.test(to: [.number(2)], throttle: .seconds(5), loop: .init(every: .seconds(1))))
    rig.set([1, 2])
    rig.endSound(at: 500)
    rig.advance(to: 2_000)
    #expect(rig.times == [1, 1_001])
    #expect(rig.engine.lastPlay(of: TriggerID(index: 0)) == Instant(1))
    #expect(rig.counters().played == 2)
    #expect(rig.counters().lastPlay == Instant(1_001))
  }

  @Test func `waits for a delay before it begins`() {
    Marbles(to: [.utf8("B")], delay: 2, loop: true).expect(
      values: "A-B-----A-BA--",
      plays: "----B---------",
      stops: "--------|-----")
  }

  @Test func `is begun again if it had to make way, at once and then once a second`() {
    var rig = TriggerRig(.test(above: 5, loop: .init()))
    rig.set([1, 6])
    rig.endSound(at: 100)
    #expect(rig.times == [1, 100])
    rig.endSound(at: 300)
    #expect(rig.engine.nextDeadline == Instant(1_100))
    rig.advance(to: 1_100)
    rig.endSound(at: 5_000)
    #expect(rig.times == [1, 100, 1_100, 5_000])
    #expect(rig.gapless == [true, true, true, true])
    // It waits for its turn when the condition ends.
    rig.endSound(at: 5_001)
    rig.set(.number(1), at: 5_002)
    rig.advance(to: 9_000)
    #expect(rig.times.count == 4)
    #expect(rig.stops.isEmpty)
  }

  @Test func `the end of what it stopped itself is not taken for the end of what it began since`() {
    var rig = TriggerRig(.test(to: [.number(2)], loop: .init()))
    rig.set([1, 2, 1, 2])
    #expect(rig.times == [1, 3])
    rig.endSound(at: 10)
    #expect(rig.times == [1, 3])
    rig.endSound(at: 20)
    #expect(rig.times == [1, 3, 20])
  }

  @Test(arguments: [Verdict.broken, .crowded, .noDevice])
  func `is tried again when somebody says so, if it could not begin`(answer: Verdict) {
    var rig = TriggerRig(.test(above: 5, throttle: .milliseconds(100), loop: .init()))
    rig.answer = answer
    rig.set([1, 6])
    #expect(rig.verdict == answer)
    #expect(rig.activity() == TriggerActivity(state: .looping))
    rig.retryLoops(at: 10)
    #expect(rig.verdict == answer)
    rig.answer = .played
    rig.retryLoops(at: 20)
    rig.retryLoops(at: 30)
    #expect(rig.times == [1, 10, 20])
    #expect(rig.verdicts() == [.appeared, .played])
    #expect(rig.counters().played == 1)
    #expect(rig.engine.lastPlay(of: TriggerID(index: 0)) == Instant(20))
  }

  @Test func `what was refused and is over is not tried again`() {
    var rig = TriggerRig(.test(above: 5, loop: .init()))
    rig.answer = .broken
    rig.set([1, 6, 1])
    rig.answer = .played
    rig.retryLoops(at: 20)
    #expect(rig.verdicts() == [.appeared, .broken, .outside])
  }

  @Test func `a value that appears anew ends it unless the condition still holds`() {
    for (content, isOver) in [(7.0, false), (2.0, true)] {
      var rig = TriggerRig(.test(above: 5, loop: .init()))
      rig.set([1, 6])
      rig.appear(.number(content), at: 10)
      #expect(rig.stops.isEmpty != isOver)
    }
  }

  @Test func `a text that stops matching ends it`() throws {
    var definition = TriggerDefinition.test(loop: .init())
    definition.matches = try Pattern("^err")
    var rig = TriggerRig(definition)
    for (time, text) in ["fine", "err 1", "err 2", "fine"].enumerated() { rig.set(.utf8(text), at: Int64(time)) }
    #expect(rig.times == [1])
    #expect(rig.stops == [.init(trigger: "t", at: 3)])
  }
}
