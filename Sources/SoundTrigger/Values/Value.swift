/// The content of a value in the form in which it is compared.
package enum Value: Hashable, Sendable {
  /// The bytes of a `text` or an `event`.
  case text(ByteString)
  /// A `number`, never NaN.
  case number(Double)
  case bool(Bool)
  /// A `json` document in canonical form: no white space, keys sorted, numbers and escapes written one way.
  case json(ByteString)
  /// Content too long to be kept: its length in bytes and its SHA-256. Boxed, for it is rare and would make every
  /// other value six times as large.
  indirect case fingerprint(Fingerprint)

  package static func text(_ bytes: [UInt8]) -> Value { .text(ByteString(bytes)) }
  package static func json(_ bytes: [UInt8]) -> Value { .json(ByteString(bytes)) }

  /// The longest content that is kept, in bytes.
  package static let maximumLength = 65_536
}

/// What stands for content that is too long to be kept: equal fingerprints are taken for equal contents.
package struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
  /// Length in bytes.
  package var length: Int
  /// SHA-256 as eight big-endian words.
  package var digest: SIMD8<UInt32>

  package init(length: Int, digest: SIMD8<UInt32>) {
    self.length = length
    self.digest = digest
  }

  /// The digest as 64 hexadecimal digits.
  package var hexadecimalDigest: String {
    var text = ""
    for index in digest.indices {
      let digits = String(digest[index], radix: 16)
      text += String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }
    return text
  }

  package var description: String { "\(length) bytes, SHA-256 \(hexadecimalDigest)" }
}
