/// Decimal numbers as text, without zeros at the end of a fraction.
package enum DecimalText {
  /// A whole number, not negative, whose last digits are a fraction: 1500 with three of them is `1.5`.
  package static func text(_ number: some BinaryInteger, fractionDigits: Int) -> String {
    var digits = String(number)
    digits = String(repeating: "0", count: max(0, fractionDigits + 1 - digits.utf8.count)) + digits
    var fraction = digits.suffix(fractionDigits)
    while fraction.last == "0" { fraction.removeLast() }
    let whole = digits.dropLast(fractionDigits)
    return fraction.isEmpty ? String(whole) : "\(whole).\(fraction)"
  }
}

extension Double {
  /// The shortest decimal that reads back as this number, without a fraction if it has none.
  package var shortestText: String { Int64(exactly: self).map(String.init) ?? "\(self)" }
}

extension Duration {
  /// The duration for people: rounded, in the units that they would use.
  ///
  /// `0.5 ms`, `20 ms`, `0.25 s`, `12.5 s`, `4 min 10 s`, `2 h 5 min` or `3 days 4 h`; never 0 for a duration that is not 0.
  /// Half a unit is rounded up; a negative duration counts as 0.
  package var rounded: String {
    let nanoseconds = max(0, self.nanoseconds)
    if nanoseconds == 0 { return "0 s" }
    let tenthsOfMillisecond = Self.rounded(nanoseconds, to: 100_000)
    if tenthsOfMillisecond == 0 { return "less than 0.1 ms" }
    if tenthsOfMillisecond < 100 { return "\(DecimalText.text(tenthsOfMillisecond, fractionDigits: 1)) ms" }
    let milliseconds = Self.rounded(nanoseconds, to: 1_000_000)
    if milliseconds < 100 { return "\(milliseconds) ms" }
    let hundredthsOfSecond = Self.rounded(nanoseconds, to: 10_000_000)
    if hundredthsOfSecond < 1000 { return "\(DecimalText.text(hundredthsOfSecond, fractionDigits: 2)) s" }
    let tenthsOfSecond = Self.rounded(nanoseconds, to: 100_000_000)
    if tenthsOfSecond < 600 { return "\(DecimalText.text(tenthsOfSecond, fractionDigits: 1)) s" }
    let seconds = Self.rounded(nanoseconds, to: 1_000_000_000)
    if seconds < 3600 { return Self.pair(seconds, of: 60, "min", "s") }
    let minutes = Self.rounded(nanoseconds, to: 60_000_000_000)
    if minutes < 24 * 60 { return Self.pair(minutes, of: 60, "h", "min") }
    let hours = Self.rounded(nanoseconds, to: 3_600_000_000_000)
    return Self.pair(hours, of: 24, hours < 48 ? "day" : "days", "h")
  }

  private static func rounded(_ nanoseconds: Int64, to unit: Int64) -> Int64 {
    nanoseconds / unit + (nanoseconds % unit >= unit / 2 ? 1 : 0)
  }

  /// A number of small units in large and small ones. `size`: how many small units make a large one.
  private static func pair(_ number: Int64, of size: Int64, _ large: String, _ small: String) -> String {
    let rest = number % size
    return "\(number / size) \(large)" + (rest == 0 ? "" : " \(rest) \(small)")
  }
}
