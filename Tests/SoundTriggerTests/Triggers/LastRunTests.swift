import Testing

@testable import SoundTrigger

/// `initial = "if-changed"`: the first content of a run is judged against what was saved.
@Suite struct LastRunTests {
  /// What a trigger makes of the first content of a run after this one.
  private func verdict(
    _ definition: TriggerDefinition, from last: Value, to new: Value, kind: ValueKind, numbers: Bool = true
  ) -> Verdict? {
    var rig = TriggerRig(definition.with { $0.initial = .ifChanged })
    var saved = SavedContent(last, as: kind)
    if !numbers { saved.number = nil }
    rig.process(
      Change(
        value: TriggerRig.id(definition.values[0]), old: new, new: new, isAppearance: true,
        saved: last == new ? nil : saved),
      at: 1)
    return rig.verdict
  }

  private func verdict(_ definition: TriggerDefinition, _ last: Double, _ new: Double) -> Verdict? {
    verdict(definition, from: .number(last), to: .number(new), kind: .number)
  }

  @Test func `a number has increased or decreased since the last run`() {
    #expect(verdict(.test(when: .increase), 1, 3) == .played)
    #expect(verdict(.test(when: .increase), 3, 1) == .notIncreased)
    #expect(verdict(.test(when: .increase), 3, 3) == .asBefore)
    #expect(verdict(.test(when: .decrease), 1, 3) == .notDecreased)
    #expect(verdict(.test(when: .decrease), 3, 1) == .played)
  }

  @Test func `a number crosses a threshold only if it was not beyond it in the last run`() {
    #expect(verdict(.test(above: 2), 1, 3) == .played)
    #expect(verdict(.test(above: 2), 3, 4) == .notArmed)
    #expect(verdict(.test(above: 2), 3, 1) == .outside)
    #expect(verdict(.test(below: 2), 3, 1) == .played)
    #expect(verdict(.test(below: 2), 1, 0) == .notArmed)
    #expect(verdict(.test(above: 4, below: 2), 5, 1) == .played)
  }

  @Test func `from is compared with what was saved, by its fingerprint`() {
    let fromA = TriggerDefinition.test(from: [.utf8("a"), .utf8("b")])
    #expect(verdict(fromA, from: .utf8("a"), to: .utf8("c"), kind: .text) == .played)
    #expect(verdict(fromA, from: .utf8("b"), to: .utf8("a"), kind: .text) == .played)
    #expect(verdict(fromA, from: .utf8("c"), to: .utf8("a"), kind: .text) == .notFrom)
    let event = TriggerDefinition.test(value: .e0, from: [.utf8("a")])
    #expect(verdict(event, from: .utf8("a"), to: .utf8("c"), kind: .event) == .played)
    #expect(verdict(event, from: .utf8("c"), to: .utf8("a"), kind: .event) == .notFrom)
    #expect(verdict(.test(from: [.number(1)]), 1, 3) == .played)
    #expect(verdict(.test(from: [.number(1)]), 2, 1) == .notFrom)
    #expect(verdict(.test(from: [.bool(true)]), from: .bool(true), to: .bool(false), kind: .bool) == .played)
    #expect(verdict(.test(from: [.bool(true)]), from: .bool(false), to: .bool(true), kind: .bool) == .notFrom)
    let document = TriggerDefinition.test(from: [.json(Array("[1]".utf8))])
    let other = Value.json(Array("[2]".utf8))
    #expect(verdict(document, from: .json(Array("[1]".utf8)), to: other, kind: .json) == .played)
    #expect(verdict(document, from: .json(Array("[3]".utf8)), to: other, kind: .json) == .notFrom)
  }

  @Test func `a number of which an earlier version kept no more than the fingerprint has not increased`() {
    func verdict(_ definition: TriggerDefinition) -> Verdict? {
      self.verdict(definition, from: .number(1), to: .number(3), kind: .number, numbers: false)
    }
    #expect(verdict(.test(when: .increase)) == .notIncreased)
    #expect(verdict(.test()) == .played)
    #expect(verdict(.test(from: [.number(1)])) == .played)
  }

  @Test func `a burst that returns to what was saved is silent`() {
    for (last, first) in [(Value.number(1), Value.number(3)), (.utf8("a"), .utf8("b"))] {
      var rig = TriggerRig(TriggerDefinition.test(debounce: .seconds(1)).with { $0.initial = .ifChanged })
      let saved = SavedContent(last, as: last.kind(isEvent: false))
      rig.process(
        Change(value: TriggerRig.id(.v0), old: first, new: first, isAppearance: true, saved: saved), at: 1)
      rig.process(Change(value: TriggerRig.id(.v0), old: first, new: last), at: 2)
      rig.advance(to: 5000)
      #expect(rig.verdict == .returned)
    }
  }

  @Test func `a value that begins late is compared with what was saved as well`() {
    var rig = TriggerRig(TriggerDefinition.test(when: .increase).with { $0.initial = .ifChanged })
    let saved = SavedContent(.number(1), as: .number)
    rig.process(Change(value: TriggerRig.id(.v0), old: nil, new: .number(3), saved: saved), at: 1)
    #expect(rig.verdict == .played)
    #expect(rig.causes.first == Cause(value: .v0, old: .number(1), new: .number(3)))
  }

  @Test func `other triggers do not see what was saved`() {
    var rig = TriggerRig(.test(when: .increase, initial: true))
    let saved = SavedContent(.number(1), as: .number)
    rig.process(
      Change(value: TriggerRig.id(.v0), old: .number(3), new: .number(3), isAppearance: true, saved: saved), at: 1)
    #expect(rig.verdict == .notIncreased)
  }
}
