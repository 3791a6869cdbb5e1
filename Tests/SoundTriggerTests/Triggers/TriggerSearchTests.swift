import Testing

@testable import SoundTrigger

/// The expressions of all triggers on one change share a budget.
struct TriggerSearchTests {
  private static let costly = Value.text([UInt8](repeating: UInt8(ascii: "a"), count: 60_000) + [UInt8(ascii: "b")])

  private func engine(_ expressions: [String], debounce: Duration? = nil) throws -> TriggerEngine {
    let definitions = try expressions.enumerated().map { index, expression in
      TriggerDefinition(
        name: "t\(index)", values: [try name("v")], sound: .sound("s"), matches: try Pattern(expression),
        debounce: debounce)
    }
    return TriggerEngine(definitions: definitions, resolve: { _ in ValueID(index: 0) })
  }

  private func verdicts(_ engine: TriggerEngine) -> [Verdict?] {
    engine.definitions.indices.map { engine.judgedChanges(of: TriggerID(index: $0)).last?.verdict }
  }

  @Test func `triggers beyond the budget are undecided and say so, and the next change has its own budget`() throws {
    var engine = try engine([String](repeating: "(a+)+$", count: 20) + ["b$"])
    let id = ValueID(index: 0)
    engine.receive([Change(value: id, old: .text("x"), new: Self.costly)], at: Instant(nanoseconds: 0))
    #expect(verdicts(engine).prefix(2) == [.tooCostlyToMatch, .tooCostlyToMatch])
    #expect(verdicts(engine).dropFirst(2).allSatisfy { $0 == .overBudget })
    #expect(Verdict.overBudget.description.contains("budget"))
    engine.receive([Change(value: id, old: Self.costly, new: .text("aab"))], at: Instant(nanoseconds: 1))
    #expect(verdicts(engine) == [Verdict?](repeating: .notMatching, count: 20) + [.starting])
  }

  @Test func `what a change cost before its triggers decide counts`() throws {
    var engine = try engine(["b$"])
    engine.receive(
      [Change(value: ValueID(index: 0), old: .text("x"), new: .text("b"))], at: Instant(nanoseconds: 0),
      searches: .nothing)
    #expect(verdicts(engine) == [.overBudget])
  }

  @Test func `bursts that end together share a budget, which a change at that time does not take from them`() throws {
    var engine = try engine(["(a+)+$", "b$"], debounce: .milliseconds(1))
    engine.receive([Change(value: ValueID(index: 0), old: .text("x"), new: Self.costly)], at: Instant(nanoseconds: 0))
    engine.receive([], at: Instant(nanoseconds: 2_000_000), searches: .nothing)
    #expect(verdicts(engine) == [.tooCostlyToMatch, .starting])
  }

  @Test func `after the end of all searches nothing is searched for`() throws {
    var engine = try engine(["b$"])
    engine.limitSearches(to: .nothing)
    engine.receive([Change(value: ValueID(index: 0), old: .text("x"), new: .text("b"))], at: Instant(nanoseconds: 0))
    #expect(verdicts(engine) == [.overBudget])
  }
}
