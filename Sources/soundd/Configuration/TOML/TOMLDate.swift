/// Dates and times as TOML writes them (RFC 3339). No key takes one, so nothing but their form is known.
enum TOMLDate {
  /// What TOML expects where a word begins as a date or a time.
  static let expected = "a date or a time, such as 2026-01-31, 07:30:00 or 2026-01-31T07:30:00Z"

  /// Whether a word begins as a date or a time does: `2026-` or `07:`.
  static func begins(_ word: ArraySlice<UInt8>) -> Bool {
    let digits = word.prefix(while: TOMLNumber.isDigit).count
    let next = word.dropFirst(digits).first
    return (digits == 4 && next == UInt8(ascii: "-")) || (digits == 2 && next == UInt8(ascii: ":"))
  }

  /// Whether the text is a date, a time or both, and these exist.
  static func isValid(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text
    if rest.dropFirst(2).first == UInt8(ascii: ":") { return skipTime(&rest) && rest.isEmpty }
    guard skipDate(&rest) else { return false }
    if rest.isEmpty { return true }
    guard skip("Tt ", &rest), skipTime(&rest) else { return false }
    return rest.isEmpty || skipOffset(&rest) && rest.isEmpty
  }

  private static func skipDate(_ rest: inout ArraySlice<UInt8>) -> Bool {
    guard let year = number(4, &rest), skip("-", &rest), let month = number(2, &rest), skip("-", &rest),
      let day = number(2, &rest), (1...12).contains(month)
    else { return false }
    let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return (1...lengths[month - 1]).contains(day)
  }

  private static func skipTime(_ rest: inout ArraySlice<UInt8>) -> Bool {
    // A second may be a leap second.
    guard let hour = number(2, &rest), skip(":", &rest), let minute = number(2, &rest), skip(":", &rest),
      let second = number(2, &rest), hour < 24, minute < 60, second <= 60
    else { return false }
    guard skip(".", &rest) else { return true }
    let digits = rest.prefix(while: TOMLNumber.isDigit).count
    rest = rest.dropFirst(digits)
    return digits > 0
  }

  private static func skipOffset(_ rest: inout ArraySlice<UInt8>) -> Bool {
    if skip("Zz", &rest) { return true }
    guard skip("+-", &rest), let hour = number(2, &rest), skip(":", &rest), let minute = number(2, &rest) else {
      return false
    }
    return hour < 24 && minute < 60
  }

  private static func skip(_ characters: String, _ rest: inout ArraySlice<UInt8>) -> Bool {
    guard let first = rest.first, characters.utf8.contains(first) else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// Reads a number of exactly so many digits.
  private static func number(_ digits: Int, _ rest: inout ArraySlice<UInt8>) -> Int? {
    let word = rest.prefix(digits)
    guard word.count == digits, word.allSatisfy(TOMLNumber.isDigit) else { return nil }
    rest = rest.dropFirst(digits)
    return word.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }
}
