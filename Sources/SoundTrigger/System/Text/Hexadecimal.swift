/// Numbers and digests as hexadecimal digits in lower case.
package enum Hexadecimal {
  /// All digits of the number, leading zeros included.
  package static func text(_ number: some FixedWidthInteger & UnsignedInteger) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: number.bitWidth / 4 - digits.utf8.count) + digits
  }

  /// The 64 digits of a SHA-256 digest.
  package static func text(_ digest: SIMD8<UInt32>) -> String { digest.indices.map { text(digest[$0]) }.joined() }

  /// The digest that 64 digits write; `nil` if the text is anything else.
  package static func digest(_ text: String) -> SIMD8<UInt32>? {
    guard text.utf8.count == 64 else { return nil }
    var digest = SIMD8<UInt32>()
    for index in digest.indices { digest[index] = UInt32(text.dropFirst(8 * index).prefix(8), radix: 16) ?? 0 }
    // Without a sign, a capital letter or anything else that is no digit here.
    return self.text(digest) == text ? digest : nil
  }

  /// The byte that two capital digits write; `nil` if they are anything else.
  static func capital(_ high: UInt8, _ low: UInt8) -> UInt8? {
    guard let high = capital(high), let low = capital(low) else { return nil }
    return high << 4 | low
  }

  private static func capital(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
