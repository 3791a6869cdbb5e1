import SoundTrigger

/// Text from outside on its way to people: what would act on a terminal, or break a line, is shown as an escape.
enum TerminalText {
  /// The text with `\n`, `\t` and the like, and `\u{N}` for what has no such name.
  ///
  /// Bytes that are no UTF-8 become U+FFFD.
  static func escaped(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) { return bytes }
    var text = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if acts(scalar) { text += Excerpt.escape(scalar) } else { text.unicodeScalars.append(scalar) }
    }
    return Array(text.utf8)
  }

  /// Controls, ends of lines, and what turns the direction of writing round.
  private static func acts(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
