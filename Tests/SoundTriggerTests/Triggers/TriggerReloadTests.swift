import SoundTrigger
import Testing

@Suite struct TriggerReloadTests {
  @Test func `an equal definition keeps its throttle, in whatever place it comes`() {
    let kept = TriggerDefinition.test(name: "kept", throttle: .milliseconds(10))
    var rig = TriggerRig(kept)
    rig.set([1, 2])
    rig.reload([.test(name: "new", sound: .sound("dong"), to: [.number(9)]), kept])
    rig.set(.number(3), at: 10)
    rig.set(.number(4), at: 11)
    #expect(rig.times == [1, 11])
    #expect(rig.sounds == ["ding", "ding"])
  }

  @Test func `an equal definition keeps its counters`() {
    let kept = TriggerDefinition.test(name: "kept")
    var rig = TriggerRig(kept)
    rig.set([1, 2])
    let before = rig.counters()
    rig.reload([.test(name: "new"), kept])
    #expect(rig.counters(0).played == 0)
    #expect(rig.counters(1) == before)
    #expect(before.played == 1)
  }

  @Test func `an equal definition keeps its threshold`() {
    let kept = TriggerDefinition.test(name: "kept", below: 15, hysteresis: 5)
    var rig = TriggerRig(kept)
    rig.set([30, 10, 17])
    rig.reload([kept])
    rig.set([10, 20, 10], from: 3)
    #expect(rig.times == [1, 5])
  }

  @Test func `an equal definition keeps both lines of its threshold`() {
    let kept = TriggerDefinition.test(name: "kept", above: 30, below: 10, hysteresis: 5)
    var rig = TriggerRig(kept)
    rig.set([20, 35, 28])
    rig.reload([kept])
    rig.set([31, 9, 12], from: 3)
    rig.reload([kept])
    rig.set([9, 15, 9], from: 6)
    #expect(rig.times == [1, 4, 8])
  }

  @Test func `an equal definition keeps its wait`() {
    let kept = TriggerDefinition.test(name: "kept", debounce: .milliseconds(10))
    var rig = TriggerRig(.test(name: "gone", debounce: .milliseconds(5)), kept)
    rig.set([1, 2])
    rig.reload([.test(name: "new", debounce: .milliseconds(3)), kept])
    #expect(rig.engine.nextDeadline == Instant(11))
    rig.advance(to: 50)
    #expect(rig.plays == [.init(trigger: "kept", sound: "ding", at: 11)])
  }

  @Test func `a kept burst still knows where it began`() {
    let kept = TriggerDefinition.test(debounce: .milliseconds(10))
    var rig = TriggerRig(kept)
    rig.set([1, 2])
    rig.reload([kept])
    rig.set(.number(1), at: 5)
    rig.advance(to: 50)
    #expect(rig.plays.isEmpty)
    #expect(rig.verdict == .returned)
  }

  @Test func `a definition that changed in any way begins afresh`() {
    let before = TriggerDefinition.test()
    var after = before
    after.sound = .sound("dong")
    var rig = TriggerRig(before)
    rig.set([1, 2])
    rig.reload([after])
    rig.set(.number(3), at: 2)
    #expect(rig.sounds == ["ding", "dong"])
    #expect(rig.counters().changes == 1)
  }

  @Test func `a trigger that was removed and comes back begins afresh`() {
    let definition = TriggerDefinition.test(debounce: .milliseconds(10), throttle: .milliseconds(100))
    var rig = TriggerRig(definition)
    rig.set([1, 2])
    rig.advance(to: 20)
    rig.set(.number(3), at: 21)
    rig.reload([])
    #expect(rig.engine.nextDeadline == nil)
    #expect(rig.engine.sounds.isEmpty)
    rig.reload([definition])
    rig.advance(to: 40)
    rig.set(.number(4), at: 41)
    rig.advance(to: 60)
    #expect(rig.times == [11, 51])
  }

  @Test func `a new trigger sees the present content as its appearance`() {
    var rig = TriggerRig([])
    rig.set(.number(1), at: 0)
    let empty = TriggerDefinition.test(name: "empty", value: .name("v1"), initial: true)
    rig.reload([.test(), .test(name: "i", initial: true), empty], at: 3)
    rig.advance(to: 5)
    #expect(rig.plays == [.init(trigger: "i", sound: "ding", at: 3)])
    #expect((0..<3).map { rig.verdicts($0) } == [[.appeared], [.played], []])
    rig.set(.number(2), at: 6)
    #expect(rig.plays.dropFirst().map(\.trigger) == ["t", "i"])
  }

  @Test(arguments: [false, true])
  func `a new threshold begins at the present content`(initial: Bool) {
    var rig = TriggerRig([])
    rig.set(.number(10), at: 0)
    rig.reload([.test(below: 15, initial: initial), .test(name: "above", above: 11, initial: initial)])
    rig.set([12, 20, 12], from: 1)
    let changes = ["above1", "t3"]
    #expect(rig.plays.map { "\($0.trigger)\($0.at)" } == (initial ? ["t0"] : []) + changes)
  }

  @Test func `time does not go back at a reload`() {
    let kept = TriggerDefinition.test(throttle: .milliseconds(10))
    var rig = TriggerRig(kept)
    rig.set([1, 2], from: 100)
    rig.reload([kept, .test(name: "new")])
    rig.set(.number(3), at: 50)
    #expect(rig.plays.last == .init(trigger: "new", sound: "ding", at: 101))
  }

  @Test func `a value may become an event`() {
    let definition = TriggerDefinition.test(debounce: .milliseconds(10))
    let id = ValueID(index: 0)
    var engine = TriggerEngine(definitions: [definition]) { _ in id }
    engine.receive([Change(value: id, old: .utf8("a"), new: .utf8("b"))], at: Instant(0))
    engine.replace(definitions: [definition], resolve: { _ in id }, isEvent: { _ in true }, at: Instant(0))
    engine.receive([Change(value: id, old: .utf8("b"), new: .utf8("a"))], at: Instant(1))
    engine.advance(to: Instant(20))
    #expect(engine.decisions.count == 1)
  }

  @Test func `an equal definition keeps its delay, and the sound it chose`() {
    let table = SoundChoice.table([.number(2): "two"], otherwise: nil)
    let kept = TriggerDefinition.test(name: "kept", sound: table, delay: .milliseconds(10))
    var rig = TriggerRig(kept)
    rig.set([1, 2])
    rig.reload([.test(name: "new", sound: .sound("else"), to: [.number(9)]), kept])
    rig.advance(to: 20)
    #expect(rig.plays == [.init(trigger: "kept", sound: "two", at: 11)])
    #expect(rig.verdicts(1) == [.appeared, .played])
  }

  @Test func `an equal definition keeps its queue, its running sounds and its place in a list`() {
    let kept = TriggerDefinition.test(name: "kept", sound: .list(["a", "b", "c"], .cycle), overlap: .queue)
    var rig = TriggerRig(kept)
    rig.set([1, 2, 3, 4])
    rig.reload([.test(name: "new", to: [.number(9)]), kept], at: 5)
    #expect(rig.activity(1) == TriggerActivity(state: .sounding, queued: 2))
    rig.endSound(at: 10, 1)
    rig.endSound(at: 20, 1)
    #expect(rig.sounds == ["a", "b", "c"])
    #expect(rig.verdicts(1) == [.appeared, .played, .played, .played])
  }

  @Test func `an equal definition keeps its loop`() {
    let kept = TriggerDefinition.test(
      name: "kept", above: 5, loop: .init(every: [.milliseconds(10)], limit: .milliseconds(25)))
    var rig = TriggerRig(kept)
    rig.set([1, 6])
    rig.endSound(at: 2)
    rig.reload([.test(name: "new", above: 50), kept], at: 5)
    #expect(rig.stops.isEmpty)
    rig.advance(to: 11)
    rig.endSound(at: 12, 1)
    rig.advance(to: 21)
    rig.advance(to: 100)
    #expect(rig.times == [1, 11, 21])
    #expect(rig.stops == [.init(trigger: "kept", at: 26)])
  }

  @Test func `what was due before a reload is done before it`() {
    var rig = TriggerRig(.test(delay: .milliseconds(10)))
    rig.set([1, 2])
    rig.reload([], at: 50)
    #expect(rig.times == [11])
  }

  @Test func `the profile and the random numbers outlast a reload`() {
    let kept = TriggerDefinition.test(sound: .list(["a", "b"], .random))
    func sounds(reloading: Bool) -> [String] {
      var rig = TriggerRig([kept], seed: 7)
      for time in 0..<50 {
        rig.set(.number(Double(time)), at: Int64(time))
        if reloading, time % 10 == 5 { rig.reload([kept], at: Int64(time)) }
      }
      return rig.sounds
    }
    #expect(sounds(reloading: true) == sounds(reloading: false))
    var rig = TriggerRig(kept)
    rig.setProfile(.silent, at: 0)
    rig.reload([.test(name: "new")], at: 1)
    #expect(rig.engine.profile == .silent)
  }

  @Test func `a throttle goes on from the last run of soundd`() {
    var rig = TriggerRig(.test(throttle: .milliseconds(100)))
    rig.engine.restore(lastPlay: Instant(-50), of: "t")
    rig.engine.restore(lastPlay: Instant(-10), of: "somebody else")
    #expect(rig.engine.lastPlay(of: TriggerID(index: 0)) == Instant(-50))
    rig.set([1, 2], from: 0)
    #expect(rig.verdict == .throttled(for: .milliseconds(49)))
    rig.set(.number(3), at: 50)
    #expect(rig.times == [50])
  }

  @Test func `a trigger that is edited keeps its throttle`() {
    let definition = TriggerDefinition.test(throttle: .seconds(10))
    var rig = TriggerRig(definition)
    rig.set([1, 2])
    rig.reload([definition.with { $0.settings.volume = 0.5 }], at: 100)
    rig.set(.number(3), at: 200)
    #expect(rig.verdicts().last.map { if case .throttled = $0 { true } else { false } } == true)
  }
}
