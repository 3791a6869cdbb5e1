/// Text from outside on its way to people.
///
/// What would act on a terminal, break the line or turn the direction of writing is shown as an escape: `\n`, `\r`, `\t`,
/// `\u{202e}`. Bytes that are not UTF-8 read `\xNN`.
package enum Excerpt {
  /// How many scalars of a content are shown.
  package static let maximumLength = 60

  /// `'a', 'b' and 3 more`: at most so many of the names.
  package static func listing(_ names: [String], atMost most: Int) -> String {
    names.prefix(most).map { "'\($0)'" }.joined(separator: ", ")
      + (names.count > most ? " and \(names.count - most) more" : "")
  }

  /// The content in single quotes; `…` follows if it is longer than `limit` scalars.
  package static func quoting(_ bytes: Span<UInt8>, limit: Int = maximumLength) -> String {
    var text = "'"
    var index = 0
    var count = 0
    while index < bytes.count {
      if count == limit { return text + "…'" }
      count += 1
      if let (scalar, length) = UTF8Scalar.decode(bytes, at: index) {
        text += isHarmless(scalar) ? String(scalar) : escape(scalar)
        index += length
      } else {
        text += "\\x" + Hexadecimal.text(bytes[index])
        index += 1
      }
    }
    return text + "'"
  }

  package static func quoting(_ text: some StringProtocol, limit: Int = maximumLength) -> String {
    quoting(Array(text.utf8).span, limit: limit)
  }

  static func quoting(_ byte: UInt8) -> String {
    (0x20...0x7E).contains(byte) ? "'\(Unicode.Scalar(byte))'" : "byte 0x\(Hexadecimal.text(byte))"
  }

  /// All of the text, without quotes.
  package static func escaping(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    var escaped = ""
    for scalar in text.unicodeScalars {
      if isHarmless(scalar) { escaped.unicodeScalars.append(scalar) } else { escaped += escape(scalar) }
    }
    return escaped
  }

  /// All of the text as one word of a command that can be copied into a shell: in single quotes if it needs them.
  package static func shellWord(_ text: String) -> String {
    let plain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      // `/`, the digits and `:` follow one another.
      case UInt8(ascii: "/")...UInt8(ascii: ":"): true
      default: "_-.+,=@%".utf8.contains(byte)
      }
    }
    if plain, !text.isEmpty { return text }
    let parts = text.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false).map { String($0) }
    return "'\(parts.joined(separator: #"'\''"#))'"
  }

  /// The same for a path, which no command takes for an option.
  package static func shellWord(path: String) -> String { shellWord(path.hasPrefix("-") ? "./\(path)" : path) }

  /// Whether a scalar may be shown as it is: no control or formatting character, no end of a line or paragraph.
  ///
  /// The joiners inside emoji and Persian words are harmless.
  package static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    if (0x20..<0x7F).contains(scalar.value) || scalar.value == 0x200C || scalar.value == 0x200D { return true }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(String(scalar.value, radix: 16))}"
    }
  }
}
