/// Swift source without its comments and the characters of its literals; interpolations stay, because they are code.
///
/// Every byte that is taken out leaves a space, and line ends stay, so that places are the same as in the source.
struct SwiftCode {
  let text: String
  let lines: [Line]

  struct Line {
    let text: String
    /// The identifiers and keywords, in order.
    let words: [String]
  }

  init(_ source: String) {
    var scanner = Scanner(bytes: Array(source.utf8))
    scanner.scanCode(isInterpolated: false)
    text = String(decoding: scanner.bytes, as: UTF8.self)
    lines = scanner.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { bytes in
      let words = bytes.split { !Self.isPartOfWord($0) }
      return Line(
        text: String(decoding: bytes, as: UTF8.self), words: words.map { String(decoding: $0, as: UTF8.self) })
    }
  }

  /// By bytes, because to ask Characters what they are takes many times as long.
  static func isPartOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...: true
    default: false
    }
  }

  /// Walks over the bytes and blanks what is no code.
  private struct Scanner {
    var bytes: [UInt8]
    var index = 0

    /// Goes to the end, or in an interpolation to the parenthesis that closes it.
    mutating func scanCode(isInterpolated: Bool) {
      var depth = 0
      while index < bytes.count {
        if has("//") {
          while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { blank() }
        } else if has("/*") {
          skipBlockComment()
        } else if let hashes = hashesOfLiteral {
          scanLiteral(hashes: hashes)
        } else {
          if bytes[index] == UInt8(ascii: "(") { depth += 1 }
          if bytes[index] == UInt8(ascii: ")") {
            if isInterpolated, depth == 0 { return }
            depth -= 1
          }
          index += 1
        }
      }
    }

    /// How many `#` stand before the quotation mark here; `nil`: there is no literal here.
    private var hashesOfLiteral: Int? {
      var end = index
      while end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
      return end < bytes.count && bytes[end] == UInt8(ascii: "\"") ? end - index : nil
    }

    private mutating func scanLiteral(hashes: Int) {
      let mark = String(repeating: "#", count: hashes)
      blank(hashes)
      let quotes = has("\"\"\"") ? "\"\"\"" : "\""
      blank(quotes.utf8.count)
      while index < bytes.count {
        if has(quotes + mark) { return blank(quotes.utf8.count + hashes) }
        if has("\\" + mark + "(") {
          blank(2 + hashes)
          scanCode(isInterpolated: true)
          blank()
        } else {
          blank(has("\\" + mark) ? 2 + hashes : 1)
        }
      }
    }

    private mutating func skipBlockComment() {
      var depth = 0
      repeat {
        if has("/*") { depth += 1 }
        if has("*/") { depth -= 1 }
        blank(has("/*") || has("*/") ? 2 : 1)
      } while depth > 0 && index < bytes.count
    }

    private func has(_ text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

    private mutating func blank(_ count: Int = 1) {
      for _ in 0..<count where index < bytes.count {
        if bytes[index] != UInt8(ascii: "\n") { bytes[index] = UInt8(ascii: " ") }
        index += 1
      }
    }
  }
}
