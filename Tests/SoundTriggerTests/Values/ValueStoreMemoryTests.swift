import Testing

@testable import SoundTrigger

/// What contents take, what is refused beyond it, and what is forgotten.
struct ValueStoreMemoryTests {
  private func set(_ store: ValueStore, _ name: String, _ length: Int) throws(ValueStoreError) {
    var changes: [Change] = []
    let content = [UInt8](repeating: UInt8(ascii: "x"), count: length)
    let (_, outcome) = try store.assign(
      Array(name.utf8).span, content: content.span, at: Instant(nanoseconds: 0), into: &changes)
    if case .refused(let refusal) = outcome { throw .refused(name: name, refusal) }
  }

  @Test func `short contents take nothing, long ones their length, and a document both of its forms`() throws {
    let store = ValueStore()
    try set(store, "a", 15)
    #expect(store.contentBytes == 0)
    try set(store, "a", 1000)
    #expect(store.contentBytes == 1000)
    try set(store, "b", 65_536)
    #expect(store.contentBytes == 66_536)
    let json = try store.declare(name("j"), kind: .json, source: .client)
    _ = store.update(json, "[\"\(String(repeating: "y", count: 96))\" ]")
    #expect(store.contentBytes == 66_536 + 101 + 100)
    // Only a fingerprint is kept.
    let id = try #require(store.find("b"))
    var content = store.makeAccumulator(for: id)
    content.append([UInt8](repeating: 1, count: 70_000).span)
    _ = store.update(id, content: content, at: Instant(nanoseconds: 0))
    #expect(store.contentBytes == 1000 + 201)
    store.retract(json)
    #expect(store.contentBytes == 1000)
    try set(store, "a", 0)
    _ = store.update(json, "1")
    #expect(store.contentBytes == 0)
  }

  @Test func `the canonical form of a short document may be long`() throws {
    let (store, id) = try storeWithValue(kind: .json)
    _ = store.update(id, "[1e20,1e20]")
    #expect(store.contentBytes == 45)
    _ = store.update(id, "1")
    #expect(store.contentBytes == 0)
  }

  @Test func `beyond the room undeclared values do not grow, and declared ones do`() throws {
    let store = ValueStore()
    let declared = try store.declare(name("declared"), kind: .text, source: .client)
    store.setRoom(2000)
    try set(store, "a", 1500)
    let error = #expect(throws: ValueStoreError.self) { try set(store, "b", 501) }
    #expect(error?.description.contains("limits.memory") == true)
    #expect(store.find("b") == nil)
    #expect(throws: ValueStoreError.self) { try set(store, "a", 2001) }
    #expect(store.refusedCount == 2)
    #expect(store.snapshot(of: try #require(store.find("a"))).refusals == 1)
    try set(store, "b", 500)
    try set(store, "declared", 60_000)
    #expect(store.value(of: declared)?.isLong == true)
    // Less, or nothing that counts, is always taken.
    try set(store, "a", 1400)
    try set(store, "c", 15)
    #expect(store.contentBytes == 500 + 60_000 + 1400)
  }

  @Test func `an object whose members do not fit together is refused as a whole, in any order`() throws {
    for names in [["a", "b", "d"], ["d", "b", "a"]] {
      let store = ValueStore()
      try store.declare(name("d"), kind: .text, source: .client)
      store.setRoom(1000)
      var transaction = ValueTransaction()
      for (name, length) in zip(names, [501, 501, 5000]) {
        transaction.set(Array(name.utf8).span, to: [UInt8](repeating: 120, count: length).span)
      }
      if names[0] == "a" {
        #expect(throws: ValueStoreError.self) { try store.commit(transaction, at: Instant(nanoseconds: 0)) }
        #expect(store.count == 1)
        #expect(store.contentBytes == 0)
      } else {
        // Here the large one is declared no more.
        #expect(throws: ValueStoreError.self) { try store.commit(transaction, at: Instant(nanoseconds: 0)) }
      }
      #expect(store.refusedCount == 1)
    }
  }

  @Test func `what shrinks gives its memory back`() throws {
    let (store, id) = try storeWithValue(kind: .number)
    _ = store.update(id, String(repeating: "0", count: 60_000) + "1")
    _ = store.update(id, "00000000000000002")
    #expect(store.table.entries[id.index].bytes.map(capacity) ?? .max < 1024)
  }

  private func capacity(_ bytes: ByteString) -> Int { bytes.array.capacity }

  @Test func `a forgotten name makes room for another one, and begins anew`() throws {
    let store = ValueStore(limit: 2)
    try set(store, "a", 100)
    try set(store, "b", 200)
    #expect(throws: ValueStoreError.self) { try set(store, "c", 1) }
    store.restore(SavedContent(digest: SIMD8(repeating: 1)), of: try name("a"))
    let a = try #require(store.find("a"))
    store.remove(a)
    #expect(store.count == 1)
    #expect(store.find("a") == nil)
    #expect(store.contentBytes == 200)
    #expect(Array(store.ids).map(store.name).map(\.description) == ["b"])
    #expect(!store.isPresent(a))
    try set(store, "c", 16)
    #expect(store.find("c") == a)
    #expect(store.snapshot(of: a).updates == 1)
    #expect(store.contentDigests().map(\.name.description).sorted() == ["b", "c"])
    #expect(throws: ValueStoreError.self) { try set(store, "a", 1) }
  }

  @Test func `a value whose content is forgotten keeps its place and begins anew`() throws {
    let (store, id) = try storeWithValue(kind: .number)
    store.restore(SavedContent(digest: SIMD8(repeating: 1)), of: try name("v"))
    _ = store.update(id, "1")
    _ = store.update(id, "x")
    store.forgetContent(of: id)
    #expect(
      store.snapshot(of: id) == ValueSnapshot(name: try name("v"), kind: .number, source: .client, isDeclared: true))
    #expect(store.savedContent(of: id) == nil)
    #expect(store.update(id, "1").isAppearance)
  }

  /// Names come and go, and the store knows the same as a dictionary.
  @Test func `random names, contents and forgetting agree with a plain model`() throws {
    var generator = SplitMix64(seed: 11)
    let store = ValueStore(limit: 24)
    store.setRoom(4000)
    var model: [String: Int] = [:]
    for _ in 0..<20_000 {
      let name = "n\(Int.random(in: 0..<40, using: &generator))"
      if Int.random(in: 0..<3, using: &generator) == 0 {
        #expect((store.find(name) != nil) == (model[name] != nil))
        if let id = store.find(name) { store.remove(id) }
        model[name] = nil
      } else {
        let length = [0, 1, 15, 16, 200, 900].randomElement(using: &generator) ?? 0
        let own = length > 15 ? length : 0
        let others = model.filter { $0.key != name }.values.reduce(0) { $0 + ($1 > 15 ? $1 : 0) }
        let growsTooMuch = own > (model[name].map { $0 > 15 ? $0 : 0 } ?? 0) && others + own > 4000
        let isTaken = (model[name] != nil || model.count < 24) && !growsTooMuch
        do throws(ValueStoreError) {
          try set(store, name, length)
          #expect(isTaken)
        } catch {
          #expect(!isTaken)
        }
        if isTaken { model[name] = length }
      }
      #expect(store.count == model.count)
      #expect(store.contentBytes == model.values.reduce(0) { $0 + ($1 > 15 ? $1 : 0) })
    }
    #expect(Set(store.ids.map { store.name(of: $0).description }) == Set(model.keys))
    for (name, length) in model { #expect(store.find(name).flatMap { store.value(of: $0)?.text.utf8.count } == length) }
  }
}
