import Testing

@testable import SoundTrigger

/// The expressions of one transaction share a budget.
struct SearchBudgetTests {
  private static let costly = [UInt8](repeating: UInt8(ascii: "a"), count: 60_000) + [UInt8(ascii: "b")]

  @Test func `searches take their steps from the budget, and beyond it none is tried`() throws {
    let pattern = try Pattern("(a+)+$")
    var budget = SearchBudget.transaction
    var found: [Pattern.Finding] = []
    while found.last != .overBudget, found.count < 100 {
      found.append(pattern.search(Self.costly.span, within: &budget))
    }
    #expect(found.count == 3)
    #expect(found.dropLast().allSatisfy { $0 == .tooCostly })
    #expect(budget == .nothing)
    // Not even a cheap one.
    #expect(try Pattern("b").search(Array("b".utf8).span, within: &budget) == .overBudget)
    #expect(try Pattern("b").search(Array("b".utf8).span) == .found(0..<1))
  }

  @Test func `the same search always takes the same steps`() throws {
    let pattern = try Pattern("([a-z]+) failed")
    let text = Array(String(repeating: "build is fine, ", count: 500).utf8)
    var (first, second) = (SearchBudget.transaction, SearchBudget.transaction)
    #expect(pattern.search(text.span, within: &first) == .nothing)
    #expect(pattern.search(text.span, within: &second) == .nothing)
    #expect(first == second)
    #expect(first.steps < SearchBudget.transaction.steps - 1000)
  }

  @Test func `a search that PCRE2 ends without a step is not free`() throws {
    var budget = SearchBudget.transaction
    let pattern = try Pattern("x")
    var count = 0
    while pattern.search(Self.costly.span, within: &budget) == .nothing { count += 1 }
    #expect((500...600).contains(count))
  }

  private func store(derived count: Int) throws -> (store: ValueStore, base: ValueID, derived: [ValueID]) {
    let store = ValueStore()
    let base = try store.declare(name("base"), kind: .text, source: .client)
    let extraction = Extraction(pointer: nil, pattern: try Pattern("(a+)+$"))
    let derived = try (0..<count).map { index in
      try store.declare(name("d\(index)"), kind: .text, source: .derived(from: name("base")), extraction: extraction)
    }
    return (store, base, derived)
  }

  @Test func `derived values share the budget of their base's update, and the next update has its own`() throws {
    let (store, base, derived) = try store(derived: 8)
    for content in [Self.costly, Self.costly + [UInt8(ascii: "c")]] {
      _ = store.update(base, bytes: content)
      var changes: [Change] = []
      let outcomes = derived.map {
        store.derive($0, from: base, baseAppears: false, at: Instant(nanoseconds: 0), into: &changes)
      }
      let refusals = outcomes.compactMap { if case .refused(let refusal) = $0 { refusal } else { nil } }
      #expect(refusals.count == 8)
      #expect(refusals.prefix(2).allSatisfy { $0.hasSameReason(as: .tooCostlyToMatch("")) })
      #expect(refusals.suffix(6).allSatisfy { $0.hasSameReason(as: .overBudget("")) })
      #expect(refusals.last?.description.contains("the expressions of one update share a budget") == true)
    }
  }

  @Test func `an object whose checks stay within the budget is applied as a whole`() throws {
    let store = ValueStore()
    let extraction = Extraction(pointer: nil, pattern: try Pattern("^(?:[a-z]|[0-9])*$"))
    let ids = try (0..<12).map {
      try store.declare(name("v\($0)"), kind: .text, source: .client, extraction: extraction)
    }
    let content = [UInt8](repeating: UInt8(ascii: "7"), count: 20_000)
    var budget = SearchBudget.transaction
    // All of them together cost more than half of the budget, and are searched twice.
    for _ in ids { _ = extraction?.pattern?.search(content.span, within: &budget) }
    #expect(budget.steps > 0)
    #expect(budget.steps < SearchBudget.transaction.steps / 2)
    var transaction = ValueTransaction()
    for index in ids.indices { transaction.set(Array("v\(index)".utf8).span, to: content.span) }
    #expect(try store.commit(transaction, at: Instant(nanoseconds: 0)).changes.count == 12)
  }

  @Test func `an object that is over budget is refused as a whole`() throws {
    let store = ValueStore()
    let extraction = Extraction(pointer: nil, pattern: try Pattern("^(?:[a-z]|[0-9])*$"))
    let content = [UInt8](repeating: UInt8(ascii: "7"), count: 12_000)
    var transaction = ValueTransaction()
    for index in 0..<60 {
      try store.declare(name("v\(index)"), kind: .text, source: .client, extraction: extraction)
      transaction.set(Array("v\(index)".utf8).span, to: content.span)
    }
    let error = #expect(throws: ValueStoreError.self) { try store.commit(transaction, at: Instant(nanoseconds: 0)) }
    #expect(error?.description.contains("share a budget") == true)
    #expect(store.ids.allSatisfy { store.value(of: $0) == nil })
    #expect(store.refusedCount == 1)
  }
}
