import SoundTrigger
import Testing

@Suite struct DelayTests {
  @Test func `plays this long after the change`() {
    Marbles(delay: 3).expect(
      values: "A-B------",
      plays: "-----B---")
  }

  @Test func `a debounce restarts with each change, a delay does not`() {
    Marbles(debounce: 3).expect(
      values: "A-BC-D-----",
      plays: "--------D--")
    Marbles(delay: 3).expect(
      values: "A-BC-D-----",
      plays: "-----B--D--")
  }

  @Test func `a debounce waits for quiet, a delay is called off when its condition ends`() {
    Marbles(above: 5, debounce: 3).expect(
      values: "4-7-4-------",
      plays: "------------")
    Marbles(above: 5, delay: 3).expect(
      values: "4-7-4-------",
      plays: "------------")
    // The number wavers beyond the line: the debounce begins anew, the delay continues.
    Marbles(above: 5, debounce: 3).expect(
      values: "4-7-8-------",
      plays: "-------8----")
    Marbles(above: 5, delay: 3).expect(
      values: "4-7-8-------",
      plays: "-----7------")
  }

  @Test func `later changes neither postpone nor repeat it`() {
    Marbles(to: [.utf8("B"), .utf8("C")], delay: 4).expect(
      values: "A-BCBC-------",
      plays: "------B------")
  }

  @Test func `without a condition on the value nothing but cancel ends it`() {
    Marbles(delay: 3).expect(
      values: "A-BA------",
      plays: "-----B----")
    Marbles(when: .increase, delay: 3).expect(
      values: "5-73------",
      plays: "-----7----")
    Marbles(delay: 3).expect(
      values: "A-B-------",
      cancel: "---c------",
      plays: "----------")
  }

  @Test func `to calls it off, and the way back begins another`() {
    Marbles(to: [.utf8("B")], delay: 3).expect(
      values: "A-BA-B------",
      plays: "--------B---")
  }

  @Test func `a threshold calls it off only when the number has gone back by the hysteresis`() {
    Marbles(above: 5, hysteresis: 2, delay: 4).expect(
      values: "1-6-4-------",
      plays: "------6-----")
    Marbles(above: 5, hysteresis: 2, delay: 4).expect(
      values: "1-6-3-------",
      plays: "------------")
  }

  @Test func `what comes at the very end of it is too late to call it off`() {
    Marbles(to: [.utf8("B")], delay: 3).expect(
      values: "A-B--A--",
      plays: "-----B--")
  }

  @Test func `matches calls it off`() throws {
    var definition = TriggerDefinition.test(delay: .milliseconds(10))
    definition.matches = try Pattern("^err")
    var rig = TriggerRig(definition)
    for (time, text) in ["fine", "err 1", "err 2", "fine", "err 3"].enumerated() {
      rig.set(.utf8(text), at: 3 * Int64(time))
    }
    #expect(rig.verdicts() == [.appeared, .calledOff, .alreadyDelayed, .notMatching, .delayed(for: .milliseconds(10))])
    rig.advance(to: 100)
    #expect(rig.times == [22])
    #expect(rig.verdicts().last == .played)
  }

  @Test func `plays the sound of the value as it is at the end of the delay, or none`() {
    let table = SoundChoice.table([.utf8("B"): "bell", .utf8("C"): "chime"], otherwise: nil)
    func rig(_ contents: String...) -> TriggerRig {
      var rig = TriggerRig(.test(sound: table, delay: .milliseconds(10)))
      for (time, text) in contents.enumerated() { rig.set(.utf8(text), at: Int64(time)) }
      rig.advance(to: 100)
      return rig
    }
    #expect(rig("A", "B").sounds == ["bell"])
    let changed = rig("A", "B", "C")
    #expect(changed.sounds == ["chime"])
    #expect(changed.times == [11])
    #expect(changed.verdicts() == [.appeared, .played, .alreadyDelayed])
    let silent = rig("A", "B", "A")
    #expect(silent.sounds.isEmpty)
    #expect(silent.verdicts() == [.appeared, .calledOff, .alreadyDelayed])
    #expect(rig("A", "B", "A", "C").sounds == ["chime"])
  }

  @Test func `a value that loses its content calls it off`() {
    var rig = TriggerRig(.test(delay: .milliseconds(10)))
    rig.set(.utf8("A"), at: 0)
    rig.set(.utf8("B"), at: 1)
    rig.engine.forget(TriggerRig.id(.v0), at: Instant(5))
    rig.advance(to: 100)
    #expect(rig.sounds.isEmpty)
    #expect(rig.verdict == .calledOff)
  }

  @Test func `each value of a list waits by itself`() {
    Marbles(to: [.utf8("B")], delay: 3).expect(
      values: "A-B--------",
      others: "A--B-A-----",
      plays: "-----B-----")
    Marbles(to: [.utf8("B")], delay: 3).expect(
      values: "A-B-A------",
      others: "A--B-------",
      plays: "------B----")
  }

  @Test func `it follows a debounce`() {
    Marbles(debounce: 2, delay: 3).expect(
      values: "A-BC--------",
      plays: "--------C---")
    Marbles(to: [.utf8("C")], debounce: 2, delay: 3).expect(
      values: "A-BC--BC----",
      plays: "--------C---")
    Marbles(to: [.utf8("C")], debounce: 2, delay: 4).expect(
      values: "A-BC--B-----",
      plays: "------------")
  }

  @Test func `the throttle is asked at its end`() {
    // Without the delay the second change would come within the interval.
    Marbles(throttle: 4, delay: 3).expect(
      values: "A-B--C------",
      plays: "-----B------")
    Marbles(throttle: 3, delay: 3).expect(
      values: "A-B--C------",
      plays: "-----B--C---")
  }

  @Test func `a value that appears anew calls it off`() {
    var rig = TriggerRig(.test(delay: .milliseconds(10)))
    rig.set([1, 2])
    rig.appear(.number(3), at: 5)
    #expect(rig.engine.nextDeadline == nil)
    #expect(rig.verdicts() == [.appeared, .calledOff, .appeared])
  }

  @Test func `the first content waits too, with initial`() {
    Marbles(initial: true, delay: 2).expect(values: "-A-----", plays: "---A---")
  }

  @Test func `waiting is told as such`() {
    var rig = TriggerRig(.test(delay: .milliseconds(10)))
    #expect(rig.activity() == TriggerActivity(state: .resting))
    rig.set([1, 2])
    #expect(rig.activity() == TriggerActivity(state: .waiting))
    #expect(rig.verdict == .delayed(for: .milliseconds(10)))
    rig.advance(to: 11)
    #expect(rig.activity() == TriggerActivity(state: .sounding))
    rig.endSound(at: 20)
    #expect(rig.activity() == TriggerActivity(state: .resting))
  }
}

@Suite struct CancelTests {
  @Test func `a change of the value calls off what waits, and fades out what sounds`() {
    Marbles(debounce: 2).expect(values: "A-B----", cancel: "---c---", plays: "-------")
    Marbles(delay: 3).expect(values: "A-B-----", cancel: "----c---", plays: "--------")
    Marbles().expect(
      values: "A-B---C---",
      cancel: "---c----c-",
      plays: "--B---C---",
      stops: "---|----|-")
  }

  @Test func `its first content cancels nothing`() {
    var rig = TriggerRig(.test(cancel: .name("v9")))
    rig.set([1, 2])
    rig.appear(.bool(true), at: 5, name: .name("v9"))
    #expect(rig.stops.isEmpty)
    rig.set(.bool(false), at: 6, name: .name("v9"))
    #expect(rig.stops == [.init(trigger: "t", at: 6)])
  }

  @Test func `says of every wait that it was cancelled`() {
    var rig = TriggerRig(.test(debounce: .milliseconds(10), overlap: .queue))
    rig.set([1, 2])
    rig.advance(to: 11)
    rig.set(.number(3), at: 12)
    rig.advance(to: 22)
    rig.set(.number(4), at: 23)
    #expect(rig.verdicts().suffix(2) == [.queued(position: 1), .waiting(for: .milliseconds(10))])
    rig.callOff(at: 24)
    #expect(rig.verdicts().suffix(2) == [.cancelled, .cancelled])
    #expect(rig.activity() == TriggerActivity(state: .sounding))
    rig.endSound(at: 30)
    #expect(rig.plays.count == 1)
    #expect(rig.activity() == TriggerActivity(state: .resting))
  }

  @Test func `stops nothing where nothing sounds`() {
    var rig = TriggerRig(.test())
    rig.set([1, 2])
    rig.endSound(at: 5)
    rig.callOff(at: 6)
    #expect(rig.stops.isEmpty)
  }

  @Test func `an acknowledged threshold must arm again before it fires`() {
    Marbles(above: 5, loop: true).expect(
      values: "4-7---8-4-7---",
      cancel: "----c---------",
      plays: "--7-------7---",
      stops: "----|---------")
    // Also if it was acknowledged while it waited.
    Marbles(above: 5, debounce: 3).expect(
      values: "4-7-8------4---7----",
      cancel: "-----c--------------",
      plays: "------------------7-")
    Marbles(above: 5, delay: 3).expect(
      values: "4-7-8---9----",
      cancel: "---c---------",
      plays: "-------------")
  }

  @Test func `a value that both plays and cancels ends the sound before`() {
    var rig = TriggerRig(.test(cancel: .v0))
    rig.set([1, 2, 3])
    #expect(rig.times == [1, 2])
    #expect(rig.stops == [.init(trigger: "t", at: 2)])
    #expect(rig.sounding == ["t": 1])
  }

  @Test func `reaches the triggers that name it alone`() {
    var rig = TriggerRig(
      .test(name: "a", delay: .milliseconds(10)), .test(name: "b", delay: .milliseconds(10), cancel: .name("v1")))
    rig.set([1, 2])
    rig.set(.number(1), at: 2, name: .name("v1"))
    rig.set(.number(2), at: 3, name: .name("v1"))
    rig.advance(to: 20)
    #expect(rig.plays.map(\.trigger) == ["a"])
  }
}
