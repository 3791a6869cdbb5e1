/// Integers and floats as TOML writes them.
struct TOMLNumber {
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

  private var rest: ArraySlice<UInt8>

  /// The value of a whole word.
  static func value(of word: ArraySlice<UInt8>) throws(Problem) -> TOMLValue {
    switch String(decoding: word, as: UTF8.self) {
    case "inf", "+inf": return .float(.infinity)
    case "-inf": return .float(-.infinity)
    case "nan", "+nan", "-nan": return .float(.nan)
    default: break
    }
    guard let first = word.first, isDigit(first) || first == UInt8(ascii: "+") || first == UInt8(ascii: "-") else {
      throw .noValue
    }
    if let radix = radix(of: word) { return .integer(try integer(of: word.dropFirst(2), radix: radix)) }
    var number = TOMLNumber(rest: word)
    return try number.readDecimal()
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  private static func radix(of word: ArraySlice<UInt8>) -> Int? {
    guard word.first == UInt8(ascii: "0"), let letter = word.dropFirst().first else { return nil }
    switch letter {
    case UInt8(ascii: "x"): return 16
    case UInt8(ascii: "o"): return 8
    case UInt8(ascii: "b"): return 2
    default: return nil
    }
  }

  private static func integer(of digits: ArraySlice<UInt8>, radix: Int) throws(Problem) -> Int64 {
    var number = TOMLNumber(rest: digits)
    let text = try number.readDigits { Character(Unicode.Scalar($0)).hexDigitValue.map { $0 < radix } ?? false }
    guard number.rest.isEmpty else { throw .malformed }
    guard let value = Int64(text, radix: radix) else { throw .tooLarge }
    return value
  }

  /// Reads `[+-] integer [. fraction] [e exponent]`.
  private mutating func readDecimal() throws(Problem) -> TOMLValue {
    var text = readSign()
    let whole = try readDigits(Self.isDigit)
    guard whole == "0" || !whole.hasPrefix("0") else { throw .malformed }
    text += whole
    if rest.isEmpty {
      guard let value = Int64(text) else { throw .tooLarge }
      return .integer(value)
    }
    if skip(UInt8(ascii: ".")) { text += "." + (try readDigits(Self.isDigit)) }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      text += "e" + readSign()
      text += try readDigits(Self.isDigit)
    }
    guard rest.isEmpty else { throw .malformed }
    guard let value = Double(text), value.isFinite else { throw .tooLarge }
    return .float(value)
  }

  private mutating func readSign() -> String {
    if skip(UInt8(ascii: "-")) { return "-" }
    _ = skip(UInt8(ascii: "+"))
    return ""
  }

  /// Reads digits with single underscores between them; returns the digits alone.
  private mutating func readDigits(_ isDigit: (UInt8) -> Bool) throws(Problem) -> String {
    var digits: [UInt8] = []
    repeat {
      let end = rest.firstIndex { !isDigit($0) } ?? rest.endIndex
      guard end > rest.startIndex else { throw .malformed }
      digits += rest[..<end]
      rest = rest[end...]
    } while skip(UInt8(ascii: "_"))
    return String(decoding: digits, as: UTF8.self)
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard rest.first == byte else { return false }
    rest = rest.dropFirst()
    return true
  }
}
