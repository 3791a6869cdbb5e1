/// Text from outside on its way into a message: always one short line that does nothing to a terminal.
enum QuotedText {
  /// The most scalars that are shown of a text.
  static let limit = 60

  /// The text in single quotes; `limit` is the most scalars of it that are shown.
  static func single(_ text: some StringProtocol, limit: Int = Self.limit) -> String { "'\(inert(text, limit))'" }

  /// A part of a key path: as it is if TOML would read it without quotes, else in double quotes.
  static func keyPart(_ text: String) -> String {
    let isBare = !text.isEmpty && text.utf8.allSatisfy(TOMLKey.isBare)
    return isBare ? inert(text) : "\"\(inert(text))\""
  }

  /// One scalar in single quotes; the name of one that cannot be seen.
  static func scalar(_ scalar: Unicode.Scalar) -> String {
    isInert(scalar) ? "'\(scalar)'" : codePoint(scalar)
  }

  private static func inert(_ text: some StringProtocol, _ limit: Int = Self.limit) -> String {
    var result = ""
    var count = 0
    for scalar in text.unicodeScalars {
      if count == limit { return result + "…" }
      count += 1
      if isInert(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        result += codePoint(scalar)
      }
    }
    return result
  }

  /// Neither a control nor a formatting character, nor a line or paragraph separator.
  private static func isInert(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
    default: true
    }
  }

  private static func codePoint(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
