import TestSupport
import Testing

@testable import SoundTrigger

struct ContentAccumulatorTests {
  /// What a store makes of the content when it comes in chunks of this size.
  private func value(of bytes: [UInt8], chunk: Int, trim: Bool = true) throws -> Value? {
    let (store, id) = try storeWithValue(kind: .text, trim: trim)
    var content = store.makeAccumulator(for: id)
    var start = 0
    while start < bytes.count {
      let end = min(start + chunk, bytes.count)
      content.append(bytes.span.extracting(start..<end))
      start = end
    }
    #expect(content.prefix.count <= Value.maximumLength)
    _ = store.update(id, content: content, at: Instant(nanoseconds: 0))
    return store.value(of: id)
  }

  private func whole(_ bytes: [UInt8], trim: Bool = true) throws -> Value? {
    let (store, id) = try storeWithValue(kind: .text, trim: trim)
    _ = store.update(id, bytes: bytes)
    return store.value(of: id)
  }

  private func bytes(_ parts: (String, Int)...) -> [UInt8] {
    parts.flatMap { part in Array(String(repeating: part.0, count: part.1).utf8) }
  }

  @Test(arguments: isQuick ? [100, 65_537] : [1, 7, 4096, 65_536, 65_537, 1_000_000])
  func `chunks make the value that the whole content makes`(chunk: Int) throws {
    let contents = [
      [], bytes((" ", 3)), bytes((" ", 70_000)), bytes(("a", 1)), bytes(("\n ", 5), ("a b", 2), ("\t\r\n", 4)),
      bytes(("x", 65_535)), bytes(("x", 65_536)), bytes(("x", 65_537)), bytes(("x", 65_536), ("\n", 1)),
      bytes(("x", 65_537), ("\n", 1)), bytes((" ", 66_000), ("x", 65_536), (" ", 66_000)),
      bytes((" ", 66_000), ("x", 65_537), (" ", 66_000)), bytes(("x", 10), (" ", 66_000)),
      bytes(("x", 10), (" \t", 50_000), ("y", 1), ("\n ", 50_000)), bytes(("x", 65_530), (" ", 100), ("y", 1)),
      bytes(("ab ", 50_000)), bytes(("\u{FEFF}", 1)), bytes(("\u{FEFF}", 3)), bytes(("\u{FEFF}", 1), (" x ", 1)),
      bytes((" \u{FEFF}x", 1)), bytes(("\u{FEFF}", 1), ("x", 65_536)),
      bytes(("\u{FEFF}", 1), (" ", 66_000), ("x", 65_537)),
      bytes(("x", 65_536), ("\u{FEFF}", 1)), [0xef], [0xef, 0xbb], [0xef, 0xbb, 0xbe], [0xef, 0xbb, 0x20],
    ]
    for content in contents {
      for trim in [true, false] {
        #expect(
          try value(of: content, chunk: chunk, trim: trim) == whole(content, trim: trim), "\(content.count) bytes")
      }
    }
  }

  @Test func `white space inside a long content counts, white space around it does not`() throws {
    // The digest is by Python's hashlib: 10 times x, 100,000 spaces, y.
    let content = bytes((" \n", 40_000), ("x", 10), (" ", 100_000), ("y", 1), ("\n", 70_000))
    guard case .fingerprint(let fingerprint)? = try value(of: content, chunk: 1000) else {
      Issue.record("expected a fingerprint")
      return
    }
    #expect(fingerprint.length == 100_011)
    #expect(Hexadecimal.text(fingerprint.digest) == "cb729173f294328cc6ad44706b65470a6ba46125e2e7fc58b20dc2d02419b44c")
  }

  @Test func `an accumulator that was emptied begins anew`() throws {
    let (store, id) = try storeWithValue(kind: .text)
    var content = store.makeAccumulator(for: id)
    content.append([UInt8](repeating: 1, count: 100_000).span)
    #expect(content.fingerprint != nil)
    content.removeAll()
    #expect(content.fingerprint == nil)
    content.append(Array(" short ".utf8).span)
    _ = store.update(id, content: content, at: Instant(nanoseconds: 0))
    #expect(store.value(of: id) == .text("short"))
  }

  @Test func `reading the fingerprint does not end the content`() {
    var content = ContentAccumulator(trim: true)
    content.append([UInt8](repeating: 1, count: 100_000).span)
    let first = content.fingerprint
    #expect(content.fingerprint == first)
    content.append([1])
    var whole = ContentAccumulator(trim: true)
    whole.append([UInt8](repeating: 1, count: 100_001).span)
    #expect(content.fingerprint == whole.fingerprint)
  }

  @Test(arguments: [ValueKind.number, .bool, .json]) func `only a text may be long`(kind: ValueKind) throws {
    let (store, id) = try storeWithValue(kind: kind)
    _ = store.update(id, "1")
    let before = store.value(of: id)
    var content = store.makeAccumulator(for: id)
    content.append(bytes(("1", 70_000)).span)
    #expect(
      store.update(id, content: content, at: Instant(nanoseconds: 0))
        == .refused(.tooLong(length: 70_000, kind: kind)))
    #expect(store.value(of: id) == before)
    #expect(store.snapshot(of: id).refusals == 1)
  }
}

extension ContentAccumulator {
  fileprivate mutating func append(_ bytes: [UInt8]) { append(bytes.span) }
}
