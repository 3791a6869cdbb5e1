/// Reads the members of a JSON object one by one.
///
/// An error may come after correct members, so a caller that needs a correct document collects them first. A name may come
/// twice; the caller decides what that means. Allocates nothing.
package struct JSONMembers: Sendable {
  private var scanner = JSONScanner()
  private var state = State.start

  private enum State {
    /// Nothing was read.
    case start
    /// Members were read.
    case inside
    /// The object and the document ended, or an error ended the reading.
    case ended
  }

  /// One member.
  package struct Member: Equatable, Sendable {
    package var name: JSONString
    package var kind: JSONScanner.ValueClass
    /// The value as written; for a string, the bytes between the quotation marks.
    package var text: Range<Int>
    /// Whether the value is a string with an escape in it.
    package var hasEscapes: Bool

    /// Appends the content that the value stands for: the characters of a string, anything else as written.
    package func appendContent(from bytes: Span<UInt8>, to result: inout [UInt8]) {
      JSONString(range: text, hasEscapes: hasEscapes).unescape(from: bytes, appendingTo: &result)
    }
  }

  package init() {}

  /// The next member; `nil` once the object and the document have ended.
  ///
  /// `bytes` is the document, the same at every call.
  package mutating func next(in bytes: Span<UInt8>) throws(JSONError) -> Member? {
    if state == .ended { return nil }
    let isFirst = state == .start
    // Whatever throws from here on ends the reading.
    state = .ended
    if isFirst {
      scanner.skipWhiteSpace(in: bytes)
      try scanner.expect(UInt8(ascii: "{"), in: bytes, expected: "'{'")
    }
    guard let name = try scanner.beginKey(in: bytes, isFirst: isFirst) else {
      try scanner.expectEnd(in: bytes)
      return nil
    }
    let start = scanner.position
    let kind = try scanner.classify(in: bytes)
    var value = JSONString(range: start..<start, hasEscapes: false)
    if kind == .string {
      value = try scanner.scanString(in: bytes)
    } else {
      try scanner.skipValue(in: bytes, depth: 1)
      value.range = start..<scanner.position
    }
    state = .inside
    return Member(name: name, kind: kind, text: value.range, hasEscapes: value.hasEscapes)
  }
}
