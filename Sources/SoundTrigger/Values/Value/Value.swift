/// The content of a value in the form in which it is compared.
package enum Value: Hashable, Sendable {
  /// The bytes of a `text` or an `event`.
  case text(ByteString)
  /// A `number`, never NaN.
  case number(Double)
  case bool(Bool)
  /// A `json` document in canonical form: no white space, keys sorted, numbers and escapes written one way.
  case json(ByteString)
  /// A content that is too long to keep. Boxed, because it is rare and would make every value larger.
  indirect case fingerprint(Fingerprint)

  package static func text(_ bytes: [UInt8]) -> Value { .text(ByteString(bytes)) }
  package static func json(_ bytes: [UInt8]) -> Value { .json(ByteString(bytes)) }

  /// The longest content that is kept, in bytes.
  package static let maximumLength = 65_536
}

/// The length and hash of a content that is too long to keep. Equal fingerprints count as equal contents.
package struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
  /// Length in bytes.
  package var length: Int
  /// SHA-256 as eight big-endian words.
  package var digest: SIMD8<UInt32>

  package init(length: Int, digest: SIMD8<UInt32>) {
    self.length = length
    self.digest = digest
  }

  package var description: String { "\(length) bytes, SHA-256 \(Hexadecimal.text(digest))" }
}
extension Value {
  /// Calls `body` with the content as text: of a number the shortest decimal, without a fraction if it has none.
  ///
  /// Returns `nil` for content that is not kept.
  func withText<Result, Thrown: Error>(
    _ body: (Span<UInt8>) throws(Thrown) -> Result
  ) throws(Thrown) -> Result? {
    switch self {
    case .text(let text), .json(let text): try text.withSpan(body)
    case .number(let number): try body(number.shortestText.utf8Span.span)
    case .bool(let bool): try body((bool ? "true" : "false").utf8Span.span)
    case .fingerprint: nil
    }
  }

  /// The most bytes of a content that `explain` and `events` show.
  static let toldLength = 128

  /// Whether the content is longer than that.
  @inline(__always)
  var isLong: Bool {
    switch self {
    case .text(let bytes), .json(let bytes): bytes.count > Self.toldLength
    case .number, .bool, .fingerprint: false
    }
  }

  /// The content without the bytes beyond `toldLength`. A JSON document may be invalid then.
  package var truncated: Value {
    switch self {
    case .text(let bytes) where isLong: .text(Array(bytes.array.prefix(Self.toldLength)))
    case .json(let bytes) where isLong: .json(Array(bytes.array.prefix(Self.toldLength)))
    case .text, .json, .number, .bool, .fingerprint: self
    }
  }

  /// The part of a long content that is shown beside another content: its beginning or, if both begin alike, `…` and where they
  /// differ.
  func truncated(beside other: Value?) -> Value {
    guard isLong, let other else { return truncated }
    switch (self, other) {
    case (.text(let own), .text(let other)), (.json(let own), .json(let other)):
      let (own, other) = (own.array, other.array)
      let shared = Self.sharedLength(own.span, other.span)
      if shared < Self.toldLength || shared == max(own.count, other.count) { return truncated }
      var start = shared - Self.toldLength / 4
      while start > 0, UTF8.isContinuation(own[start]) { start -= 1 }
      return Value.text(Array("…".utf8) + own[start...].prefix(Self.toldLength)).truncated
    default: return truncated
    }
  }

  /// How many bytes are the same at the beginning, by halves (memcmp): each trigger on a value asks this at each change.
  private static func sharedLength(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Int {
    var (least, most) = (0, min(one.count, other.count))
    while least < most {
      let middle = (least + most + 1) / 2
      if one.extracting(least..<middle).holdsSameBytes(as: other.extracting(least..<middle)) {
        least = middle
      } else {
        most = middle - 1
      }
    }
    return least
  }

  /// The content as text; bytes that are not UTF-8 are replaced.
  package var text: String { withText { String(decoding: [UInt8]($0), as: UTF8.self) } ?? "" }

  /// The beginning of the content, for messages.
  var excerpt: String {
    if case .fingerprint(let fingerprint) = self { return fingerprint.description }
    return withText { Excerpt.quoting($0) } ?? ""
  }

  /// A digest of the content and the kind of its value, so that equal digests mean equal contents.
  ///
  /// SHA-256 over the kind's name, a zero, and the content as it is compared; a number counts with its IEEE 754 bits. If the
  /// content is not kept: over the kind's name, a one, its length and its digest. Numbers are big-endian.
  func digest(as kind: ValueKind) -> SIMD8<UInt32> {
    var hash = SHA256()
    var head = Array(kind.rawValue.utf8) + [0]
    switch self {
    case .text(let bytes), .json(let bytes):
      hash.update(head.span)
      bytes.withSpan { hash.update($0) }
      return hash.finish()
    case .bool(let bool): head.append(bool ? 1 : 0)
    case .number(let number): head.appendBigEndian(number.bitPattern)
    case .fingerprint(let fingerprint):
      head[head.count - 1] = 1
      head.appendBigEndian(UInt64(fingerprint.length))
      for index in fingerprint.digest.indices { head.appendBigEndian(fingerprint.digest[index]) }
    }
    hash.update(head.span)
    return hash.finish()
  }
}

extension [UInt8] {
  fileprivate mutating func appendBigEndian(_ word: some FixedWidthInteger) {
    for shift in stride(from: word.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: word >> shift))
    }
  }
}
