/// Turns content into values of a kind.
///
/// Keeps its buffers from content to content.
package struct ValueParser: Sendable {
  private var canonicalizer = JSONCanonicalizer()

  package init() {}

  /// Parses a content, which the caller has trimmed.
  ///
  /// A text or event of more than `Value.maximumLength` bytes becomes a fingerprint; any other kind refuses it. If the
  /// result equals `known`, it shares that value's memory.
  package mutating func parse(
    _ content: Span<UInt8>, as kind: ValueKind, known: Value? = nil
  ) throws(ValueRefusal) -> Value {
    guard content.count <= Value.maximumLength else {
      guard kind == .text || kind == .event else { throw .tooLong(length: content.count, kind: kind) }
      var hash = SHA256()
      hash.update(content)
      return .fingerprint(Fingerprint(length: content.count, digest: hash.finish()))
    }
    switch kind {
    case .text, .event:
      if case .text(let bytes)? = known, bytes.holdsSameBytes(as: content) { return .text(bytes) }
      return .text(ByteString(content))
    case .number: return .number(try DecimalNumber.parse(content))
    case .bool: return .bool(try Self.parseBool(content))
    case .json:
      do throws(JSONError) {
        try canonicalizer.canonicalize(content)
      } catch {
        throw .notJSON(Excerpt.quoting(content), error)
      }
      let document = canonicalizer.result.span
      if case .json(let bytes)? = known, bytes.holdsSameBytes(as: document) { return .json(bytes) }
      return .json(ByteString(document))
    }
  }

  fileprivate static let yes: [StaticString] = ["true", "yes", "on", "1"]
  private static let no: [StaticString] = ["false", "no", "off", "0"]

  private static func parseBool(_ content: Span<UInt8>) throws(ValueRefusal) -> Bool {
    for word in yes where content.equalsIgnoringCase(word) { return true }
    for word in no where content.equalsIgnoringCase(word) { return false }
    throw .notABool(Excerpt.quoting(content))
  }
}

extension Value {
  /// Whether the content is true as that of a gate: a number that is not 0, or a text that is `true`, `yes`, `on` or `1`, in any
  /// case. A document is never true, and nothing that an event reports (`isEvent`) is.
  package func isTrue(isEvent: Bool) -> Bool {
    switch self {
    case .bool(let bool): bool
    case .number(let number): number != 0
    case .text(let text):
      !isEvent && text.withSpan { text in ValueParser.yes.contains { text.equalsIgnoringCase($0) } }
    case .json, .fingerprint: false
    }
  }
}

/// White space around the content of a value: ASCII space, tab, line feed, vertical tab, form feed and return.
enum WhiteSpace {
  static func contains(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
}

/// The text of a content: without a byte order mark, and without the white space around it if that is dropped.
enum ContentText {
  /// The range of the text in the bytes; empty if there is none.
  @inline(__always)
  static func range(in bytes: Span<UInt8>, trim: Bool) -> Range<Int> {
    var start = ByteOrderMark.length(in: bytes)
    var end = bytes.count
    if !trim { return start..<end }
    while start < end && WhiteSpace.contains(bytes[start]) { start += 1 }
    while end > start && WhiteSpace.contains(bytes[end - 1]) { end -= 1 }
    return start..<end
  }
}
