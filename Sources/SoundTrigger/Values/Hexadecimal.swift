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
    let digits = Array(text.utf8)
    guard digits.count == 64 else { return nil }
    var digest = SIMD8<UInt32>()
    for (place, digit) in digits.enumerated() {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
      default: return nil
      }
      digest[place / 8] = digest[place / 8] << 4 | UInt32(value)
    }
    return digest
  }
}
