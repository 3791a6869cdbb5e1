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
    let text = String(decoding: word, as: UTF8.self)
    if mayBeginTime(word) { return scanner.skipTime() && scanner.rest.isEmpty ? .time(text) : nil }
    guard scanner.skipDate() else { return nil }
    if scanner.rest.isEmpty { return .date(text) }
    guard scanner.skip("Tt "), scanner.skipTime(), scanner.rest.isEmpty || scanner.skipOffset() else { return nil }
    return scanner.rest.isEmpty ? .dateTime(text) : nil
  }

  private mutating func skipDate() -> Bool {
    guard let date = readNumbers([4, 2, 2], "-"), (1...12).contains(date[1]) else { return false }
    let (year, month) = (date[0], date[1])
    let isLeap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
    let days = month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    return (1...days).contains(date[2])
  }

  private mutating func skipTime() -> Bool {
    guard let time = readNumbers([2, 2, 2], ":"), time[0] <= 23, time[1] <= 59, time[2] <= 60 else { return false }
    if !skip(".") { return true }
    let fraction = rest.prefix(while: TOMLNumber.isDigit)
    rest = rest[fraction.endIndex...]
    return !fraction.isEmpty
  }

  private mutating func skipOffset() -> Bool {
    if skip("Zz") { return true }
    guard skip("+-"), let offset = readNumbers([2, 2], ":") else { return false }
    return offset[0] <= 23 && offset[1] <= 59
  }

  /// Numbers of so many digits each, with a separator between them.
  private mutating func readNumbers(_ widths: [Int], _ separator: String) -> [Int]? {
    var numbers: [Int] = []
    for width in widths {
      if !numbers.isEmpty, !skip(separator) { return nil }
      let digits = rest.prefix(width)
      guard digits.count == width, digits.allSatisfy(TOMLNumber.isDigit) else { return nil }
      rest = rest.dropFirst(width)
      numbers.append(digits.reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) })
    }
    return numbers
  }

  /// Skips one of these characters.
  private mutating func skip(_ characters: String) -> Bool {
    guard let next = rest.first, characters.utf8.contains(next) else { return false }
    rest = rest.dropFirst()
    return true
  }
}
