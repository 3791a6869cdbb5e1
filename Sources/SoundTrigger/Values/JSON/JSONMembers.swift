/// Reads the members of a JSON object one by one.
///
/// An error may come after correct members, so a caller that needs a correct document collects them first. A name may come
/// twice; the caller decides what that means. Allocates nothing.
package struct JSONMembers: Sendable {
  private var scanner = JSONScanner()
  /// Whether the object and the document ended, or an error ended the reading.
  private var hasEnded = false

  /// One member.
  package struct Member: Equatable, Sendable {
    package var name: JSONValue
    var value: JSONValue

    package var kind: JSONScanner.ValueClass { value.kind }

    /// Appends the value's content: the characters of a string, anything else as it is written.
    package func appendContent(from bytes: Span<UInt8>, to result: inout [UInt8]) {
      value.unescape(from: bytes, appendingTo: &result)
    }
  }

  package init() {}

  /// The next member; `nil` once the object and the document have ended.
  ///
  /// `bytes` is the document, the same at every call.
  package mutating func next(in bytes: Span<UInt8>) throws(JSONError) -> Member? {
    if hasEnded { return nil }
    // An error from here on ends the reading.
    hasEnded = true
    if scanner.position == 0 { try scanner.openDocument(UInt8(ascii: "{"), in: bytes) }
    guard let name = try scanner.beginKey(in: bytes) else {
      try scanner.expectEnd(in: bytes)
      return nil
    }
    let value = try scanner.scanValue(in: bytes)
    hasEnded = false
    return Member(name: name, value: value)
  }
}
