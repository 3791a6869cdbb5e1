import SoundTrigger
import Testing

struct ExtractionTests {
  private func store(
    _ kind: ValueKind = .text, json: String? = nil, match: String? = nil, trim: Bool = true
  ) throws -> (store: ValueStore, id: ValueID) {
    let store = ValueStore()
    return (store, try declare(store, kind, json: json, match: match, trim: trim))
  }

  @discardableResult
  private func declare(
    _ store: ValueStore, _ kind: ValueKind = .text, json: String? = nil, match: String? = nil, trim: Bool = true
  ) throws -> ValueID {
    let extraction = Extraction(
      pointer: try json.map { try JSONPointer($0) }, pattern: try match.map { try Pattern($0) })
    return try store.declare(name("v"), kind: kind, source: .client, trim: trim, extraction: extraction)
  }

  @Test(
    arguments: [
      (.text, "/a", nil, #"{"a":"x\n\u00e9\"","b":1}"#, .text("x\né\"")),
      (.text, "/a", nil, #"{"a": [1, 2]}"#, .text("[1, 2]")),
      (.text, "/a", nil, #"{"a": 1.50}"#, .text("1.50")), (.number, "/a/1", nil, #"{"a":[1,2.5]}"#, .number(2.5)),
      (.number, "/a", nil, #"{"a":"7"}"#, .number(7)), (.bool, "/a", nil, #"{"a":true}"#, .bool(true)),
      (.json, "/a", nil, #"{"a":{"y":1.0, "x":2}}"#, .json(Array(#"{"x":2,"y":1}"#.utf8))),
      (.number, nil, "load: ([0-9.]+)", "load: 1.25, high", .number(1.25)),
      (.text, nil, "[a-z]+", "  12 ab 34\n", .text("ab")),
      // First the pointer, then the expression; also in what was written with escapes.
      (.number, "/a", "([0-9]+) C", #"{"a":"12 C, 34 C"}"#, .number(12)),
      (.text, "/a", "\"(.*)\"", #"{"a":"x \"y\" z"}"#, .text("y")),
      (.text, nil, "(x)?y", "y", .text("y")), (.text, nil, "a()", "a", .text("")),
      // White space goes before the pointer and the expression, and not after them.
      (.text, nil, "^a(.*)b$", " a c b ", .text(" c ")), (.text, "/a", nil, #" {"a":" x "} "#, .text(" x ")),
    ] as [(ValueKind, String?, String?, String, Value)])
  func `a value is what is taken out of its content`(
    kind: ValueKind, json: String?, match: String?, content: String, value: Value
  ) throws {
    let (store, id) = try store(kind, json: json, match: match)
    #expect(store.update(id, content) == .changed(Change(value: id, old: value, new: value, isAppearance: true)))
    #expect(store.value(of: id) == value)
  }

  @Test(
    arguments: [
      (.text, "/a", nil, #"{"b":1}"#, "the document has nothing at '/a'"),
      (.text, "/a", nil, #"{"a":null}"#, "the document has null at '/a', and no value can be null"),
      (.text, "/a", nil, "up", "'up' is not JSON: byte 0: expected a value, found 'u'"),
      (.number, "/a", nil, #"{"a":"warm"}"#, "'warm' is not a number"),
      (.number, nil, "t=(\\S+)", "t=warm", "'warm' is not a number"),
      (
        .text, nil, "^(a+)+$", String(repeating: "a", count: 30) + "!",
        "looking into 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' with match was given up, because it takes too long"
      ),
    ] as [(ValueKind, String?, String?, String, String)])
  func `what cannot be taken out is refused with the reason`(
    kind: ValueKind, json: String?, match: String?, content: String, message: String
  ) throws {
    let (store, id) = try store(kind, json: json, match: match)
    guard case .refused(let refusal) = store.update(id, content) else {
      Issue.record("expected a refusal")
      return
    }
    #expect(refusal.description == message)
    #expect(store.snapshot(of: id).refusals == 1)
    #expect(store.value(of: id) == nil)
  }

  @Test func `a content without a match is no update`() throws {
    let (store, id) = try store(match: "^state: (\\w+)")
    #expect(store.update(id, "hello", at: 1) == .ignored)
    #expect(store.value(of: id) == nil)
    _ = store.update(id, "state: up", at: 2)
    #expect(store.update(id, "hello", at: 3) == .ignored)
    #expect(store.update(id, "state: up", at: 4) == .unchanged)
    #expect(store.snapshot(of: id).updates == 2)
    #expect(store.snapshot(of: id).refusals == 0)
    #expect(store.lastUpdate(of: id) == Instant(nanoseconds: 4))
    #expect(store.update(id, "state: down") == .changed(Change(value: id, old: .text("up"), new: .text("down"))))
  }

  @Test func `what is not taken out may change as it likes`() throws {
    let (store, id) = try store(.number, json: "/t")
    _ = store.update(id, #"{"at":"12:00","t":1}"#)
    #expect(store.update(id, #"{"at":"12:01","t":1.0}"#) == .unchanged)
    #expect(store.update(id, #"{"t":1}"#) == .unchanged)
    #expect(store.update(id, #"{"at":"12:02","t":2}"#) == .changed(Change(value: id, old: .number(1), new: .number(2))))
    #expect(store.snapshot(of: id).text == "2")
    #expect(store.snapshot(of: id).updates == 4)
  }

  @Test func `every matching arrival of an event is a change, no other is`() throws {
    let (store, id) = try store(.event, match: "ERROR (.*)")
    _ = store.update(id, "ERROR a")
    #expect(store.update(id, "ERROR a") == .changed(Change(value: id, old: .text("a"), new: .text("a"))))
    #expect(store.update(id, "fine") == .ignored)
  }

  @Test func `64 KiB are looked into, one byte more is refused`() throws {
    let (store, id) = try store(match: "^x(y)?")
    let kept = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
    #expect(
      store.update(id, bytes: kept) == .changed(Change(value: id, old: .text("x"), new: .text("x"), isAppearance: true))
    )
    let refusal = ValueRefusal.tooLongToExtract(length: 65_537)
    #expect(store.update(id, bytes: kept + [0x78]) == .refused(refusal))
    #expect(refusal.description == "65537 bytes are too long to look into with json or match (at most 65536)")
    var accumulator = store.makeAccumulator(for: id)
    for _ in 0..<3 { accumulator.append(kept.span) }
    #expect(
      store.update(id, content: accumulator, at: Instant(nanoseconds: 0))
        == .refused(.tooLongToExtract(length: 196_608)))
    #expect(store.value(of: id) == .text("x"))
  }

  @Test func `an equal way of taking it out keeps everything`() throws {
    let (store, id) = try store(json: "/a", match: "x+")
    _ = store.update(id, #"{"a":"-xx-"}"#)
    try declare(store, json: "/a", match: "x+")
    #expect(store.update(id, #"{"a":"xx"}"#) == .unchanged)
  }

  @Test func `in a transaction what cannot be taken out stands against all, and what does not match against none`()
    throws
  {
    let (store, id) = try store(.number, json: "/t", match: "[0-9]+")
    func commit(_ content: String) throws(ValueStoreError) -> [MemberUpdate] {
      var transaction = ValueTransaction()
      transaction.set(Array("v".utf8).span, to: Array(content.utf8).span)
      transaction.set(Array("w".utf8).span, to: Array("1".utf8).span)
      return try store.commit(transaction, at: Instant(nanoseconds: 0)).updates
    }
    #expect(throws: ValueStoreError.refused(name: "v", .nothingAtPointer("/t"))) { try commit("{}") }
    #expect(store.find("w") == nil)
    #expect(try commit(#"{"t":"none"}"#).map(\.value) == [try #require(store.find("w"))])
    #expect(try commit(#"{"t":"5 C"}"#).map(\.value) == [id, try #require(store.find("w"))])
    #expect(store.value(of: id) == .number(5))
  }
}
