/// Where the parts of a checked JSON number lie in its document.
struct JSONNumber: Equatable, Sendable {
  var isNegative: Bool
  /// The digits before the point.
  var integer: Range<Int>
  /// The digits after the point; empty without one.
  var fraction: Range<Int>
  var exponentIsNegative: Bool
  /// The digits of the exponent; empty without one.
  var exponent: Range<Int>

  /// The power of ten of the first digit lies below this, and above its negative.
  private static let exponentLimit = 1_000_000_000_000_000
  /// How many digits an exponent may be written with after its leading zeros: more are out of range whatever stands before
  /// them, fewer are no overflow.
  private static let exponentDigits = 17

  /// Appends the number in the one form that all its spellings share.
  ///
  /// It is laid out as ECMAScript does it, but with every digit kept, so that numbers beyond the precision of a Double
  /// stay distinct. Zero has no sign. `bytes` is the document that the number was read from.
  func appendCanonical(from bytes: Span<UInt8>, to result: inout [UInt8]) throws(JSONError) {
    let (first, last) = significantDigits(of: bytes)
    guard let first, let last else {
      result.append(UInt8(ascii: "0"))
      return
    }
    // The number is 0.DIGITS × 10^point, DIGITS being those at `first...last`, a point among them not counted.
    let point =
      try exponentValue(of: bytes)
      + (first < integer.upperBound ? integer.upperBound - first : fraction.lowerBound - first)
    guard abs(point - 1) < Self.exponentLimit else { throw exponentOutOfRange }
    let crossesPoint = first < integer.upperBound && last >= fraction.lowerBound && !fraction.isEmpty
    let count = last - first + (crossesPoint ? 0 : 1)
    if isNegative { result.append(UInt8(ascii: "-")) }
    let start = result.count
    for index in first...last where bytes[index] != UInt8(ascii: ".") { result.append(bytes[index]) }
    switch point {
    case count...max(count, 21): result.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: point - count))
    case 1...21: result.insert(UInt8(ascii: "."), at: start + point)
    case -5...0:
      result.insert(contentsOf: "0.".utf8, at: start)
      result.insert(contentsOf: repeatElement(UInt8(ascii: "0"), count: -point), at: start + 2)
    default:
      if count > 1 { result.insert(UInt8(ascii: "."), at: start + 1) }
      result.append(contentsOf: "e\(point > 0 ? "+" : "")\(point - 1)".utf8)
    }
  }

  private var exponentOutOfRange: JSONError { JSONError(offset: exponent.lowerBound, problem: .exponentOutOfRange) }

  /// The first and the last digit that is not zero; `nil` if all are.
  private func significantDigits(of bytes: Span<UInt8>) -> (first: Int?, last: Int?) {
    func isSignificant(_ index: Int) -> Bool { bytes[index] != UInt8(ascii: "0") }
    let first = integer.first(where: isSignificant) ?? fraction.first(where: isSignificant)
    let last = fraction.last(where: isSignificant) ?? integer.last(where: isSignificant)
    return (first, last)
  }

  private func exponentValue(of bytes: Span<UInt8>) throws(JSONError) -> Int {
    var digits = exponent
    while let index = digits.first, bytes[index] == UInt8(ascii: "0") { digits.removeFirst() }
    guard digits.count <= Self.exponentDigits else { throw exponentOutOfRange }
    var value = 0
    for index in digits { value = value * 10 + Int(bytes[index] & 0x0f) }
    return exponentIsNegative ? -value : value
  }
}

extension JSONScanner {
  /// Reads a number as far as it goes.
  mutating func scanNumber(in bytes: Span<UInt8>) throws(JSONError) -> JSONNumber {
    let isNegative = skip(UInt8(ascii: "-"), in: bytes)
    let integer: Range<Int>
    if peek(in: bytes) == UInt8(ascii: "0") {
      // No digit may follow a leading zero. The caller checks the next byte.
      integer = position..<position + 1
      position += 1
    } else {
      integer = try scanDigits(in: bytes)
    }
    var fraction = position..<position
    if skip(UInt8(ascii: "."), in: bytes) { fraction = try scanDigits(in: bytes) }
    var exponent = position..<position
    var exponentIsNegative = false
    if skip(UInt8(ascii: "e"), in: bytes) || skip(UInt8(ascii: "E"), in: bytes) {
      exponentIsNegative = skip(UInt8(ascii: "-"), in: bytes)
      if !exponentIsNegative { _ = skip(UInt8(ascii: "+"), in: bytes) }
      exponent = try scanDigits(in: bytes)
    }
    return JSONNumber(
      isNegative: isNegative, integer: integer, fraction: fraction, exponentIsNegative: exponentIsNegative,
      exponent: exponent)
  }

  private mutating func skip(_ byte: UInt8, in bytes: Span<UInt8>) -> Bool {
    guard peek(in: bytes) == byte else { return false }
    position += 1
    return true
  }

  private mutating func scanDigits(in bytes: Span<UInt8>) throws(JSONError) -> Range<Int> {
    let start = position
    while let byte = peek(in: bytes), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    guard position > start else { throw unexpected(in: bytes, expected: "a digit") }
    return start..<position
  }
}
