import SoundTrigger
import Testing

struct ValueTransactionTests {
  private func commit(
    _ store: ValueStore, _ members: [(String, String)], at nanoseconds: Int64 = 0
  ) throws(ValueStoreError) -> [Change] {
    try commitAll(store, members, at: nanoseconds).changes
  }

  private func commitAll(
    _ store: ValueStore, _ members: [(String, String)], at nanoseconds: Int64 = 0
  ) throws(ValueStoreError) -> (changes: [Change], updates: [MemberUpdate]) {
    var transaction = ValueTransaction()
    for (name, content) in members { transaction.set(Array(name.utf8).span, to: Array(content.utf8).span) }
    return try store.commit(transaction, at: Instant(nanoseconds: nanoseconds))
  }

  private func makeStore() throws -> (store: ValueStore, a: ValueID, b: ValueID) {
    let store = ValueStore(limit: 4)
    let a = try store.declare(name("a"), kind: .text, source: .client)
    let b = try store.declare(name("b"), kind: .number, source: .client)
    _ = store.update(a, "A")
    _ = store.update(b, "1")
    return (store, a, b)
  }

  @Test func `every value that differs at the end changes once`() throws {
    let (store, a, b) = try makeStore()
    let changes = try commit(store, [("a", "X"), ("b", "2"), ("a", "Y"), ("b", "1.0"), ("b", "3")])
    #expect(
      changes == [
        Change(value: a, old: .text("A"), new: .text("Y")), Change(value: b, old: .number(1), new: .number(3)),
      ])
    #expect(store.snapshot(of: a).updates == 2)
  }

  @Test func `there and back again is silence`() throws {
    let (store, a, _) = try makeStore()
    #expect(try commit(store, [("a", "B"), ("a", "A")]).isEmpty)
    #expect(try commit(store, [("b", "2"), ("a", "B"), ("b", "1e0"), ("a", "A")]).isEmpty)
    #expect(store.value(of: a) == .text("A"))
  }

  @Test func `members that stay equal are told of too, for they were updated`() throws {
    let (store, a, b) = try makeStore()
    let updates = try commitAll(store, [("b", "1.0"), ("a", "B"), ("a", "A"), ("b", "1")]).updates
    #expect(updates.map(\.value) == [a, b])
    #expect(updates.allSatisfy { $0.outcome == .unchanged })
  }

  @Test func `an event is one change however often it comes`() throws {
    let store = ValueStore()
    let id = try store.declare(name("e"), kind: .event, source: .client)
    _ = store.update(id, "x")
    #expect(
      try commit(store, [("e", "y"), ("e", "x")]) == [Change(value: id, old: .text("x"), new: .text("x"))])
  }

  @Test func `a refused member keeps all others from happening`() throws {
    let (store, a, b) = try makeStore()
    for members in [
      [("a", "X"), ("new", "1"), ("b", "x")], [("b", "x"), ("a", "X")], [("a", "X"), ("b", "x"), ("b", "2")],
    ] {
      #expect(throws: ValueStoreError.refused(name: "b", .notANumber("'x'"))) { try commit(store, members) }
    }
    #expect(store.value(of: a) == .text("A"))
    #expect(store.value(of: b) == .number(1))
    #expect(store.snapshot(of: b).refusals == 3)
    #expect(store.snapshot(of: a).updates == 1)
    #expect(store.find("new") == nil)
    #expect(
      ValueStoreError.refused(name: "b", .notANumber("'x'")).description == "'b': 'x' is not a number")
  }

  @Test func `names, sources and the limit stand against a transaction too`() throws {
    let (store, a, _) = try makeStore()
    _ = try store.declare(name("f"), kind: .text, source: .file(path: "/f"))
    #expect(throws: ValueStoreError.fedByFile(name: "f", path: "/f")) { try commit(store, [("a", "X"), ("f", "")]) }
    #expect(throws: ValueStoreError.invalidName("'!'")) { try commit(store, [("a", "X"), ("!", "")]) }
    #expect(throws: ValueStoreError.tooManyValues(name: "n2", limit: 4)) {
      try commit(store, [("a", "X"), ("n1", ""), ("n2", "")])
    }
    #expect(store.count == 3)
    #expect(store.value(of: a) == .text("A"))
  }

  @Test func `new names are declared once, also at the limit`() throws {
    let (store, _, _) = try makeStore()
    let changes = try commit(store, [("n1", "1"), ("n1", "2"), ("n2", "x"), ("n1", "3")], at: 9)
    let first = try #require(store.find("n1"))
    let second = try #require(store.find("n2"))
    #expect(store.count == 4)
    #expect(
      changes == [
        Change(value: first, old: .text("3"), new: .text("3"), isAppearance: true),
        Change(value: second, old: .text("x"), new: .text("x"), isAppearance: true),
      ])
    #expect(store.snapshot(of: first).changedAt == Instant(nanoseconds: 9))
  }

  @Test func `the order of the members never matters`() throws {
    let members = [("new/b", "1"), ("b", "7"), ("new/a", "2"), ("a", "B")]
    var results: [(changes: [Change], updates: [MemberUpdate])] = []
    for order in [members, members.reversed(), [members[2], members[0], members[3], members[1]]] {
      let (store, _, _) = try makeStore()
      results.append(try commitAll(store, order))
      #expect(store.ids.map { store.name(of: $0).description } == ["a", "b", "new/a", "new/b"])
      let (full, _, _) = try makeStore()
      #expect(throws: ValueStoreError.tooManyValues(name: "z", limit: 4)) {
        try commit(full, order + [("z", "")])
      }
    }
    #expect(results[0].updates.map(\.value.index) == [0, 1, 2, 3])
    #expect(results.allSatisfy { $0 == results[0] })
  }

  @Test func `a refusal among several is the same in every order, and is counted`() throws {
    for order in [[("b", "x"), ("c", "y")], [("c", "y"), ("b", "x")]] {
      let (store, _, b) = try makeStore()
      try store.declare(name("c"), kind: .bool, source: .client)
      #expect(throws: ValueStoreError.refused(name: "b", .notANumber("'x'"))) { try commit(store, order) }
      #expect(store.snapshot(of: b).refusals == 1)
      #expect(store.refusedCount == 1)
    }
  }

  @Test func `a transaction takes the members of a line and serves again once emptied`() throws {
    let (store, a, b) = try makeStore()
    var transaction = ValueTransaction()
    var updates = 0
    for (line, text, number) in [(#"{"\u0061":"x\"y","b":2.50}"#, "x\"y", 2.5), (#"{"a":[1, 2],"b":3}"#, "[1, 2]", 3)] {
      let bytes = Array(line.utf8)
      var scanner = try JSONScanner(object: bytes.span)
      while let (name, value) = try scanner.nextMember(in: bytes.span) {
        transaction.set(name, to: value, of: bytes.span)
      }
      #expect(transaction.count == 2)
      updates += try store.commit(transaction, at: Instant(nanoseconds: 0)).updates.count
      transaction.removeAll()
      #expect(store.value(of: a) == .text(text))
      #expect(store.value(of: b) == .number(number))
    }
    #expect(updates == 4)
    #expect(try store.commit(transaction, at: Instant(nanoseconds: 0)).updates.isEmpty)
  }
}
