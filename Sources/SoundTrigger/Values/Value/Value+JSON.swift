extension RawJSON {
  /// A value in its own JSON type; content that was too long to be kept as an object of its length and SHA-256.
  package init(_ value: Value) {
    switch value {
    case .text(let bytes): self.init(text: bytes.array)
    case .number(let number): self.init(number: number)
    case .bool(let flag): self.init(bool: flag)
    case .json(let document): self.init { $0.document(document.array) }
    case .fingerprint(let fingerprint):
      self.init { writer in
        writer.object { writer in
          var (length, digest) = (fingerprint.length, Hexadecimal.text(fingerprint.digest))
          writer("length", &length)
          writer("sha256", &digest)
        }
      }
    }
  }

  /// A content that may have been truncated. A document without its end becomes a text; a text ends with a whole character.
  package init(truncated value: Value) {
    switch value {
    case .json(let bytes):
      let isDocument = bytes.withSpan { (try? JSONScanner.validate($0)) != nil }
      self.init(isDocument ? value : .text(Self.withoutBrokenEnd(bytes.array)))
    case .text(let bytes): self.init(.text(Self.withoutBrokenEnd(bytes.array)))
    case .number, .bool, .fingerprint: self.init(value)
    }
  }

  /// The bytes without an incomplete UTF-8 sequence at their end.
  private static func withoutBrokenEnd(_ bytes: [UInt8]) -> [UInt8] {
    guard let lead = bytes.suffix(3).lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return bytes }
    let length =
      switch bytes[lead] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    return bytes.count - lead < length ? Array(bytes[..<lead]) : bytes
  }
}
