import SoundTrigger

/// SHA-256 digests as 64 hexadecimal digits in lower case.
enum HexDigest {
  static func text(_ digest: SIMD8<UInt32>) -> String { Fingerprint(length: 0, digest: digest).hexadecimalDigest }

  /// The digest, or `nil` if the text is none.
  static func digest(_ text: ArraySlice<UInt8>) -> SIMD8<UInt32>? {
    guard text.count == 64 else { return nil }
    var digest = SIMD8<UInt32>()
    for index in digest.indices {
      for place in 0..<4 {
        let start = text.startIndex + 8 * index + 2 * place
        guard let byte = byte(text[start..<start + 2]) else { return nil }
        digest[index] = digest[index] << 8 | UInt32(byte)
      }
    }
    return digest
  }

  /// Two digits.
  static func text(_ byte: UInt8) -> String {
    let digits = Array("0123456789abcdef".unicodeScalars)
    return "\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
  }

  /// The byte of two digits, or `nil` if they are none.
  static func byte(_ text: ArraySlice<UInt8>) -> UInt8? {
    guard text.count == 2 else { return nil }
    var byte: UInt8 = 0
    for digit in text {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
      default: return nil
      }
      byte = byte << 4 | value
    }
    return byte
  }
}
