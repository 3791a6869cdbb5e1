/// Dates and times as TOML writes them: RFC 3339, in which the offset, the time or the date may be missing.
struct TOMLDateScanner {
  /// The length of `2000-12-31`.
  static let dateLength = 10

  private var rest: ArraySlice<UInt8>

  /// Whether the word can only be a date or a time.
  static func mayBegin(_ word: ArraySlice<UInt8>) -> Bool {
    word.count > 4 && word.prefix(4).allSatisfy(TOMLNumber.isDigit) && word.dropFirst(4).first == UInt8(ascii: "-")
      || mayBeginTime(word)
  }

  /// Whether two digits and a colon come first.
  static func mayBeginTime(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count > 2 && bytes.prefix(2).allSatisfy(TOMLNumber.isDigit)
      && bytes.dropFirst(2).first == UInt8(ascii: ":")
  }

  /// The value of a whole word; `nil` if it is no date or time, or one that does not exist.
  static func value(of word: ArraySlice<UInt8>) -> TOMLValue? {
    var scanner = TOMLDateScanner(rest: word)
    let value = mayBeginTime(word) ? scanner.readTime().map(TOMLValue.time) : scanner.readDateAndTime()
    return scanner.rest.isEmpty ? value : nil
  }

  private mutating func readDateAndTime() -> TOMLValue? {
    guard let date = readDate() else { return nil }
    if rest.isEmpty { return .date(date) }
    guard skip("T") || skip("t") || skip(" "), let time = readTime() else { return nil }
    if rest.isEmpty { return .dateTime(date, time, offsetMinutes: nil) }
    guard let offset = readOffset() else { return nil }
    return .dateTime(date, time, offsetMinutes: offset)
  }

  private mutating func readDate() -> TOMLDate? {
    guard let year = readNumber(digits: 4), skip("-"), let month = readNumber(digits: 2), skip("-"),
      let day = readNumber(digits: 2), (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year)
    else { return nil }
    return TOMLDate(year: year, month: month, day: day)
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private mutating func readTime() -> TOMLTime? {
    guard let hour = readNumber(digits: 2), skip(":"), let minute = readNumber(digits: 2), skip(":"),
      let second = readNumber(digits: 2), hour <= 23, minute <= 59, second <= 60
    else { return nil }
    var nanosecond = 0
    if skip(".") {
      var unit = 100_000_000
      guard let first = rest.first, TOMLNumber.isDigit(first) else { return nil }
      while let digit = rest.first, TOMLNumber.isDigit(digit) {
        nanosecond += unit * Int(digit - UInt8(ascii: "0"))
        unit /= 10
        rest = rest.dropFirst()
      }
    }
    return TOMLTime(hour: hour, minute: minute, second: second, nanosecond: nanosecond)
  }

  /// Minutes east of UTC.
  private mutating func readOffset() -> Int? {
    if skip("Z") || skip("z") { return 0 }
    let isWest = skip("-")
    guard isWest || skip("+"), let hours = readNumber(digits: 2), skip(":"), let minutes = readNumber(digits: 2),
      hours <= 23, minutes <= 59
    else { return nil }
    return (isWest ? -1 : 1) * (60 * hours + minutes)
  }

  private mutating func readNumber(digits count: Int) -> Int? {
    let digits = rest.prefix(count)
    guard digits.count == count, digits.allSatisfy(TOMLNumber.isDigit) else { return nil }
    rest = rest.dropFirst(count)
    return digits.reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) }
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }
}
