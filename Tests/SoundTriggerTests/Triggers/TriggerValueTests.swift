import SoundTrigger
import Testing

/// What a trigger makes of contents: `matches`, `initial`, lists of values and of sounds.
@Suite struct TriggerValueTests {
  @Test(arguments: [
    ("^err", Value.utf8("error 7"), Verdict.played),
    ("^err", .utf8("an error"), .notMatching),
    ("^err", .text([0x65, 0x72, 0x72, 0xff]), .played),
    (#""state":"bad""#, .json(Array(#"{"state":"bad"}"#.utf8)), .played),
    ("^42$", .number(42), .played),
    ("^-3$", .number(-3), .played),
    ("^0.1$", .number(0.1), .played),
    ("^1234567.125$", .number(1_234_567.125), .played),
    ("^true$", .bool(true), .played),
    ("^true$", .bool(false), .notMatching),
    ("", .fingerprint(Fingerprint(length: 70_000, digest: .zero)), .tooLongToMatch),
    ("^(a+)+$", .text(Array(repeating: 97, count: 1_000) + [33]), .tooCostlyToMatch),
  ])
  func `matches searches the content as it is written`(pattern: String, content: Value, verdict: Verdict) throws {
    var definition = TriggerDefinition.test()
    definition.matches = try Pattern(pattern)
    var rig = TriggerRig(definition)
    rig.set(.utf8("before"), at: 0)
    rig.set(content, at: 1)
    #expect(rig.verdict == verdict)
  }

  @Test func `every change that matches plays`() throws {
    var definition = TriggerDefinition.test()
    definition.matches = try Pattern("^[BC]")
    var rig = TriggerRig(definition)
    for (time, text) in ["A", "B", "C", "D", "B"].enumerated() { rig.set(.utf8(text), at: Int64(time)) }
    #expect(rig.times == [1, 2, 4])
  }

  @Test func `matches must hold together with all the others`() throws {
    var definition = TriggerDefinition.test(from: [.utf8("A")])
    definition.matches = try Pattern("^[BC]")
    var rig = TriggerRig(definition)
    for (time, text) in ["A", "B", "C", "A", "D", "A", "C"].enumerated() { rig.set(.utf8(text), at: Int64(time)) }
    #expect(rig.verdicts() == [.appeared, .played, .notFrom, .notFrom, .notMatching, .notFrom, .played])
  }

  @Test(arguments: [
    (TriggerDefinition.Initial.no, false, Verdict.appeared), (.no, true, .appeared), (.yes, false, .played),
    (.yes, true, .played), (.ifChanged, false, .asBefore), (.ifChanged, true, .played),
  ])
  func `initial decides about the first content`(initial: TriggerDefinition.Initial, differs: Bool, verdict: Verdict) {
    var definition = TriggerDefinition.test()
    definition.initial = initial
    var rig = TriggerRig(definition)
    rig.appear(.number(1), at: 0, differsFromLastRun: differs)
    #expect(rig.verdicts() == [verdict])
    #expect(rig.counters().changes == 0)
  }

  @Test func `if-changed begins a threshold at what was there before`() {
    var definition = TriggerDefinition.test(above: 5)
    definition.initial = .ifChanged
    var rig = TriggerRig(definition)
    rig.appear(.number(7), at: 0)
    rig.set([8, 4, 6], from: 1)
    #expect(rig.times == [3])
    rig.appear(.number(9), at: 9, differsFromLastRun: true)
    #expect(rig.times == [3, 9])
  }

  @Test func `any of several values plays, each judged by itself`() {
    Marbles(above: 5).expect(
      values: "4-6---4-6--",
      others: "8--9-4-7---",
      plays: "--6----76--")
    Marbles(debounce: 2).expect(
      values: "A-B--A-----",
      others: "C--D-------",
      plays: "----BD-A---")
    Marbles(throttle: 3).expect(
      values: "A-B--C-----",
      others: "C--D--E----",
      plays: "--B--C-----")
  }

  @Test func `cycle takes one sound after the other, and only what played counts`() {
    var rig = TriggerRig(.test(sound: .list(["a", "b", "b", "c"], .cycle)))
    rig.set([0, 1, 2])
    rig.setBroken(["b"], at: 2)
    rig.set(.number(3), at: 3)
    rig.setBroken([], at: 3)
    rig.answer = .muted
    rig.set([4, 5, 6, 7], from: 4)
    #expect(rig.sounds == ["a", "b", "b", "c", "a", "b"])
  }

  @Test func `cycle goes on over the repetitions of a loop`() {
    var rig = TriggerRig(
      .test(sound: .list(["a", "b"], .cycle), above: 5, loop: .init(every: [.milliseconds(10)])))
    rig.set([1, 6])
    for time in stride(from: Int64(5), to: 40, by: 10) {
      rig.advance(to: time)
      rig.endSound(at: time)
    }
    #expect(rig.sounds == ["a", "b", "a", "b"])
  }

  @Test func `random takes none twice in a row, each about as often, and the same ones for the same seed`() {
    func sounds(_ seed: UInt64) -> [String] {
      var rig = TriggerRig([.test(sound: .list(["a", "b", "c"], .random))], seed: seed)
      rig.set((0...3_000).map { Double($0) })
      return rig.sounds
    }
    let first = sounds(1)
    #expect(first == sounds(1))
    #expect(first != sounds(2))
    let counts = Dictionary(grouping: first, by: \.self).mapValues(\.count)
    #expect(zip(first, first.dropFirst()).allSatisfy { $0 != $1 })
    // 1,000 each; without repetitions the deviation is less than 26.
    #expect(counts.count == 3)
    #expect(counts.values.allSatisfy { (870...1_130).contains($0) })
  }
}
