import Testing

@testable import SoundTrigger

/// Where a value begins: what its first content is.
struct ValueBeginningTests {
  /// How a first content arrives.
  private enum Beginning { case appearance, change }

  private func expect(
    _ outcome: UpdateOutcome, _ beginning: Beginning, _ id: ValueID, _ value: Value,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let change =
      switch beginning {
      case .appearance: Change(value: id, old: value, new: value, isAppearance: true)
      case .change: Change(value: id, old: nil, new: value)
      }
    #expect(outcome == .changed(change), sourceLocation: sourceLocation)
  }

  @Test func `an event that is found in a file is an appearance, the next one is not`() throws {
    let store = ValueStore()
    let id = try store.declare(name("e"), kind: .event, source: .file(path: "/bell"))
    for isAppearance in [true, false] {
      guard case .changed(let change) = store.update(id, "ring") else {
        Issue.record("no change")
        return
      }
      #expect(change.isAppearance == isAppearance)
    }
  }

  @Test func `the first event of a named pipe or a client is a change with no old value`() throws {
    for source in [ValueSource.client, .file(path: "/p", aspect: .fifo)] {
      let store = ValueStore()
      let id = try store.declare(name("e"), kind: .event, source: source)
      #expect(store.update(id, "ring") == .changed(Change(value: id, old: nil, new: .text("ring"))))
    }
  }

  @Test func `the first content of a value that began at nothing is a change with no old value`() throws {
    let store = ValueStore()
    let id = try store.declare(name("l"), kind: .text, source: .file(path: "/l", aspect: .lines))
    store.beginAtNothing(id)
    // Declared again with the same source, as a reload does.
    try store.declare(name("l"), kind: .text, source: .file(path: "/l", aspect: .lines))
    #expect(store.update(id, "a") == .changed(Change(value: id, old: nil, new: .text("a"))))
    #expect(store.update(id, "b") == .changed(Change(value: id, old: .text("a"), new: .text("b"))))
  }

  @Test func `another source is looked at anew`() throws {
    let store = ValueStore()
    let id = try store.declare(name("l"), kind: .text, source: .file(path: "/l"))
    store.beginAtNothing(id)
    try store.declare(name("l"), kind: .text, source: .file(path: "/other"))
    #expect(
      store.update(id, "a") == .changed(Change(value: id, old: .text("a"), new: .text("a"), isAppearance: true)))
  }

  @Test func `a value that began at nothing is compared with its content of the last run`() throws {
    for (content, isAppearance) in [("same", true), ("other", false)] {
      let store = ValueStore()
      try store.restore(SavedContent(Value.text(Array("same".utf8)), as: .text), of: name("f"))
      let id = try store.declare(name("f"), kind: .text, source: .file(path: "/f"))
      store.beginAtNothing(id)
      guard case .changed(let change) = store.update(id, content) else {
        Issue.record("no change")
        return
      }
      #expect(change.isAppearance == isAppearance)
    }
  }

  @Test(arguments: [FileAspect.content, .lines, .count, .exists])
  func `what soundd finds in a source at the start is an appearance`(aspect: FileAspect) throws {
    let (store, id) = try storeWithValue(kind: .text, source: .file(path: "/f", aspect: aspect))
    expect(store.update(id, "a"), .appearance, id, .text("a"))
  }

  @Test(arguments: [FileAspect.content, .lines, .count, .exists])
  func `after a content that the type refuses, the first content is a change`(aspect: FileAspect) throws {
    let (store, id) = try storeWithValue(kind: .number, source: .file(path: "/f", aspect: aspect))
    #expect(store.update(id, "starting") == .refused(.notANumber("'starting'")))
    expect(store.update(id, "95"), .change, id, .number(95))
  }

  @Test func `after a content in which match finds nothing, the first content is a change`() throws {
    let store = ValueStore()
    let id = try store.declare(
      name("v"), kind: .number, source: .file(path: "/f"),
      extraction: Extraction(pointer: nil, pattern: try Pattern("t=([0-9]+)")))
    #expect(store.update(id, "no number yet") == .ignored)
    expect(store.update(id, "t=5"), .change, id, .number(5))
  }

  @Test func `after a long file that the type refuses, the first content is a change`() throws {
    let (store, id) = try storeWithValue(kind: .number, source: .file(path: "/f"))
    #expect(
      store.update(id, bytes: [UInt8](repeating: 1, count: 70_000)) == .refused(.tooLong(length: 70_000, kind: .number))
    )
    expect(store.update(id, "1"), .change, id, .number(1))
  }

  /// Clients and named pipes have nothing to look at, so that a refused line is no beginning.
  @Test(arguments: [ValueSource.client, .file(path: "/p", aspect: .fifo)])
  func `the first content of a client or a named pipe is an appearance`(source: ValueSource) throws {
    let (store, id) = try storeWithValue(kind: .number, source: source)
    #expect(store.update(id, "x") == .refused(.notANumber("'x'")))
    expect(store.update(id, "1"), .appearance, id, .number(1))
  }

  @Test func `an undeclared name begins at its first content`() throws {
    let store = ValueStore()
    let id = try store.client("free")
    expect(store.update(id, "1"), .appearance, id, .text("1"))
  }

  @Test func `a name that only cancel uses is an event, and its first arrival is a change`() throws {
    let store = ValueStore()
    let id = try store.useUndeclared(name("acknowledged"), kind: .event)
    #expect(try store.client("acknowledged") == id)
    #expect(!store.snapshot(of: id).isDeclared)
    expect(store.update(id, "1"), .change, id, .text("1"))
    #expect(store.update(id, "1") == .changed(Change(value: id, old: .text("1"), new: .text("1"))))
  }

  @Test func `a known name that only cancel uses becomes an event, and its next arrival is a change`() throws {
    let store = ValueStore()
    let id = try store.client("acknowledged")
    _ = store.update(id, "1")
    #expect(try store.useUndeclared(name("acknowledged"), kind: .event) == id)
    expect(store.update(id, "1"), .change, id, .text("1"))
  }

  @Test func `without the content of the last run, what soundd finds is silent`() throws {
    let store = ValueStore()
    let saved = SavedContent(.text("old"), as: .text)
    try store.restore(saved, of: name("v"))
    let id = try store.declare(name("v"), kind: .text, source: .file(path: "/f"))
    #expect(
      store.update(id, "new")
        == .changed(
          Change(value: id, old: .text("new"), new: .text("new"), isAppearance: true, saved: saved)))
  }

  // MARK: Derived values

  private func storeWithDerived(
    baseKind: ValueKind = .text, base: ValueSource = .file(path: "/f"), kind: ValueKind = .number, match: String? = nil
  ) throws -> (store: ValueStore, base: ValueID, id: ValueID) {
    let store = ValueStore()
    let base = try store.declare(name("base"), kind: baseKind, source: base)
    let id = try store.declare(
      name("v"), kind: kind, source: .derived(from: name("base")),
      extraction: Extraction(pointer: nil, pattern: try match.map { try Pattern($0) }))
    return (store, base, id)
  }

  /// Updates the base, and then the derived value, as the pipeline does.
  private func update(_ store: ValueStore, _ base: ValueID, _ content: String, deriving id: ValueID) -> UpdateOutcome {
    let outcome = store.update(base, content)
    return store.derive(id, from: base, baseAppears: outcome.isAppearance, at: Instant(nanoseconds: 0))
  }

  @Test func `a derived value appears with its base`() throws {
    let (store, base, id) = try storeWithDerived()
    expect(update(store, base, "5", deriving: id), .appearance, id, .number(5))
  }

  @Test func `the first content of a derived value is a change if its base began at nothing`() throws {
    let (store, base, id) = try storeWithDerived()
    store.beginAtNothing(base)
    expect(update(store, base, "5", deriving: id), .change, id, .number(5))
  }

  @Test func `the first content of a derived value is a change if its base is a client's event`() throws {
    let (store, base, id) = try storeWithDerived(baseKind: .event, base: .client)
    expect(update(store, base, "5", deriving: id), .change, id, .number(5))
  }

  @Test(arguments: [ValueSource.client, .file(path: "/f")])
  func `a derived value without content begins at nothing if its base has content`(source: ValueSource) throws {
    for (content, match) in [("starting", nil), ("starting", "t=([0-9]+)")] {
      let (store, base, id) = try storeWithDerived(base: source, match: match)
      _ = update(store, base, content, deriving: id)
      #expect(store.value(of: id) == nil)
      expect(update(store, base, match == nil ? "7" : "t=7", deriving: id), .change, id, .number(7))
    }
  }

  @Test func `a derived value compares its first content with the one of the last run`() throws {
    for last in [5.0, 6] {
      let (store, base, id) = try storeWithDerived()
      let saved = SavedContent(.number(last), as: .number)
      try store.restore(saved, of: name("v"))
      store.beginAtNothing(base)
      let isSame = last == 5
      #expect(
        update(store, base, "5", deriving: id)
          == .changed(
            Change(
              value: id, old: isSame ? .number(5) : nil, new: .number(5), isAppearance: isSame,
              saved: isSame ? nil : saved)))
    }
  }

  @Test func `a derived value that a reload adds appears with the present content of its base`() throws {
    let store = ValueStore()
    let base = try store.declare(name("base"), kind: .text, source: .file(path: "/f"))
    store.beginAtNothing(base)
    _ = store.update(base, "5")
    let id = try store.declare(name("v"), kind: .number, source: .derived(from: name("base")))
    expect(store.rederive(id, from: base, at: Instant(nanoseconds: 1)), .appearance, id, .number(5))
  }

  @Test func `a derived value that a reload adds begins at nothing if its base has no number`() throws {
    let store = ValueStore()
    let base = try store.declare(name("base"), kind: .text, source: .file(path: "/f"))
    _ = store.update(base, "starting")
    let id = try store.declare(name("v"), kind: .number, source: .derived(from: name("base")))
    #expect(store.rederive(id, from: base, at: Instant(nanoseconds: 1)) == .refused(.notANumber("'starting'")))
    expect(update(store, base, "5", deriving: id), .change, id, .number(5))
  }
}
