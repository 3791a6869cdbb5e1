/// A strict reader of JSON (RFC 8259, UTF-8) that walks over bytes, checks them, and allocates nothing unless they are
/// wrong.
///
/// The scanner holds no bytes, so the same have to be given to every call. After an error its position means nothing.
package struct JSONScanner: Sendable {
  /// How many objects and arrays may lie within each other.
  package static let maximumDepth = 128

  /// What a value is. Its first byte shows it.
  package enum ValueClass: Sendable { case string, number, boolean, null, object, array }

  /// The next byte to be read.
  var position = 0
  /// How many objects and arrays are open.
  private var depth = 0

  /// Stands before the document's first byte, or at a position within it.
  init(position: Int = 0) { self.position = position }

  /// Reads the bracket that opens a document, which has to be an object. `nextMember` then reads its members.
  package init(object bytes: Span<UInt8>) throws(JSONError) {
    try openDocument(UInt8(ascii: "{"), in: bytes)
  }

  /// Reads the next member of a document that is an object; `nil` once the object and the document have ended.
  ///
  /// A name may come twice; the caller decides what that means.
  package mutating func nextMember(in bytes: Span<UInt8>) throws(JSONError) -> (name: JSONValue, value: JSONValue)? {
    guard let name = try beginKey(in: bytes) else {
      try expectEnd(in: bytes)
      return nil
    }
    return (name, try scanValue(in: bytes))
  }

  /// Checks that the bytes are one JSON document with nothing but white space around it.
  package static func validate(_ bytes: Span<UInt8>) throws(JSONError) {
    var scanner = JSONScanner()
    scanner.skipWhiteSpace(in: bytes)
    try scanner.scanValue(in: bytes)
    try scanner.expectEnd(in: bytes)
  }

  mutating func skipWhiteSpace(in bytes: Span<UInt8>) {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0a, 0x0d: position += 1
      default: return
      }
    }
  }

  func peek(in bytes: Span<UInt8>) -> UInt8? { position < bytes.count ? bytes[position] : nil }

  func unexpected(in bytes: Span<UInt8>, expected: String) -> JSONError {
    JSONError(offset: position, problem: .unexpected(found: peek(in: bytes), expected: expected))
  }

  mutating func expect(_ byte: UInt8, in bytes: Span<UInt8>, expected: @autoclosure () -> String) throws(JSONError) {
    guard peek(in: bytes) == byte else { throw unexpected(in: bytes, expected: expected()) }
    position += 1
  }

  mutating func expectEnd(in bytes: Span<UInt8>) throws(JSONError) {
    skipWhiteSpace(in: bytes)
    guard position == bytes.count else { throw unexpected(in: bytes, expected: "the end") }
  }

  func classify(in bytes: Span<UInt8>) throws(JSONError) -> ValueClass {
    guard let byte = peek(in: bytes) else { throw unexpected(in: bytes, expected: "a value") }
    return switch byte {
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
    case UInt8(ascii: "n"): .null
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "["): .array
    default: throw unexpected(in: bytes, expected: "a value")
    }
  }

  /// Reads one value of any kind from the current position, where no white space may stand.
  ///
  /// Recursive, which the bounded depth makes safe.
  @discardableResult
  mutating func scanValue(in bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
    let start = position
    let kind = try classify(in: bytes)
    switch kind {
    case .string: return try scanString(in: bytes)
    case .number: _ = try scanNumber(in: bytes)
    case .boolean: try skipLiteral(bytes[start] == UInt8(ascii: "t") ? "true" : "false", in: bytes)
    case .null: try skipLiteral("null", in: bytes)
    case .object:
      try open()
      while try beginKey(in: bytes) != nil { try scanValue(in: bytes) }
    case .array:
      try open()
      while try beginElement(in: bytes) { try scanValue(in: bytes) }
    }
    return JSONValue(kind: kind, text: start..<position)
  }

  /// Reads the bracket that opens a document, which has to be this one.
  mutating func openDocument(_ bracket: UInt8, in bytes: Span<UInt8>) throws(JSONError) {
    skipWhiteSpace(in: bytes)
    guard peek(in: bytes) == bracket else {
      throw unexpected(in: bytes, expected: "'\(Unicode.Scalar(bracket))'")
    }
    try open()
  }

  /// Reads the bracket that opens an object or array.
  mutating func open() throws(JSONError) {
    guard depth < Self.maximumDepth else { throw JSONError(offset: position, problem: .tooDeep) }
    position += 1
    depth += 1
  }

  /// Advances to the next element of an array whose `[` was read. Returns false once it has read the `]` instead.
  mutating func beginElement(in bytes: Span<UInt8>) throws(JSONError) -> Bool {
    try advance(in: bytes, isFirst: follows(UInt8(ascii: "["), in: bytes), end: UInt8(ascii: "]"))
  }

  /// Reads the next key of an object whose `{` was read, and the colon after it; `nil` once its `}` was read instead.
  mutating func beginKey(in bytes: Span<UInt8>) throws(JSONError) -> JSONValue? {
    let isFirst = follows(UInt8(ascii: "{"), in: bytes)
    guard try advance(in: bytes, isFirst: isFirst, end: UInt8(ascii: "}")) else { return nil }
    guard peek(in: bytes) == UInt8(ascii: "\"") else {
      throw unexpected(in: bytes, expected: isFirst ? "a key in '\"' or '}'" : "a key in '\"'")
    }
    let key = try scanString(in: bytes)
    skipWhiteSpace(in: bytes)
    try expect(UInt8(ascii: ":"), in: bytes, expected: "':'")
    skipWhiteSpace(in: bytes)
    return key
  }

  /// Whether the opening bracket is right before the position, because no value ends with one.
  private func follows(_ bracket: UInt8, in bytes: Span<UInt8>) -> Bool { bytes[position - 1] == bracket }

  /// Reads the comma before all but the first, or `end`: then it returns false.
  private mutating func advance(in bytes: Span<UInt8>, isFirst: Bool, end: UInt8) throws(JSONError) -> Bool {
    skipWhiteSpace(in: bytes)
    if peek(in: bytes) == end {
      position += 1
      depth -= 1
      return false
    }
    if !isFirst {
      try expect(UInt8(ascii: ","), in: bytes, expected: "',' or '\(Unicode.Scalar(end))'")
      skipWhiteSpace(in: bytes)
    }
    return true
  }

  private mutating func skipLiteral(_ literal: StaticString, in bytes: Span<UInt8>) throws(JSONError) {
    for offset in 0..<literal.utf8CodeUnitCount {
      // Inside the literal: its length bounds the loop.
      let wanted = literal.utf8Start[offset]
      try expect(wanted, in: bytes, expected: "'\(literal)'")
    }
  }
}
