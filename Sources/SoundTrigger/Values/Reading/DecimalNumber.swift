/// Reads decimal numbers as programs print them, correctly rounded.
///
/// The grammar is `[+-] DIGITS [. DIGITS] [(e|E) [+-] DIGITS]`, with digits on at least one side of the point.
enum DecimalNumber {
  /// Reads a number, or throws why the bytes are not one.
  ///
  /// Allocates nothing for numbers of up to 2^53 × 10^±22.
  static func parse(_ bytes: Span<UInt8>) throws(ValueRefusal) -> Double {
    guard let decimal = Decimal(bytes) else { throw refusal(of: bytes) }
    if let exact = decimal.exactValue { return exact }
    // `Decimal` has checked the grammar.
    guard let value = Double(String(decoding: [UInt8](bytes), as: UTF8.self)) else { throw refusal(of: bytes) }
    guard value.isFinite else { throw .outOfRange(Excerpt.quoting(bytes)) }
    return value == 0 ? 0 : value
  }

  /// A number taken apart.
  private struct Decimal {
    var isNegative = false
    /// All the digits as one integer.
    var significand: UInt64 = 0
    /// The power of ten by which to multiply it.
    var exponent = 0
    /// Whether there were more digits, or a larger exponent, than the fields above hold.
    var isTruncated = false

    /// `nil` if the bytes are not a decimal number from the first to the last.
    init?(_ bytes: Span<UInt8>) {
      var index = 0
      func peek() -> UInt8 { index < bytes.count ? bytes[index] : 0 }
      func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

      isNegative = peek() == UInt8(ascii: "-")
      if isNegative || peek() == UInt8(ascii: "+") { index += 1 }
      let integer = index
      while isDigit(peek()) {
        append(peek())
        index += 1
      }
      var digits = index - integer
      if peek() == UInt8(ascii: ".") {
        index += 1
        let fraction = index
        while isDigit(peek()) {
          append(peek())
          index += 1
        }
        digits += index - fraction
        exponent = fraction - index
      }
      guard digits > 0 else { return nil }
      if peek() | 0x20 == UInt8(ascii: "e") {
        index += 1
        let shrinks = peek() == UInt8(ascii: "-")
        if shrinks || peek() == UInt8(ascii: "+") { index += 1 }
        let start = index
        var power = 0
        while isDigit(peek()) {
          power = power * 10 + Int(peek() & 0x0f)
          if power > 100_000 { (power, isTruncated) = (100_000, true) }
          index += 1
        }
        guard index > start else { return nil }
        exponent += shrinks ? -power : power
      }
      guard index == bytes.count else { return nil }
    }

    private mutating func append(_ digit: UInt8) {
      // Another digit might not fit into 64 bits. `exactValue` cannot use such a number anyway.
      if significand >= 1_000_000_000_000_000_000 { isTruncated = true }
      if !isTruncated { significand = significand * 10 + UInt64(digit & 0x0f) }
    }

    /// The number, if one multiplication or division of two exact Doubles yields it: IEEE 754 rounds that correctly.
    var exactValue: Double? {
      guard !isTruncated else { return nil }
      if significand == 0 { return 0 }
      guard significand <= 1 << 53, abs(exponent) < DecimalNumber.powersOfTen.count else { return nil }
      let magnitude =
        exponent < 0
        ? Double(significand) / DecimalNumber.powersOfTen[-exponent]
        : Double(significand) * DecimalNumber.powersOfTen[exponent]
      return isNegative ? -magnitude : magnitude
    }
  }

  /// The powers of ten that a Double holds exactly.
  private static let powersOfTen: InlineArray<23, Double> = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

  private static func refusal(of bytes: Span<UInt8>) -> ValueRefusal {
    let excerpt = Excerpt.quoting(bytes)
    var start = 0
    if bytes.count > 0, bytes[0] == UInt8(ascii: "-") || bytes[0] == UInt8(ascii: "+") { start = 1 }
    let word = bytes.extracting(start..<bytes.count)
    if word.equalsIgnoringCase("nan") { return .nan(excerpt) }
    if word.equalsIgnoringCase("inf") || word.equalsIgnoringCase("infinity") { return .infinite(excerpt) }
    return .notANumber(excerpt)
  }
}

extension Span<UInt8> {
  /// Whether the bytes are this word, given in small ASCII letters, in any case.
  func equalsIgnoringCase(_ word: StaticString) -> Bool {
    guard count == word.utf8CodeUnitCount else { return false }
    for index in 0..<count {
      let byte = self[index]
      let lower = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
      // Inside the word: its length was compared above.
      if lower != word.utf8Start[index] { return false }
    }
    return true
  }
}
