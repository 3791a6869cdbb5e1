import SoundTrigger
import Testing

@Suite struct DebounceTests {
  @Test func `plays when the value has been still for the interval`() {
    Marbles(debounce: 2).expect(
      values: "A-B------",
      plays: "----B----")
  }

  @Test func `each arrival restarts the wait, and only the last value counts`() {
    Marbles(debounce: 3).expect(
      values: "A-BC-D-E--------",
      plays: "----------E-----")
  }

  @Test func `is silent if the value comes to rest where the burst began`() {
    Marbles(debounce: 2).expect(
      values: "A-BA---B-----",
      plays: "---------B---")
  }

  @Test func `a value that has been still for exactly the interval is still`() {
    Marbles(debounce: 2).expect(
      values: "A-B-C----",
      plays: "----B-C--")
  }

  @Test func `bursts follow one another`() {
    Marbles(debounce: 2).expect(
      values: "A-BC---DE---A----",
      plays: "-----C----E---A--")
  }

  @Test func `compares the value before the burst with the one after it`() {
    Marbles(from: [.utf8("A")], to: [.utf8("C")], debounce: 2).expect(
      values: "A-BC-----AB-BC----",
      plays: "-----C------------")
    Marbles(when: .increase, debounce: 2).expect(
      values: "5-92---17---",
      plays: "----------7-")
  }

  @Test func `an event plays after a burst of equal arrivals`() {
    Marbles(value: .e0, debounce: 2).expect(
      values: "A-AAA----A---",
      plays: "------A----A-")
  }

  @Test func `an event plays though it ends where the burst began`() {
    Marbles(value: .e0, debounce: 2).expect(
      values: "A-BA----",
      plays: "-----A--")
  }

  @Test func `an equal arrival is an event even if the value is not declared as one`() {
    var rig = TriggerRig(.test(debounce: .milliseconds(5)))
    let change = Change(value: TriggerRig.id(.v0), old: .utf8("a"), new: .utf8("a"))
    rig.process(change, at: 1)
    rig.process(change, at: 3)
    rig.advance(to: 100)
    #expect(rig.times == [8])
  }

  @Test func `with initial the first content waits as well`() {
    Marbles(initial: true, debounce: 2).expect(values: "-A-----", plays: "---A---")
    Marbles(initial: true, debounce: 2).expect(values: "-AB----", plays: "----B--")
    Marbles(initial: true, debounce: 2).expect(values: "-ABA---", plays: "-----A-")
  }

  @Test func `with initial a first burst that ends inside the threshold plays`() {
    Marbles(above: 5, initial: true, debounce: 2).expect(values: "78---9--", plays: "---8----")
    Marbles(above: 5, initial: true, debounce: 2).expect(values: "72---9--", plays: "-------9")
  }

  @Test func `without initial the first content is no part of a burst`() {
    Marbles(debounce: 3).expect(
      values: "-A-B-A----C----",
      plays: "-------------C-")
  }

  @Test func `plays at the instant the wait ends, however late time advances`() {
    var rig = TriggerRig(.test(debounce: .milliseconds(10)))
    rig.set([1, 2], from: 0)
    rig.advance(to: 5_000)
    #expect(rig.times == [11])
  }

  @Test func `what is due before a change is decided before it`() {
    var rig = TriggerRig(.test(debounce: .milliseconds(10)))
    rig.set(.number(1), at: 0)
    rig.set(.number(2), at: 1)
    rig.set(.number(1), at: 11)
    #expect(rig.times == [11])
    rig.advance(to: 21)
    #expect(rig.times == [11, 21])
  }

  @Test func `a value that appears anew calls off the wait`() {
    var rig = TriggerRig(.test(debounce: .milliseconds(10)))
    rig.set([1, 2])
    #expect(rig.engine.nextDeadline == Instant(11))
    let id = TriggerRig.id(.v0)
    rig.process(Change(value: id, old: .number(5), new: .number(5), isAppearance: true), at: 5)
    #expect(rig.engine.nextDeadline == nil)
    rig.advance(to: 100)
    #expect(rig.plays.isEmpty)
  }

  @Test func `records what became of the burst`() {
    var rig = TriggerRig(.test(to: [.number(2)], debounce: .milliseconds(10)))
    rig.set([1, 2, 1])
    rig.advance(to: 12)
    #expect(rig.verdict == .returned)
    rig.set([3], from: 20)
    rig.advance(to: 30)
    #expect(rig.verdict == .notTo)
    #expect(rig.counters().changes == 3)
  }
}

@Suite struct ThrottleTests {
  @Test func `plays the first change of an interval and no other`() {
    Marbles(throttle: 4).expect(
      values: "A-BCDE--F-G---",
      plays: "--B-----F-----")
  }

  @Test func `exactly an interval after the last play the next one may come`() {
    Marbles(throttle: 3).expect(
      values: "A-B-CD---",
      plays: "--B--D---")
  }

  @Test func `the interval counts from the last play, not from the last change`() {
    Marbles(throttle: 3).expect(
      values: "A-BCDEFGHI",
      plays: "--B--E--H-")
  }

  @Test func `what was throttled is not played later`() {
    Marbles(throttle: 3).expect(
      values: "A-BC--------",
      plays: "--B---------")
  }

  @Test func `a change that its conditions refuse starts no interval`() {
    Marbles(to: [.utf8("C")], throttle: 4).expect(
      values: "A-BC-AC-AC--",
      plays: "---C-----C--")
  }

  @Test func `the play of an appearance starts the interval`() {
    Marbles(initial: true, throttle: 3).expect(
      values: "A-BC---",
      plays: "A--C---")
  }

  @Test func `after a debounce the moment of the play counts`() {
    Marbles(debounce: 2, throttle: 4).expect(
      values: "A-B--C-DE------",
      plays: "----B-----E----")
    Marbles(debounce: 2, throttle: 4).expect(
      values: "A-B--C---D-----",
      plays: "----B------D---")
  }

  @Test func `each trigger has an interval of its own`() {
    var rig = TriggerRig(
      .test(name: "a", throttle: .milliseconds(10)), .test(name: "b", throttle: .milliseconds(2)))
    rig.set([0, 1, 2, 3])
    #expect(rig.plays.map { "\($0.trigger)\($0.at)" } == ["a1", "b1", "b3"])
  }

  @Test func `intervals beyond the end of time never end`() {
    var rig = TriggerRig(
      .test(name: "a", throttle: .seconds(Int64.max)), .test(name: "b", debounce: .seconds(Int64.max)))
    rig.set([0, 1, 2])
    rig.advance(to: .max / 2_000_000)
    #expect(rig.plays == [.init(trigger: "a", sound: "ding", at: 1)])
  }
}
