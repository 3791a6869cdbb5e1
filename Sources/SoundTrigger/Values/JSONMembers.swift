/// The members of a JSON object, one after the other, as the socket takes them from a line.
///
/// The bytes are checked as they are read: an error may come after members that were good, so a reader that acts only on
/// good documents collects first. A name may come twice; the reader decides what that means. Allocates nothing.
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
    /// The value as it is written; of a string what lies between the quotation marks.
    package var text: Range<Int>
    /// Whether the value is a string with an escape in it.
    package var hasEscapes: Bool

    /// Appends the value as a source of values means it: a string's characters, anything else as it is written.
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
