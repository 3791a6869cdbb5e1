import Testing

@testable import SoundTrigger

/// What a trigger remembers of its last changes (`soundd explain`).
@Suite struct ChangeLogTests {
  @Test func `every change has its time, its contents and what stood in its way`() {
    var rig = TriggerRig(.test(to: [.number(2)], throttle: .milliseconds(10)))
    rig.set([1, 2, 3, 2])
    #expect(
      rig.engine.judgedChanges(of: TriggerID(index: 0)) == [
        JudgedChange(id: 1, at: Instant(0), old: .number(1), new: .number(1), verdict: .appeared),
        JudgedChange(id: 2, at: Instant(1), old: .number(1), new: .number(2), verdict: .played),
        JudgedChange(id: 3, at: Instant(2), old: .number(2), new: .number(3), verdict: .notTo),
        JudgedChange(
          id: 4, at: Instant(3), old: .number(3), new: .number(2), verdict: .throttled(for: .milliseconds(8))),
      ])
  }

  @Test func `each play names the change that caused it`() {
    var rig = TriggerRig(.test(to: [.number(2)]))
    rig.set([1, 2, 3, 2])
    #expect(
      rig.causes == [
        Cause(value: .v0, old: .number(1), new: .number(2)), Cause(value: .v0, old: .number(3), new: .number(2)),
      ])
  }

  @Test func `the last thirty-two are kept, the oldest first`() {
    var rig = TriggerRig(.test())
    rig.set((0..<100).map { Double($0) })
    let judged = rig.engine.judgedChanges(of: TriggerID(index: 0))
    #expect(judged.map(\.new) == (68..<100).map { Value.number(Double($0)) })
    #expect(judged.map(\.at) == (68..<100).map { Instant(Int64($0)) })
  }

  @Test func `the last eight plays stay when later changes push them out`() {
    var rig = TriggerRig(.test(to: [.number(1)]))
    // A play every 20 changes, then a long silence.
    rig.set((0..<200).map { $0 % 20 == 1 ? 1 : Double($0) + 2 })
    rig.set((0..<100).map { Double($0) + 1000 }, from: 200)
    let judged = rig.engine.judgedChanges(of: TriggerID(index: 0))
    #expect(judged.count == 40)
    #expect(judged.prefix(8).map(\.at) == (2..<10).map { Instant(Int64($0) * 20 + 1) })
    #expect(judged.prefix(8).allSatisfy { $0.verdict == .played })
    #expect(judged.suffix(32).map(\.at) == (268..<300).map { Instant(Int64($0)) })
  }

  @Test func `plays among the last changes count among the last eight`() {
    var rig = TriggerRig(.test(to: [.number(1)]))
    rig.set([0, 1])
    rig.set((0..<40).map { Double($0) + 2 }, from: 2)
    rig.set((0..<16).map { $0 % 2 == 0 ? 1 : 0 }, from: 100)
    #expect(rig.verdicts().count == 32)
    #expect(rig.verdicts().filter { $0 == .played }.count == 8)
  }

  @Test func `who follows verdicts gets each as it is made, and once more when it is decided`() {
    var rig = TriggerRig(.test(debounce: .milliseconds(10)), .test(name: "u", to: [.number(3)]))
    func news(_ rig: inout TriggerRig) -> [String] {
      rig.engine.takeVerdicts().map {
        "\($0.trigger) \($0.value) \($0.change.verdict.word.rawValue) \($0.sound ?? "-")"
      }
    }
    rig.set([1, 2])
    #expect(news(&rig).isEmpty)
    rig.engine.notesVerdicts = true
    rig.set(.number(3), at: 5)
    #expect(
      news(&rig) == [
        "t v0 superseded -", "t v0 waiting -", "u v0 starting -", "u v0 played ding",
      ])
    rig.advance(to: 15)
    #expect(news(&rig) == ["t v0 starting -", "t v0 played ding"])
    rig.engine.notesVerdicts = false
    rig.set(.number(4), at: 30)
    #expect(news(&rig).isEmpty)
  }

  @Test func `the verdict on a change that waited is replaced in its place`() {
    var rig = TriggerRig(.test(debounce: .milliseconds(10)))
    rig.set([1, 2, 3])
    #expect(rig.verdicts() == [.appeared, .superseded, .waiting(for: .milliseconds(10))])
    rig.advance(to: 12)
    #expect(rig.verdicts() == [.appeared, .superseded, .played])
    rig.set([4, 3], from: 20)
    rig.advance(to: 31)
    #expect(rig.verdicts().suffix(2) == [.superseded, .returned])
    rig.set(.number(4), at: 40)
    rig.appear(.number(5), at: 41)
    #expect(rig.verdicts().suffix(2) == [.superseded, .appeared])
  }

  @Test func `what waited for longer than the log remembers is written anew`() {
    var definition = TriggerDefinition.test(delay: .milliseconds(1_000))
    definition.values = [.v0, .name("v1")]
    var rig = TriggerRig(definition)
    rig.set([1, 2])
    for time in 2..<50 { rig.set(.number(Double(time)), at: Int64(time), name: .name("v1")) }
    #expect(!rig.verdicts().contains(.played))
    rig.advance(to: 1_001)
    let last = rig.engine.judgedChanges(of: TriggerID(index: 0)).last
    #expect(last == JudgedChange(id: 2, at: Instant(1), old: .number(1), new: .number(2), verdict: .played))
  }

  @Test func `each verdict on a change has the number of the change, over all triggers and a reload`() {
    let definition = TriggerDefinition.test(debounce: .milliseconds(10))
    var rig = TriggerRig(definition, .test(name: "u", to: [.number(3)]))
    rig.engine.notesVerdicts = true
    func news(_ rig: inout TriggerRig) -> [String] {
      rig.engine.takeVerdicts().map { "\($0.trigger) \($0.change.id) \($0.change.verdict.word.rawValue)" }
    }
    rig.set([1, 2])
    #expect(news(&rig) == ["t 1 appeared", "u 2 appeared", "t 3 waiting", "u 4 not_to"])
    rig.set(.number(3), at: 5)
    #expect(news(&rig) == ["t 3 superseded", "t 5 waiting", "u 6 starting", "u 6 played"])
    rig.reload([.test(name: "new"), definition], at: 6)
    _ = news(&rig)
    rig.advance(to: 15)
    #expect(news(&rig) == ["t 5 starting", "t 5 played"])
  }

  @Test func `an alarm that rings again after realarm judges its change once more, with a new number`() {
    let definition = TriggerDefinition.test(above: 5, loop: .init(realarm: .milliseconds(100)))
    var rig = TriggerRig(definition)
    rig.engine.notesVerdicts = true
    rig.set([1, 6])
    rig.acknowledge(at: 10)
    rig.advance(to: 110)
    let verdicts = rig.engine.takeVerdicts().map { "\($0.change.id) \($0.change.verdict.word.rawValue)" }
    #expect(verdicts == ["1 appeared", "2 starting", "2 played", "3 starting", "3 played"])
  }

  @Test(arguments: [127, 128, 129, 5_000])
  func `contents of more than 128 bytes are truncated, also in the cause of a play`(length: Int) {
    func content(_ byte: UInt8) -> [UInt8] { Array(repeating: byte, count: length) }
    var rig = TriggerRig(.test())
    rig.set(.text(content(65)), at: 0)
    rig.set(.json(content(66)), at: 1)
    // The ring comes round, and its places are used again for short ones.
    for time in 2..<40 { rig.set(.text(content(UInt8(64 + time))), at: Int64(time)) }
    rig.set(.utf8("short"), at: 40)
    let judged = rig.engine.judgedChanges(of: TriggerID(index: 0))
    let kept = min(length, 128)
    #expect(judged.count == 32)
    for (index, change) in judged.enumerated() where index < 31 {
      #expect(change.new == .text(Array(repeating: UInt8(64 + 9 + index), count: kept)))
    }
    #expect(judged[31].old == .text(Array(repeating: UInt8(64 + 39), count: kept)))
    #expect(judged[31].new == .utf8("short"))
    #expect(rig.causes.last == Cause(value: .v0, old: judged[31].old, new: .utf8("short")))
  }

  @Test func `a truncated document remains a document`() {
    var rig = TriggerRig(.test())
    rig.set(.json(Array(repeating: 49, count: 200)), at: 0)
    #expect(
      rig.engine.judgedChanges(of: TriggerID(index: 0)).map(\.new) == [.json(Array(repeating: 49, count: 128))])
  }

  @Test func `a trigger that saw nothing has no record`() {
    let rig = TriggerRig(.test())
    #expect(rig.verdicts().isEmpty)
    #expect(rig.engine.trigger(named: "t") == TriggerID(index: 0))
    #expect(rig.engine.trigger(named: "u") == nil)
  }
}
