/// Reads single scalars of UTF-8 without a String.
enum UTF8Scalar {
  /// The scalar that begins at `index` and its length in bytes; `nil` where the bytes are not UTF-8 (RFC 3629).
  static func decode(_ bytes: Span<UInt8>, at index: Int) -> (scalar: Unicode.Scalar, length: Int)? {
    let lead = UInt32(bytes[index])
    let length: Int
    var scalar: UInt32
    let least: UInt32
    switch lead {
    case 0x00...0x7f: (length, scalar, least) = (1, lead, 0)
    case 0xc2...0xdf: (length, scalar, least) = (2, lead & 0x1f, 0x80)
    case 0xe0...0xef: (length, scalar, least) = (3, lead & 0x0f, 0x800)
    case 0xf0...0xf4: (length, scalar, least) = (4, lead & 0x07, 0x1_0000)
    default: return nil
    }
    guard bytes.count - index >= length else { return nil }
    for offset in 1..<max(length, 1) {
      let byte = UInt32(bytes[index + offset])
      guard byte & 0xc0 == 0x80 else { return nil }
      scalar = scalar << 6 | byte & 0x3f
    }
    // The initialiser refuses surrogates and what lies beyond U+10FFFF.
    guard scalar >= least, let scalar = Unicode.Scalar(scalar) else { return nil }
    return (scalar, length)
  }
}
