import Testing

@testable import SoundTrigger

/// The result of an update, with its change.
enum UpdateOutcome: Equatable {
  case unchanged
  case changed(Change)
  case ignored
  case refused(ValueRefusal)

  /// What an update returned, and the changes that it appended.
  init(_ outcome: SoundTrigger.UpdateOutcome, _ changes: [Change]) {
    self =
      switch outcome {
      case .unchanged: .unchanged
      case .ignored: .ignored
      case .refused(let refusal): .refused(refusal)
      case .changed, .appeared: changes.count == 1 ? .changed(changes[0]) : .ignored
      }
    // Nothing else appends a change, and an appearance is one.
    let isAppearance: Bool? = if case .changed(let change) = self { change.isAppearance } else { nil }
    #expect(changes.count == (isAppearance == nil ? 0 : 1))
    #expect(outcome.isAppearance == (isAppearance ?? false))
  }

  /// Whether the value begins with this content.
  var isAppearance: Bool { if case .changed(let change) = self { change.isAppearance } else { false } }
}

extension ValueStore {
  func update(_ id: ValueID, content: Span<UInt8>, at now: Instant) -> UpdateOutcome {
    var changes: [Change] = []
    let outcome = update(id, content: content, at: now, into: &changes)
    return UpdateOutcome(outcome, changes)
  }

  func update(_ id: ValueID, content: borrowing ContentAccumulator, at now: Instant) -> UpdateOutcome {
    var changes: [Change] = []
    let outcome = update(id, content: content, at: now, into: &changes)
    return UpdateOutcome(outcome, changes)
  }

  func derive(_ id: ValueID, from base: ValueID, baseAppears: Bool, at now: Instant) -> UpdateOutcome {
    var changes: [Change] = []
    let outcome = derive(id, from: base, baseAppears: baseAppears, at: now, into: &changes)
    return UpdateOutcome(outcome, changes)
  }

  func rederive(_ id: ValueID, from base: ValueID, at now: Instant) -> UpdateOutcome {
    var changes: [Change] = []
    let outcome = rederive(id, from: base, at: now, into: &changes)
    return UpdateOutcome(outcome, changes)
  }

  /// Returns the changes and what was updated.
  @discardableResult
  func commit(
    _ transaction: borrowing ValueTransaction, at now: Instant
  ) throws(ValueStoreError) -> (changes: [Change], updates: [MemberUpdate]) {
    var (changes, updates): ([Change], [MemberUpdate]) = ([], [])
    try commit(transaction, at: now, into: &changes, updates: &updates)
    return (changes, updates)
  }

  /// Updates a value by the text of its new content.
  func update(_ id: ValueID, _ text: String, at nanoseconds: Int64 = 0) -> UpdateOutcome {
    update(id, content: Array(text.utf8).span, at: Instant(nanoseconds: nanoseconds))
  }

  func update(_ id: ValueID, bytes: [UInt8], at nanoseconds: Int64 = 0) -> UpdateOutcome {
    update(id, content: bytes.span, at: Instant(nanoseconds: nanoseconds))
  }

  func client(_ name: String) throws(ValueStoreError) -> ValueID {
    try idDeclaringIfNeeded(Array(name.utf8).span)
  }

  func find(_ name: String) -> ValueID? { id(of: Array(name.utf8).span) }
}

/// A store with one declared value.
func storeWithValue(
  kind: ValueKind, trim: Bool = true, source: ValueSource = .client
) throws -> (store: ValueStore, id: ValueID) {
  let store = ValueStore()
  return (store, try store.declare(name("v"), kind: kind, source: source, trim: trim))
}

struct InvalidTestName: Error {}

func name(_ text: String) throws -> ValueName {
  guard let name = ValueName(text) else { throw InvalidTestName() }
  return name
}

extension Value {
  static func text(_ text: String) -> Value { .text(Array(text.utf8)) }
}

extension ValueStore {
  /// What is known of all contents.
  func contentDigests() -> [(name: ValueName, digest: SIMD8<UInt32>)] {
    ids.compactMap { id in savedContent(of: id).map { (name(of: id), $0.digest) } }
  }

  /// An empty accumulator, which trims as the value does.
  func makeAccumulator(for id: ValueID) -> ContentAccumulator {
    ContentAccumulator(trim: table.entries[id.index].declaration.trim)
  }
}
