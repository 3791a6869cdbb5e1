import SoundTrigger
import Testing

/// When an alarm begins and ends, and how it sounds meanwhile.
@Suite struct AlarmTests {
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

  @Test func `falls silent when it is cancelled, and begins anew when its condition does`() {
    Marbles(to: [.utf8("B"), .utf8("C")], loop: true).expect(
      values: "A-B---C-A-C-",
      cancel: "----c-------",
      plays: "--B-------C-",
      stops: "----|-------")
  }

  @Test func `goes on while any of its values meets the condition`() {
    Marbles(to: [.utf8("B")], loop: true).expect(
      values: "A-B---A------",
      others: "A---B---A----",
      plays: "--B----------",
      stops: "--------|----")
    // One that held when it appeared, although it begins nothing.
    Marbles(to: [.utf8("B")], loop: true).expect(
      values: "A-B---A------",
      others: "B--------A---",
      plays: "--B----------",
      stops: "---------|---")
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

  @Test func `loop_limit acknowledges it, and it begins anew when its condition does`() {
    Marbles(to: [.utf8("B")], limit: 4).expect(
      values: "A-B-----A-B--",
      plays: "--B-------B--",
      stops: "------|------")
    Marbles(above: 5, every: 2, limit: 6, length: 1).expect(
      values: "4-6------7-4-6-",
      plays: "--6-6-6------6-")
  }

  @Test func `an alarm whose limit and condition end at one instant ends once`() {
    var rig = TriggerRig(.test(above: 5, loop: .init(limit: .milliseconds(10))))
    rig.set([1, 6])
    rig.set(.number(1), at: 11)
    rig.callOff(at: 11)
    #expect(rig.stops == [.init(trigger: "t", at: 11)])
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
    var rig = TriggerRig(.test(to: [.number(2)], throttle: .seconds(5), loop: .init(every: [.seconds(1)])))
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

  @Test func `the end of what it stopped itself is not taken for the end of what it began since`() {
    var rig = TriggerRig(.test(to: [.number(2)], loop: .init()))
    rig.set([1, 2, 1, 2])
    #expect(rig.times == [1, 3])
    rig.endFade(at: 10)
    #expect(rig.times == [1, 3])
    rig.endSound(at: 20)
    #expect(rig.times == [1, 3, 20])
  }

  @Test func `an alarm whose sound is broken begins when the sound heals`() {
    var rig = TriggerRig(.test(above: 5, throttle: .milliseconds(100), loop: .init()))
    rig.setBroken(["ding", "dong"], at: 0)
    rig.set([1, 6])
    #expect(rig.verdict == .broken)
    #expect(rig.activity() == TriggerActivity(state: .looping))
    rig.setBroken(["ding"], at: 10)
    #expect(rig.verdict == .broken)
    rig.setBroken([], at: 20)
    rig.setBroken([], at: 30)
    #expect(rig.times == [20])
    #expect(rig.verdicts() == [.appeared, .played])
    #expect(rig.counters().played == 1)
    #expect(rig.engine.lastPlay(of: TriggerID(index: 0)) == Instant(20))
  }

  @Test(arguments: [(PlayEvent.Refusal.crowded, Verdict.crowded, Int64(1_500)), (.noDevice, .noDevice, 1_150)])
  func `an alarm that was refused at its beginning begins when there is room`(
    refusal: PlayEvent.Refusal, verdict: Verdict, beginning: Int64
  ) {
    let other = TriggerDefinition.test(name: "other", value: .name("v1"))
    var rig = TriggerRig(.test(above: 5, throttle: .milliseconds(100), loop: .init()), other)
    rig.set([1, 6], from: -1)
    rig.set(.number(1), at: 1, name: .name("v1"))
    rig.set(.number(1), at: 1)
    rig.set(.number(2), at: 2, name: .name("v1"))
    rig.answer = .refused(refusal)
    rig.set(.number(6), at: 150)
    #expect(rig.verdict == verdict)
    #expect(rig.activity() == TriggerActivity(state: .looping))
    #expect(rig.engine.lastPlay(of: TriggerID(index: 0)) == Instant(0))
    rig.answer = .heard
    rig.endSound(at: 1_500, 1)
    rig.endSound(at: 1_501, 1)
    #expect(rig.times.last == beginning)
    #expect(rig.sparing.last == true)
    #expect(rig.verdict == .played)
    #expect(rig.counters().played == 2)
    #expect(rig.engine.lastPlay(of: TriggerID(index: 0)) == Instant(beginning))
  }

  @Test func `an alarm that was refused and is over does not begin`() {
    var rig = TriggerRig(.test(above: 5, loop: .init()))
    rig.setBroken(["ding"], at: 0)
    rig.set([1, 6, 1])
    rig.setBroken([], at: 20)
    #expect(rig.verdicts() == [.appeared, .broken, .outside])
    #expect(rig.plays.isEmpty)
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

  // MARK: Throttle

  @Test func `an alarm that the throttle held back begins when the interval ends`() {
    Marbles(to: [.utf8("B")], throttle: 5, loop: true).expect(
      values: "A-BAB--------",
      plays: "--B----B-----",
      stops: "---|---------")
    var rig = TriggerRig(.test(above: 5, throttle: .milliseconds(100), loop: .init()))
    rig.set([1, 6, 1])
    rig.set(.number(7), at: 11)
    #expect(rig.verdict == .throttled(for: .milliseconds(90)))
    #expect(rig.activity() == TriggerActivity(state: .looping))
    #expect(rig.engine.nextDeadline == Instant(101))
    rig.advance(to: 101)
    #expect(rig.times == [1, 101])
    #expect(rig.verdicts() == [.appeared, .played, .outside, .played])
  }

  @Test func `an alarm that the throttle held back does not begin if its condition has ended or it was acknowledged`() {
    Marbles(to: [.utf8("B")], throttle: 5, loop: true).expect(
      values: "A-BAB-A------",
      plays: "--B----------",
      stops: "---|---------")
    Marbles(to: [.utf8("B")], throttle: 5, loop: true).expect(
      values: "A-BAB--------",
      cancel: "-----c-------",
      plays: "--B----------",
      stops: "---|---------")
    var rig = TriggerRig(.test(above: 5, throttle: .milliseconds(100), loop: .init()))
    rig.set([1, 6, 1, 7])
    rig.callOff(at: 50)
    rig.advance(to: 1_000)
    #expect(rig.times == [1])
    #expect(rig.activity() == TriggerActivity(state: .sounding))
  }

  @Test func `the beat and the limit of an alarm that was held back count from its beginning`() {
    Marbles(to: [.utf8("B")], throttle: 5, every: 2, limit: 5, length: 1).expect(
      values: "A-BAB-----------",
      plays: "--B----B-B-B----")
  }

  // MARK: Sounds

  private let table = SoundChoice.table([.utf8("B"): "bell", .utf8("C"): "chime", .utf8("D"): "bell"], otherwise: nil)

  @Test func `an alarm changes to the sound of the new value, and a value without a sound ends it`() {
    var rig = TriggerRig(.test(sound: table, loop: .init()))
    for (time, text) in ["A", "B", "C", "A", "C"].enumerated() { rig.set(.utf8(text), at: Int64(time)) }
    #expect(rig.sounds == ["bell", "chime", "chime"])
    #expect(rig.times == [1, 2, 4])
    #expect(rig.stops.map(\.at) == [2, 3])
    #expect(rig.verdicts() == [.appeared, .played, .played, .noSound, .played])
    #expect(rig.causes.map { $0?.new } == [.utf8("B"), .utf8("C"), .utf8("C")])
  }

  @Test func `an alarm continues if the new value has the same sound`() {
    var rig = TriggerRig(.test(sound: table, loop: .init()))
    for (time, text) in ["A", "B", "D"].enumerated() { rig.set(.utf8(text), at: Int64(time)) }
    #expect(rig.sounds == ["bell"])
    #expect(rig.stops.isEmpty)
    #expect(rig.verdict == .alreadyLooping)
  }

  @Test func `with a rest of the table an alarm ends with its other condition alone`() {
    let table = SoundChoice.table([.number(7): "seven"], otherwise: "rest")
    var rig = TriggerRig(.test(sound: table, above: 5, loop: .init()))
    rig.set([1, 6, 7, 8, 2])
    #expect(rig.sounds == ["rest", "seven", "rest"])
    #expect(rig.stops.map(\.at) == [2, 3, 4])
  }

  @Test func `a repeated alarm has the new sound at once, or after its pause`() {
    var rig = TriggerRig(.test(sound: table, loop: .init(every: [.milliseconds(10)])))
    rig.set(.utf8("A"), at: 0)
    rig.set(.utf8("B"), at: 1)
    rig.set(.utf8("C"), at: 3)
    rig.endFade(at: 4)
    rig.endSound(at: 5)
    rig.set(.utf8("B"), at: 6)
    rig.advance(to: 11)
    #expect(rig.sounds == ["bell", "chime", "bell"])
    #expect(rig.times == [1, 3, 11])
  }

  // MARK: The end of all

  @Test func `finishing lets alarms without a limit end with their sounds`() {
    var rig = TriggerRig(
      .test(name: "endless", above: 5, loop: .init()),
      .test(name: "limited", above: 5, loop: .init(limit: .seconds(9))),
      .test(name: "repeated", above: 5, loop: .init(every: [.milliseconds(10)])))
    rig.set([1, 6])
    #expect(rig.engine.endlessAlarm == TriggerID(index: 0))
    rig.finishAlarms(at: 5)
    #expect(rig.finished == ["endless", "repeated"])
    #expect(rig.engine.endlessAlarm == nil)
    #expect(rig.stops.isEmpty)
    rig.endSound(at: 6, 0)
    rig.endSound(at: 6, 2)
    rig.advance(to: 10_000)
    #expect(rig.times == [1, 1, 1])
    #expect(rig.stops == [.init(trigger: "limited", at: 9_001)])
  }

  @Test func `finishing leaves nothing of an alarm that waits for a voice`() {
    var rig = TriggerRig(.test(above: 5, loop: .init()))
    rig.answer = .refused(.crowded)
    rig.set([1, 6])
    rig.finishAlarms(at: 5)
    #expect(rig.finished.isEmpty)
    rig.advance(to: 5_000)
    #expect(rig.plays.count == 1)
    #expect(rig.activity() == TriggerActivity(state: .resting))
  }
}
