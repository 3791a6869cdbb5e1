import Testing

@testable import SoundTrigger

struct DerivationTests {
  private func make(
    _ baseKind: ValueKind, _ kind: ValueKind, json: String? = nil, match: String? = nil, _ comparison: Comparison? = nil
  ) throws -> (store: ValueStore, base: ValueID, id: ValueID) {
    let store = ValueStore()
    let base = try store.declare(name("base"), kind: baseKind, source: .client)
    return (store, base, try declare(store, kind, json: json, match: match, comparison))
  }

  @discardableResult
  private func declare(
    _ store: ValueStore, _ kind: ValueKind, json: String? = nil, match: String? = nil, _ comparison: Comparison? = nil
  ) throws -> ValueID {
    try store.declare(
      name("v"), kind: kind, source: .derived(from: try name("base")),
      extraction: Extraction(pointer: try json.map { try JSONPointer($0) }, pattern: try match.map { try Pattern($0) }),
      comparison: comparison)
  }

  /// `appears`: whether the content of the base is an appearance, as its first one is.
  private func derive(
    _ store: ValueStore, _ id: ValueID, _ base: ValueID, appears: Bool = true, at nanoseconds: Int64 = 0
  ) -> UpdateOutcome {
    store.derive(id, from: base, baseAppears: appears, at: Instant(nanoseconds: nanoseconds))
  }

  @Test(
    arguments: [
      (.text, .equals(.text("up")), ["up", "down", "Up", "up "], [true, false, false, true]),
      (.number, .equals(.number(1)), ["1.0", "2", "1e0"], [true, false, true]),
      (.bool, .equals(.bool(false)), ["no", "on"], [true, false]),
      (.json, .equals(.json(Array("[1]".utf8))), ["[ 1.0 ]", "[]"], [true, false]),
      (.event, .equals(.text("go")), ["go", "stay", "go"], [true, false, true]),
      // The bounds themselves lie outside.
      (.number, .lies(above: 10, below: nil), ["10", "10.001", "9"], [false, true, false]),
      (.number, .lies(above: nil, below: 10), ["10", "10.001", "9"], [false, false, true]),
      (.number, .lies(above: 10, below: 20), ["10", "15", "20", "25", "5"], [false, true, false, false, false]),
    ] as [(ValueKind, Comparison, [String], [Bool])])
  func `a comparison tells of each content whether it holds`(
    kind: ValueKind, comparison: Comparison, contents: [String], answers: [Bool]
  ) throws {
    let (store, base, id) = try make(kind, .bool, comparison)
    for (content, answer) in zip(contents, answers) {
      _ = store.update(base, content)
      _ = derive(store, id, base)
      #expect(store.value(of: id) == .bool(answer), "\(content)")
    }
  }

  @Test(
    arguments: [
      (
        .equals(.text("3")), [#"{"a":3}"#, #"{"a":"3"}"#, #"{"a":3.0}"#, #"{"a":"\u0033"}"#], [true, true, false, true]
      ),
      (.lies(above: 2, below: nil), [#"{"a":3}"#, #"{"a":"1.5"}"#], [true, false]),
    ] as [(Comparison, [String], [Bool])])
  func `what was taken out is compared as a text, or as the number that it is`(
    comparison: Comparison, contents: [String], answers: [Bool]
  ) throws {
    let (store, base, id) = try make(.text, .bool, json: "/a", comparison)
    for (content, answer) in zip(contents, answers) {
      _ = store.update(base, content)
      _ = derive(store, id, base)
      #expect(store.value(of: id) == .bool(answer), "\(content)")
    }
  }

  @Test(
    arguments: [
      (.number, .text, "1.50", .text("1.5")), (.number, .text, "2.0", .text("2")), (.bool, .text, "yes", .text("true")),
      (.json, .text, #"{"b": 1, "a": 2}"#, .text(#"{"a":2,"b":1}"#)), (.text, .number, "7", .number(7)),
      (.text, .event, "x", .text("x")), (.bool, .bool, "off", .bool(false)),
    ] as [(ValueKind, ValueKind, String, Value)])
  func `without a comparison it is the other's content, read as its own type`(
    baseKind: ValueKind, kind: ValueKind, content: String, value: Value
  ) throws {
    let (store, base, id) = try make(baseKind, kind)
    _ = store.update(base, content)
    #expect(derive(store, id, base) == .changed(Change(value: id, old: value, new: value, isAppearance: true)))
  }

  @Test(
    arguments: [
      .equals(.text("up")), .lies(above: 2, below: nil), .lies(above: nil, below: 2),
    ] as [Comparison])
  func `a comparison with what the document does not have is false`(comparison: Comparison) throws {
    let (store, base, id) = try make(.json, .bool, json: "/a/b", comparison)
    for (content, answer) in [
      (#"{"a":{"b":"up"}}"#, comparison == .equals(.text("up"))), ("{}", false),
      (#"{"a":{"b":3}}"#, comparison == .lies(above: 2, below: nil)),
      (#"{"a":{"b":null}}"#, false), (#"{"a":{"b":1}}"#, comparison == .lies(above: nil, below: 2)),
      (#"{"a":[]}"#, false), ("7", false),
    ] {
      // What is not a number is refused by the second and the third.
      if content.contains("up"), comparison != .equals(.text("up")) { continue }
      _ = store.update(base, content)
      _ = derive(store, id, base)
      #expect(store.value(of: id) == .bool(answer), "\(content)")
    }
  }

  @Test func `it changes when what follows changes, and only then`() throws {
    let (store, base, id) = try make(.number, .bool, .lies(above: 10, below: nil))
    _ = store.update(base, "5", at: 1)
    #expect(
      derive(store, id, base, at: 1)
        == .changed(Change(value: id, old: .bool(false), new: .bool(false), isAppearance: true)))
    _ = store.update(base, "6", at: 2)
    #expect(derive(store, id, base, at: 2) == .unchanged)
    _ = store.update(base, "16", at: 3)
    #expect(derive(store, id, base, at: 3) == .changed(Change(value: id, old: .bool(false), new: .bool(true))))
    #expect(store.snapshot(of: id).updates == 3)
    #expect(store.snapshot(of: id).changedAt == Instant(nanoseconds: 3))
    #expect(store.snapshot(of: id).text == "true")
  }

  @Test func `what does not follow is refused, and what does not match is ignored`() throws {
    let (store, base, id) = try make(.text, .number, match: "t=(\\S+)")
    #expect(derive(store, id, base) == .ignored)
    for (content, outcome) in [
      ("t=x", .refused(.notANumber("'x'"))), ("nothing", .ignored),
      ("t=5", .changed(Change(value: id, old: nil, new: .number(5)))), ("t=", .ignored),
    ] as [(String, UpdateOutcome)] {
      _ = store.update(base, content)
      #expect(derive(store, id, base) == outcome)
    }
    #expect(store.value(of: id) == .number(5))
    #expect(store.snapshot(of: id).refusals == 1)
  }

  @Test func `a comparison of numbers refuses what is none`() throws {
    let (store, base, id) = try make(.text, .bool, .lies(above: 1, below: nil))
    _ = store.update(base, "x")
    #expect(derive(store, id, base) == .refused(.notANumber("'x'")))
  }

  @Test func `of a long content there is only its fingerprint`() throws {
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 70_000)
    for (kind, match, comparison, expected) in [
      (.text, nil, nil, nil), (.event, nil, nil, nil), (.bool, nil, .equals(.text("x")), nil),
      (.text, "x", nil, .tooLongToExtract(length: 70_000)),
      (.number, nil, nil, .tooLong(length: 70_000, kind: .number)),
    ] as [(ValueKind, String?, Comparison?, ValueRefusal?)] {
      let (store, base, id) = try make(.text, kind, match: match, comparison)
      _ = store.update(base, bytes: long)
      let outcome = derive(store, id, base)
      if let expected { #expect(outcome == .refused(expected)) }
      let value = comparison == nil ? store.value(of: base) : .bool(false)
      #expect(store.value(of: id) == (expected == nil ? value : nil))
    }
  }

  @Test func `clients cannot set it`() throws {
    let (store, _, _) = try make(.text, .text)
    let error = #expect(throws: ValueStoreError.self) { try store.client("v") }
    #expect(error == .derived(name: "v", from: "base"))
    #expect(error?.description == "'v' is derived from 'base'; set that instead")
    var transaction = ValueTransaction()
    transaction.set(Array("v".utf8).span, to: [UInt8]().span)
    #expect(throws: ValueStoreError.derived(name: "v", from: "base")) {
      try store.commit(transaction, at: Instant(nanoseconds: 0))
    }
    #expect(ValueSource.derived(from: try name("base")).description == "the value 'base'")
  }

  @Test func `another declaration computes it anew, as an appearance`() throws {
    let (store, base, id) = try make(.number, .bool, .lies(above: 10, below: nil))
    _ = store.update(base, "15", at: 1)
    _ = derive(store, id, base, at: 1)
    #expect(store.rederive(id, from: base, at: Instant(nanoseconds: 2)) == .ignored)
    try declare(store, .bool, .lies(above: 20, below: nil))
    #expect(store.rederive(id, from: base, at: Instant(nanoseconds: 2)).isAppearance)
    #expect(store.value(of: id) == .bool(false))
    #expect(store.takeLost() == [id])
    #expect(derive(store, id, base, at: 3) == .unchanged)
    try declare(store, .text, match: "x")
    _ = store.rederive(id, from: base, at: Instant(nanoseconds: 4))
    #expect(store.value(of: id) == nil)
  }

  @Test func `it begins anew with its base, and so does what follows from it`() throws {
    let (store, base, id) = try make(.text, .text)
    let next = try store.declare(name("next"), kind: .text, source: .derived(from: name("v")))
    _ = store.update(base, "5")
    _ = derive(store, id, base)
    _ = derive(store, next, id)
    try store.declare(name("base"), kind: .number, source: .client)
    for (value, of) in [(id, base), (next, id)] {
      #expect(store.rederive(value, from: of, at: Instant(nanoseconds: 1)) == .ignored)
    }
    #expect(store.takeLost() == [base, id, next])
    _ = store.update(base, "5")
    #expect(derive(store, id, base).isAppearance)
  }

  @Test func `what was derived and is no more begins anew`() throws {
    let (store, base, id) = try make(.text, .bool, .equals(.text("up")))
    _ = store.update(base, "up")
    _ = derive(store, id, base)
    store.retract(id)
    #expect(store.value(of: id) == nil)
    #expect(try store.client("v") == id)
  }
}
