/// Where a checked JSON value lies in its document.
package struct JSONValue: Equatable, Sendable {
  package var kind: JSONScanner.ValueClass
  /// The value as it is written; of a string the bytes between the quotation marks.
  var text: Range<Int>
  /// Whether it is a string with an escape in it; if not, the bytes in `text` are its content.
  var hasEscapes = false

  /// Appends the content: the characters of a string as UTF-8, anything else as it is written. `bytes` is the document that
  /// it was read from.
  package func unescape(from bytes: Span<UInt8>, appendingTo result: inout [UInt8]) {
    guard hasEscapes else {
      result.append(bytes.extracting(text))
      return
    }
    var index = text.lowerBound
    while index < text.upperBound {
      guard bytes[index] == UInt8(ascii: "\\") else {
        result.append(bytes[index])
        index += 1
        continue
      }
      let escape = bytes[index + 1]
      index += 2
      switch escape {
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0c)
      case UInt8(ascii: "n"): result.append(0x0a)
      case UInt8(ascii: "r"): result.append(0x0d)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "u"): index = Self.appendScalar(at: index - 1, of: bytes, to: &result)
      default: result.append(escape)
      }
    }
  }

  /// The content, as `unescape` appends it.
  package func content(in bytes: Span<UInt8>) -> [UInt8] {
    var content: [UInt8] = []
    unescape(from: bytes, appendingTo: &content)
    return content
  }

  /// Appends the scalar whose `u` stands at `start`, and returns where its escapes end.
  private static func appendScalar(at start: Int, of bytes: Span<UInt8>, to result: inout [UInt8]) -> Int {
    var scanner = JSONScanner(position: start)
    // The string was checked, so the digits are there, and a low surrogate follows a high one.
    let unit = (try? scanner.scanCodeUnit(in: bytes)) ?? 0
    if let scalar = Unicode.Scalar(unit) {
      result.append(contentsOf: scalar.utf8)
    } else {
      scanner.position += 1
      let low = (try? scanner.scanCodeUnit(in: bytes)) ?? 0
      let pair = 0x1_0000 + (unit & 0x3ff) << 10 + low & 0x3ff
      result.append(contentsOf: (Unicode.Scalar(pair) ?? "\u{fffd}").utf8)
    }
    return scanner.position
  }
}

extension JSONScanner {
  /// Reads a string from its opening to its closing quotation mark.
  mutating func scanString(in bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
    try expect(UInt8(ascii: "\""), in: bytes, expected: "'\"'")
    let start = position
    var hasEscapes = false
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return JSONValue(kind: .string, text: start..<position - 1, hasEscapes: hasEscapes)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        try skipEscape(in: bytes)
      case 0x20...0x7f: position += 1
      case 0x00...0x1f: throw JSONError(offset: position, problem: .controlCharacter(byte))
      default:
        guard let length = UTF8Scalar.decode(bytes, at: position)?.length else {
          throw JSONError(offset: position, problem: .invalidUTF8)
        }
        position += length
      }
    }
    throw unexpected(in: bytes, expected: "'\"'")
  }

  private mutating func skipEscape(in bytes: Span<UInt8>) throws(JSONError) {
    let start = position
    position += 1
    switch peek(in: bytes) {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 1
    case UInt8(ascii: "u"):
      switch try scanCodeUnit(in: bytes) {
      case 0xd800...0xdbff:
        guard peek(in: bytes) == UInt8(ascii: "\\") else {
          throw JSONError(offset: start, problem: .loneSurrogate)
        }
        position += 1
        guard peek(in: bytes) == UInt8(ascii: "u"), case 0xdc00...0xdfff = try scanCodeUnit(in: bytes) else {
          throw JSONError(offset: start, problem: .loneSurrogate)
        }
      case 0xdc00...0xdfff: throw JSONError(offset: start, problem: .loneSurrogate)
      default: break
      }
    default: throw unexpected(in: bytes, expected: "one of \"\\/bfnrtu")
    }
  }

  /// Reads `uXXXX`.
  fileprivate mutating func scanCodeUnit(in bytes: Span<UInt8>) throws(JSONError) -> UInt32 {
    position += 1
    var unit: UInt32 = 0
    for _ in 0..<4 {
      switch peek(in: bytes) {
      case let digit? where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit):
        unit = unit << 4 | UInt32(digit & 0x0f)
      case let digit? where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(digit | 0x20):
        unit = unit << 4 | UInt32(digit & 0x0f + 9)
      default: throw unexpected(in: bytes, expected: "four hexadecimal digits")
      }
      position += 1
    }
    return unit
  }
}
