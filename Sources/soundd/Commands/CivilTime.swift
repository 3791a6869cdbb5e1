import Glibc

/// Times of replies, as people read them.
enum CivilTime {
  /// A moment as the daemon writes it (`Timestamp`) as local time to the millisecond, `2026-01-31 09:15:00.250`;
  /// anything else as it is.
  static func local(_ text: String) -> String {
    let parts = text.split(omittingEmptySubsequences: false) { !$0.isASCII || !$0.isNumber }
    // The last one is what follows the Z.
    guard text.utf8.count == 27, text.hasSuffix("Z"), parts.map(\.utf8.count) == [4, 2, 2, 2, 2, 2, 6, 0] else {
      return text
    }
    let numbers = parts.compactMap { Int32($0) }
    var time = tm()
    (time.tm_year, time.tm_mon, time.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
    (time.tm_hour, time.tm_min, time.tm_sec) = (numbers[3], numbers[4], numbers[5])
    let second = Int64(timegm(&time))
    let local = LocalTimestamp(seconds: second, offset: LocalTime.offset(at: second)).description
    return "\(local.prefix(10)) \(local.dropFirst(11).prefix(8)).\(parts[6].prefix(3))"
  }
}
