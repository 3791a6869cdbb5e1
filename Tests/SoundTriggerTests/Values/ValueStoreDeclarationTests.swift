import SoundTrigger
import Testing

struct ValueStoreDeclarationTests {
  @Test func `declaring the same again, or another source, keeps everything`() throws {
    let (store, id) = try storeWithValue(kind: .number)
    _ = store.update(id, "5", at: 7)
    #expect(try store.declare(name("v"), kind: .number, source: .file(path: "/f")) == id)
    #expect(store.update(id, "5.0") == .unchanged)
    #expect(store.update(id, "6") == .changed(Change(value: id, old: .number(5), new: .number(6))))
    #expect(store.source(of: id) == .file(path: "/f"))
    #expect(throws: ValueStoreError.fedByFile(name: "v", path: "/f")) { try store.client("v") }
  }

  @Test(
    arguments: [
      (.text, .number, "5", .number(5)), (.number, .text, "5.0", .text("5.0")), (.bool, .number, "1", .number(1)),
      (.text, .json, #"{"b":1, "a":2}"#, .json(Array(#"{"a":2,"b":1}"#.utf8))), (.json, .text, "[ 1 ]", .text("[ 1 ]")),
      (.text, .event, "e", .text("e")), (.text, .bool, "maybe", nil), (.number, .bool, "7", nil),
    ] as [(ValueKind, ValueKind, String, Value?)])
  func `another kind reads the content anew or forgets it`(
    old: ValueKind, new: ValueKind, content: String, expected: Value?
  ) throws {
    let (store, id) = try storeWithValue(kind: old)
    _ = store.update(id, content)
    try store.declare(name("v"), kind: new, source: .client)
    #expect(store.kind(of: id) == new)
    #expect(store.value(of: id) == expected)
    #expect(store.snapshot(of: id).text == (expected == nil ? nil : content))
    #expect(store.snapshot(of: id).updates == 1)
  }

  @Test func `what was kept is what the next update is compared with`() throws {
    let (store, id) = try storeWithValue(kind: .text)
    _ = store.update(id, "5.0")
    try store.declare(name("v"), kind: .number, source: .client)
    #expect(store.update(id, "5") == .unchanged)
    try store.declare(name("v"), kind: .text, source: .client)
    #expect(store.update(id, "5") == .unchanged)
    try store.declare(name("v"), kind: .number, source: .client)
    #expect(store.update(id, "6") == .changed(Change(value: id, old: .number(5), new: .number(6))))
  }

  @Test func `what was forgotten appears again`() throws {
    let (store, id) = try storeWithValue(kind: .text)
    _ = store.update(id, "maybe")
    try store.declare(name("v"), kind: .bool, source: .client)
    #expect(
      store.update(id, "yes") == .changed(Change(value: id, old: .bool(true), new: .bool(true), isAppearance: true)))
  }

  @Test func `trimming that begins trims what is there, trimming that ends forgets it`() throws {
    let (store, id) = try storeWithValue(kind: .text, trim: false)
    _ = store.update(id, " a\n")
    try store.declare(name("v"), kind: .text, source: .client, trim: true)
    #expect(store.value(of: id) == .text("a"))
    #expect(store.update(id, "a") == .unchanged)
    try store.declare(name("v"), kind: .text, source: .client, trim: false)
    #expect(store.value(of: id) == nil)
    guard case .changed(let change) = store.update(id, "a") else {
      Issue.record("expected an appearance")
      return
    }
    #expect(change.isAppearance)
  }

  @Test func `a fingerprint outlives a change from text to event and no other`() throws {
    let (store, id) = try storeWithValue(kind: .text)
    _ = store.update(id, bytes: [UInt8](repeating: 1, count: 70_000))
    let fingerprint = store.value(of: id)
    try store.declare(name("v"), kind: .event, source: .client)
    #expect(fingerprint != nil && store.value(of: id) == fingerprint)
    try store.declare(name("v"), kind: .text, source: .client, trim: false)
    #expect(store.value(of: id) == nil)
    _ = store.update(id, bytes: [UInt8](repeating: 1, count: 70_000))
    try store.declare(name("v"), kind: .number, source: .client, trim: false)
    #expect(store.value(of: id) == nil)
  }

  @Test func `a retracted value goes on as an undeclared text`() throws {
    let (store, id) = try storeWithValue(kind: .number, source: .file(path: "/f"))
    _ = store.update(id, "5.0")
    store.retract(id)
    let snapshot = store.snapshot(of: id)
    #expect(!snapshot.isDeclared)
    #expect(snapshot.kind == .text)
    #expect(snapshot.source == .client)
    #expect(snapshot.text == "5.0")
    #expect(try store.client("v") == id)
    #expect(store.update(id, "5") == .changed(Change(value: id, old: .text("5.0"), new: .text("5"))))
    #expect(try store.declare(name("v"), kind: .number, source: .client) == id)
    #expect(store.value(of: id) == .number(5))
    #expect(store.snapshot(of: id).isDeclared)
  }
}
