extension TOMLReader {
  /// How many parts a dotted key may have.
  static let maximumKeyParts = 128

  /// `a."b".c` and the blanks around it.
  mutating func readKey() throws(TOMLError) -> [TOMLKeyPart] {
    var parts: [TOMLKeyPart] = []
    repeat {
      skipBlanks()
      let place = place
      guard parts.count < Self.maximumKeyParts else {
        throw failure("expected at most \(Self.maximumKeyParts) parts in a key, found more")
      }
      parts.append(TOMLKeyPart(key: TOMLKey(try readKeyPart()), place: place))
      skipBlanks()
    } while skip(UInt8(ascii: "."))
    return parts
  }

  private mutating func readKeyPart() throws(TOMLError) -> String {
    if let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      if peek(1) == quote, peek(2) == quote {
        throw failure("expected a key on one line, found a multi-line string")
      }
      return quote == UInt8(ascii: "'") ? try readLiteralString() : try readBasicString()
    }
    let start = offset
    while let byte = peek(), TOMLKey.isBare(byte) { offset += 1 }
    guard offset > start else { throw unexpected("a key") }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }
}
