import SoundTrigger
import Testing

@Suite struct FreshTests {
  @Test func `what comes too late is dropped and counted, never played late`() {
    for definition in [
      TriggerDefinition.test(debounce: .seconds(1), fresh: .milliseconds(500)),
      .test(delay: .seconds(1), fresh: .milliseconds(500)),
    ] {
      var rig = TriggerRig(definition)
      rig.set([1, 2])
      rig.advance(to: 1_502)
      #expect(rig.plays.isEmpty)
      #expect(rig.verdicts() == [.appeared, .late(by: .milliseconds(501))])
      #expect(rig.counters().dropped == 1)
      #expect(rig.counters().played == 0)
    }
  }

  @Test func `exactly as late as allowed is fresh, and plays at the time it was due`() {
    var rig = TriggerRig(.test(delay: .seconds(1), fresh: .milliseconds(500)))
    rig.set([1, 2])
    rig.advance(to: 1_501)
    #expect(rig.times == [1_001])
  }

  @Test func `the default is half a second`() {
    #expect(TriggerDefinition(name: "t", values: [.v0], sound: .sound("s")).timing.fresh == .milliseconds(500))
  }

  @Test func `a machine that slept through the end of a wait stays silent`() {
    Marbles(delay: 2, fresh: 1).expect(
      values: "A-Bz-----",
      plays: "----B----")
    Marbles(delay: 2, fresh: 1).expect(
      values: "A-Bzzz---",
      plays: "---------")
    Marbles(debounce: 2, fresh: 1).expect(
      values: "A-Bzzz---C--",
      plays: "-----------C")
  }

  @Test func `a late burst still moves the threshold`() {
    Marbles(above: 5, debounce: 1, fresh: 1).expect(
      values: "4-6zzz-7-4--6--",
      plays: "-------------6-")
  }

  @Test func `a delay that began late is not late if it ends in time`() {
    Marbles(debounce: 1, delay: 4, fresh: 1).expect(
      values: "A-Bzzz----",
      plays: "-------B--")
  }

  @Test func `what is late starts no interval of the throttle`() {
    Marbles(throttle: 4, delay: 1, fresh: 1).expect(
      values: "A-Bzzz-C-D----",
      plays: "--------C-----")
  }

  @Test func `a loop is never late and begins now`() {
    Marbles(to: [.utf8("B")], delay: 2, loop: true, fresh: 1).expect(
      values: "A-Bzzzz--A--",
      plays: "-------B----",
      stops: "---------|--")
    Marbles(above: 5, debounce: 2, loop: true, fresh: 1).expect(
      values: "4-7zzzz-----",
      plays: "-------7----")
  }

  @Test func `repetitions that were missed are left out, and the next comes now`() {
    Marbles(to: [.utf8("B")], every: 2, fresh: 1, length: 1).expect(
      values: "A-B--zzzz-------",
      plays: "--B-B----B-B-B-B")
  }

  @Test func `a loop that reached its limit meanwhile is not repeated once more`() {
    Marbles(to: [.utf8("B")], every: 2, limit: 5, fresh: 1, length: 1).expect(
      values: "A-B-zzzzz---",
      plays: "--B---------")
  }

  @Test func `what no device took in time is counted as dropped`() {
    var rig = TriggerRig(.test(fresh: .milliseconds(500)))
    rig.answer = .later
    rig.set(.number(0), at: 0)
    rig.set(.number(1), at: 100)
    rig.set(.number(2), at: 400)
    let (first, second) = (rig.running[0].play, rig.running[1].play)
    rig.answer(.refused(.noDevice), to: first, at: 600)
    // The second one may yet be heard.
    #expect(rig.verdicts() == [.appeared, .noDevice, .starting])
    #expect(rig.counters().dropped == 1)
    #expect(rig.verdict == .starting)
    rig.answer(.refused(.noDevice), to: second, at: 900)
    #expect(rig.verdict == .noDevice)
    #expect(rig.counters().dropped == 2)
    #expect(rig.counters().played == 0)
  }

  @Test func `a refused play that the log has forgotten is counted`() {
    var rig = TriggerRig(.test(fresh: .milliseconds(500)))
    rig.answer = .later
    rig.set((0...40).map { Double($0) })
    rig.answer(.refused(.noDevice), to: rig.running[0].play, at: 501)
    #expect(rig.counters().dropped == 1)
    #expect(!rig.verdicts().contains(.noDevice))
  }

  @Test func `what found no voice is no play`() {
    var rig = TriggerRig(.test())
    rig.answer = .refused(.crowded)
    rig.set(.number(0), at: 0)
    rig.set(.number(1), at: 100)
    #expect(rig.verdicts() == [.appeared, .crowded])
    #expect(rig.counters().played == 0)
    #expect(rig.counters().dropped == 1)
  }
}
