import Testing

@testable import SoundTrigger

struct ValueStoreDeclarationTests {
  @Test func `declaring the same again keeps everything`() throws {
    let (store, id) = try storeWithValue(kind: .number)
    _ = store.update(id, "5", at: 7)
    #expect(try store.declare(name("v"), kind: .number, source: .client) == id)
    #expect(store.takeLost() == [])
    #expect(store.snapshot(of: id).updates == 1)
    #expect(store.update(id, "5.0") == .unchanged)
    #expect(store.update(id, "6") == .changed(Change(value: id, old: .number(5), new: .number(6))))
  }

  /// The file at `/f` with a pattern is what the others differ from, each in one thing.
  @Test(
    arguments: [
      (.number, "/f", true, "(.*)"), (.text, "/g", true, "(.*)"), (.text, "/f", false, "(.*)"),
      (.text, "/f", true, nil),
    ] as [(ValueKind, String, Bool, String?)])
  func `another kind, source, trimming or extraction lets the value begin anew`(
    kind: ValueKind, path: String, trim: Bool, match: String?
  ) throws {
    let store = ValueStore()
    func declare(_ kind: ValueKind, _ path: String, _ trim: Bool, _ match: String?) throws -> ValueID {
      try store.declare(
        name("v"), kind: kind, source: .file(path: path), trim: trim,
        extraction: Extraction(pointer: nil, pattern: try match.map { try Pattern($0) }))
    }
    let id = try declare(.text, "/f", true, "(.*)")
    store.beginAtNothing(id)
    _ = store.update(id, "5")
    _ = try declare(.text, "/f", true, "(.*)")
    #expect(store.value(of: id) == .text("5"))
    #expect(try declare(kind, path, trim, match) == id)
    #expect(store.value(of: id) == nil)
    #expect(store.snapshot(of: id).updates == 0)
    #expect(store.takeLost() == [id])
    #expect(store.takeLost() == [])
    // What soundd then finds is where the value begins.
    #expect(store.update(id, "5").isAppearance)
  }

  @Test func `a value without content has none to lose`() throws {
    let (store, id) = try storeWithValue(kind: .text)
    try store.declare(name("v"), kind: .number, source: .client)
    #expect(store.takeLost() == [])
    #expect(store.kind(of: id) == .number)
  }

  @Test func `a retracted value is an undeclared text, which keeps its content if it was such a text`() throws {
    for (kind, kept) in [(ValueKind.text, "5.0"), (.number, nil)] {
      let (store, id) = try storeWithValue(kind: kind)
      _ = store.update(id, "5.0")
      store.retract(id)
      let snapshot = store.snapshot(of: id)
      #expect(!snapshot.isDeclared)
      #expect(snapshot.kind == .text)
      #expect(snapshot.text == kept)
      #expect(try store.client("v") == id)
    }
  }

  @Test func `a file's value that is retracted may be set`() throws {
    let (store, id) = try storeWithValue(kind: .text, source: .file(path: "/f"))
    #expect(throws: ValueStoreError.fedByFile(name: "v", path: "/f")) { try store.client("v") }
    store.retract(id)
    #expect(store.source(of: id) == .client)
    #expect(try store.client("v") == id)
  }
}
