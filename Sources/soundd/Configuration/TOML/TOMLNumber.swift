/// Integers and floats as TOML writes them.
enum TOMLNumber {
  enum Problem: Error {
    case noValue
    case malformed
    case tooLarge

    /// What TOML expects there.
    var expected: String {
      switch self {
      case .noValue: "a value (a string needs quotes)"
      case .malformed: "a number"
      case .tooLarge: "a number that fits 64 bits"
      }
    }
  }

  /// The value of a whole word.
  static func value(of word: ArraySlice<UInt8>) throws(Problem) -> TOMLValue {
    let text = String(decoding: word, as: UTF8.self)
    switch text {
    case "inf", "+inf": return .float(.infinity)
    case "-inf": return .float(-.infinity)
    case "nan", "+nan", "-nan": return .float(.nan)
    default: break
    }
    guard let first = word.first, isDigit(first) || "+-".utf8.contains(first) else { throw .noValue }
    if let radix = ["0x": 16, "0o": 8, "0b": 2][String(text.prefix(2))] {
      guard let value = Int64(try digits(text.dropFirst(2), radix: radix), radix: radix) else { throw .tooLarge }
      return .integer(value)
    }
    // [+-] integer [. fraction] [e exponent]
    let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
    let numbers = withoutSign(parts[0]).split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let whole = try digits(numbers[0])
    if whole != "0", whole.hasPrefix("0") { throw .malformed }
    var number = (text.hasPrefix("-") ? "-" : "") + whole
    if parts.count == 1, numbers.count == 1 {
      guard let value = Int64(number) else { throw .tooLarge }
      return .integer(value)
    }
    if numbers.count > 1 { number += "." + (try digits(numbers[1])) }
    if parts.count > 1 { number += (parts[1].hasPrefix("-") ? "e-" : "e") + (try digits(withoutSign(parts[1]))) }
    guard let value = Double(number), value.isFinite else { throw .tooLarge }
    return .float(value)
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  private static func withoutSign(_ text: Substring) -> Substring {
    text.hasPrefix("+") || text.hasPrefix("-") ? text.dropFirst() : text
  }

  /// Digits with single underscores between them, without these.
  private static func digits(_ text: Substring, radix: Int = 10) throws(Problem) -> String {
    let groups = text.split(separator: "_", omittingEmptySubsequences: false)
    for group in groups {
      let areDigits = group.allSatisfy { $0.isASCII && ($0.hexDigitValue ?? radix) < radix }
      if group.isEmpty || !areDigits { throw .malformed }
    }
    return groups.joined()
  }
}
