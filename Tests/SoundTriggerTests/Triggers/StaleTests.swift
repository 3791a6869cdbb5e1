import SoundTrigger
import Testing

@Suite struct StaleTests {
  @Test func `plays when the value was not reported in time, and at no change`() {
    var rig = TriggerRig(.test(when: .stale))
    rig.set([1, 2])
    rig.becomeStale(at: 60)
    rig.report(at: 70)
    rig.set(.number(3), at: 70)
    rig.becomeStale(at: 130)
    #expect(rig.times == [60, 130])
    #expect(rig.verdicts() == [.appeared, .notStale, .played, .notStale, .played])
    #expect(rig.counters().changes == 2)
  }

  @Test func `does not concern triggers that wait for something else`() {
    var rig = TriggerRig(.test(), .test(name: "cancelled", when: .stale, cancel: .v0))
    rig.set([1, 2])
    rig.becomeStale(at: 5, name: .name("v1"))
    rig.becomeStale(at: 9)
    #expect(rig.plays.map { "\($0.trigger)\($0.at)" } == ["t1", "cancelled9"])
  }

  @Test func `to, matches and sounds ask for the last content`() throws {
    var matching = TriggerDefinition.test(name: "matches", when: .stale)
    matching.matches = try Pattern("run")
    let table = SoundChoice.table([.utf8("running"): "hang"], otherwise: nil)
    let definitions = [
      .test(name: "to", when: .stale, to: [.utf8("running")]), matching,
      .test(name: "sounds", sound: table, when: .stale),
    ]
    for (content, plays) in [("running", 3), ("done", 0)] {
      var rig = TriggerRig(definitions)
      rig.set(.utf8(content), at: 0)
      rig.becomeStale(at: 60)
      #expect(rig.plays.count == plays)
    }
  }

  @Test func `a value without content is stale, but equal to nothing`() throws {
    var matching = TriggerDefinition.test(name: "matches", when: .stale)
    matching.matches = try Pattern("")
    let table = SoundChoice.table([.utf8(""): "empty"], otherwise: nil)
    var rig = TriggerRig([
      .test(when: .stale), .test(name: "to", when: .stale, to: [.utf8("")]), matching,
      .test(name: "sounds", sound: table, when: .stale),
      .test(name: "rest", sound: .table([.utf8(""): "empty"], otherwise: "rest"), when: .stale),
    ])
    rig.becomeStale(at: 60)
    #expect(rig.sounds == ["ding", "rest"])
    #expect((0..<5).map { rig.counters($0).lastVerdict } == [.played, .notTo, .notMatching, .noSound, .played])
  }

  @Test func `a report ends its delay and its loop`() {
    var rig = TriggerRig(
      .test(name: "delay", when: .stale, delay: .milliseconds(10)), .test(name: "loop", when: .stale, loop: .init()))
    rig.set(.number(1), at: 0)
    rig.becomeStale(at: 60)
    #expect(rig.plays.map(\.trigger) == ["loop"])
    rig.report(at: 65)
    rig.advance(to: 100)
    #expect(rig.verdicts(0) == [.appeared, .calledOff])
    #expect(rig.stops == [.init(trigger: "loop", at: 65)])
    #expect(rig.plays.count == 1)
    rig.becomeStale(at: 160)
    rig.advance(to: 170)
    #expect(rig.plays.map { "\($0.trigger)\($0.at)" } == ["loop60", "loop160", "delay170"])
  }
}
