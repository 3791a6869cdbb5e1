import Testing

@testable import SoundTrigger

struct ValueStoreUpdateTests {
  @Test func `the first content is an appearance, the next a change, the same again nothing`() throws {
    let (store, id) = try storeWithValue(kind: .text)
    #expect(store.value(of: id) == nil)
    #expect(
      store.update(id, "a") == .changed(Change(value: id, old: .text("a"), new: .text("a"), isAppearance: true)))
    #expect(store.update(id, "b") == .changed(Change(value: id, old: .text("a"), new: .text("b"))))
    #expect(store.update(id, "b") == .unchanged)
    #expect(store.update(id, "a") == .changed(Change(value: id, old: .text("b"), new: .text("a"))))
  }

  /// After the first content, each of the others equals the one before it.
  @Test(
    arguments: [
      (.text, ["a", "a", " a", "a\n", "\t\u{b}\u{c}\r\n a \r\n"]), (.text, ["", " ", "\n"]),
      (.text, [String(repeating: "x", count: 40), String(repeating: "x", count: 40) + "\n"]),
      (.number, ["1", "1.0", "1e0", "+1", "01", "1\n", "0.1e1", "1"]), (.number, ["0", "-0", "0.0", "-1e-999"]),
      (.number, ["9007199254740992", "9007199254740993"]), (.bool, ["true", "yes", "on", "1", "TRUE", "On\n"]),
      (.bool, ["false", "no", "off", "0", "oFF"]),
      (.json, [#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, " {\"a\" : 1.0, \"b\":2e0}\n", #"{"\u0061":1,"b":2}"#]),
      (.json, ["1", "1.0"]),
    ] as [(ValueKind, [String])]) func `equal contents are no change`(kind: ValueKind, contents: [String]) throws
  {
    let (store, id) = try storeWithValue(kind: kind)
    _ = store.update(id, contents[0])
    for content in contents.dropFirst() { #expect(store.update(id, content) == .unchanged, "\(content)") }
    #expect(store.snapshot(of: id).updates == contents.count)
  }

  /// Each content differs from the one before it.
  @Test(
    arguments: [
      (.text, ["a", "A", "a a", "", "1", "1.0", "é", "e\u{301}", "a\u{0}", "a"]),
      (.number, ["1", "2", "-2", "0.1", "0.10000000000000001e1", "1e308"]), (.bool, ["true", "no", "1", "OFF"]),
      (.json, ["1", "\"1\"", "[1]", "[1,1]", "{}", "9007199254740992", "9007199254740993", "null"]),
      (.event, ["a", "a", "a", "", ""]),
    ] as [(ValueKind, [String])]) func `different contents are a change`(kind: ValueKind, contents: [String]) throws
  {
    let (store, id) = try storeWithValue(kind: kind)
    var old: Value?
    for content in contents {
      guard case .changed(let change) = store.update(id, content) else {
        Issue.record("no change at '\(content)'")
        continue
      }
      // The first event of a client is a change with no old value, because it has just happened.
      #expect(change.isAppearance == (old == nil && kind != .event))
      #expect(change.old == (old == nil && kind != .event ? change.new : old))
      #expect(change.new == store.value(of: id))
      old = change.new
    }
  }

  @Test func `without trimming, white space counts`() throws {
    let (store, id) = try storeWithValue(kind: .text, trim: false)
    _ = store.update(id, "a")
    #expect(store.update(id, "a\n") == .changed(Change(value: id, old: .text("a"), new: .text("a\n"))))
    let (numbers, number) = try storeWithValue(kind: .number, trim: false)
    #expect(numbers.update(number, "1\n") == .refused(.notANumber("'1\\n'")))
  }

  @Test func `bytes that are no UTF-8 are compared as bytes and shown repaired`() throws {
    let (store, id) = try storeWithValue(kind: .text)
    _ = store.update(id, bytes: [0xff, 0x61])
    #expect(
      store.update(id, bytes: [0xfe, 0x61])
        == .changed(Change(value: id, old: .text([0xff, 0x61]), new: .text([0xfe, 0x61]))))
    #expect(store.update(id, bytes: [0xfe, 0x61]) == .unchanged)
    #expect(store.snapshot(of: id).text == "\u{fffd}a")
  }

  @Test func `a difference anywhere in a long content is found, whatever its length`() throws {
    let (store, id) = try storeWithValue(kind: .text)
    for length in [15, 16, 17, 31, 32, 33, 64, 1000, 65_536] {
      let content = [UInt8](repeating: 7, count: length)
      _ = store.update(id, bytes: content)
      for index in [0, 1, length / 2, length - 2, length - 1] {
        var other = content
        other[index] = 8
        #expect(store.update(id, bytes: other) == .changed(Change(value: id, old: .text(content), new: .text(other))))
        #expect(store.update(id, bytes: other) == .unchanged)
        #expect(store.update(id, bytes: content) == .changed(Change(value: id, old: .text(other), new: .text(content))))
      }
    }
  }

  @Test func `around 64 KiB a content is kept, then known by its fingerprint`() throws {
    let (store, id) = try storeWithValue(kind: .text)
    let kept = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
    _ = store.update(id, bytes: kept)
    #expect(store.value(of: id) == .text(kept))
    #expect(store.update(id, bytes: kept + Array("\r\n ".utf8)) == .unchanged)
    guard case .changed(let change) = store.update(id, bytes: kept + [UInt8(ascii: "x")]),
      case .fingerprint(let fingerprint) = change.new
    else {
      Issue.record("expected a change to a fingerprint")
      return
    }
    #expect(change.old == .text(kept))
    #expect(fingerprint.length == 65_537)
    #expect(store.snapshot(of: id).text == fingerprint.description)
    #expect(store.update(id, bytes: Array(" ".utf8) + kept + Array("x\n".utf8)) == .unchanged)
    #expect(store.update(id, bytes: kept) == .changed(Change(value: id, old: change.new, new: .text(kept))))
  }

  @Test func `what does not parse is refused, counted and forgotten`() throws {
    let (store, id) = try storeWithValue(kind: .number)
    #expect(store.update(id, "x", at: 1) == .refused(.notANumber("'x'")))
    #expect(store.value(of: id) == nil)
    #expect(store.snapshot(of: id).changedAt == nil)
    _ = store.update(id, "5", at: 2)
    #expect(store.update(id, "nan", at: 3) == .refused(.nan("'nan'")))
    #expect(store.update(id, "", at: 4) == .refused(.notANumber("''")))
    #expect(store.update(id, "5", at: 5) == .unchanged)
    let snapshot = store.snapshot(of: id)
    #expect(snapshot.refusals == 3)
    #expect(store.refusedCount == 3)
    #expect(snapshot.lastRefusal == .notANumber("''"))
    #expect(snapshot.updates == 2)
    #expect(snapshot.text == "5")
    #expect(store.update(id, "6") == .changed(Change(value: id, old: .number(5), new: .number(6))))
  }

  @Test func `a snapshot tells when the value was updated and when it changed`() throws {
    let (store, id) = try storeWithValue(kind: .number, source: .file(path: "/x"))
    #expect(
      store.snapshot(of: id)
        == ValueSnapshot(name: try name("v"), kind: .number, source: .file(path: "/x"), isDeclared: true))
    _ = store.update(id, "1", at: 10)
    _ = store.update(id, "1.0", at: 20)
    _ = store.update(id, " 1.0 ", at: 30)
    #expect(
      store.snapshot(of: id)
        == ValueSnapshot(
          name: try name("v"), kind: .number, source: .file(path: "/x"), isDeclared: true, text: "1.0", updates: 3,
          changedAt: Instant(nanoseconds: 10), updatedAt: Instant(nanoseconds: 30)))
  }

  @Test func `random updates do what a comparison of whole contents does`() throws {
    var generator = SplitMix64(seed: 3)
    let (store, id) = try storeWithValue(kind: .text, trim: false)
    var current: [UInt8]?
    for _ in 0..<20_000 {
      let length = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 24].randomElement(using: &generator) ?? 0
      let content = (0..<length).map { _ in UInt8.random(in: 0...1, using: &generator) }
      let outcome = store.update(id, bytes: content)
      if content == current {
        #expect(outcome == .unchanged)
      } else {
        #expect(
          outcome
            == .changed(
              Change(value: id, old: .text(current ?? content), new: .text(content), isAppearance: current == nil)))
      }
      current = content
    }
  }
}
