/// How many columns of a terminal texts take.
enum TextWidth {
  static func of(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + of($1) } }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    if scalar.isASCII { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch scalar.value {
    // The scripts of East Asia, and full-width forms.
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default: return scalar.properties.isEmojiPresentation ? 2 : 1
    }
  }

  /// The text, or its beginning and `…`.
  static func truncate(_ text: String, to width: Int) -> String {
    if of(text) <= width { return text }
    return prefix(of: text[...], width - 1) + "…"
  }

  /// Lines of at most this width, broken at spaces; a longer word is broken where it must be, or left as it is. At least one
  /// line.
  static func wrap(_ text: String, to width: Int, breakingWords: Bool = true) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      var rest = word
      if !line.isEmpty {
        if of(line) + 1 + of(String(rest)) <= width {
          line += " " + rest
          continue
        }
        lines.append(line)
      }
      while breakingWords, of(String(rest)) > width {
        let part = prefix(of: rest, max(2, width))
        lines.append(part)
        rest = rest.dropFirst(part.count)
      }
      line = String(rest)
    }
    return lines + [line]
  }

  /// As many characters as fit, at least one.
  private static func prefix(of text: Substring, _ width: Int) -> String {
    var (result, sum) = ("", 0)
    for character in text {
      sum += of(String(character))
      if sum > width, !result.isEmpty { break }
      result.append(character)
    }
    return result
  }
}
