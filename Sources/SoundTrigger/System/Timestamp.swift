import CLinux
import Glibc

/// A moment of civil time, shown as RFC 3339 in UTC with microseconds: `2026-01-31T08:15:00.250000Z`.
package struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Seconds since 1970-01-01T00:00:00Z, without leap seconds.
  package var seconds: Int64
  /// 0 ..< 1,000,000,000.
  package var nanoseconds: Int32

  package init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// Reads a time of RFC 3339 in UTC, with or without a fraction of a second; `nil` if the text is anything else.
  package init?(_ text: String) {
    guard text.utf8.count >= 20, text.utf8.allSatisfy({ $0 < 0x80 }), text.hasSuffix("Z") else { return nil }
    let digits = text.split(omittingEmptySubsequences: false) { !$0.isNumber }
    let signs = text.filter { !$0.isNumber }
    let lengths = digits.map(\.utf8.count)
    // The last part is the empty text after the Z.
    guard lengths.prefix(6) == [4, 2, 2, 2, 2, 2], lengths.last == 0 else { return nil }
    guard signs == "--T::Z" || signs == "--T::.Z" && (1...9).contains(lengths[6]) else { return nil }
    let numbers = digits.prefix(6).compactMap { Int32($0) }
    var time = tm()
    (time.tm_year, time.tm_mon, time.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
    (time.tm_hour, time.tm_min, time.tm_sec) = (numbers[3], numbers[4], numbers[5])
    let fraction = lengths.count == 8 ? digits[6] + String(repeating: "0", count: 9 - lengths[6]) : "0"
    self.init(seconds: Int64(timegm(&time)), nanoseconds: Int32(fraction) ?? 0)
  }

  package static func < (left: Timestamp, right: Timestamp) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }

  /// Since 1970.
  package var microseconds: Int64 { seconds * 1_000_000 + Int64(nanoseconds) / 1000 }

  /// CLOCK_REALTIME at this moment.
  package static func now() -> Timestamp {
    let (seconds, nanoseconds) = clinux_realtime().quotientAndRemainder(dividingBy: 1_000_000_000)
    return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
  }

  /// RFC 3339 has years of four digits. A time outside 0000 … 9999 is shown as the nearest time inside.
  package var description: String {
    let clamped = min(max(seconds, -62_167_219_200), 253_402_300_799)
    let micros = clamped == seconds ? nanoseconds / 1000 : (seconds < 0 ? 0 : 999_999)
    var (time, parts) = (time_t(clamped), tm())
    gmtime_r(&time, &parts)
    return "\(Self.text(parts)).\(Self.padded(micros, 6))Z"
  }

  /// The same moment in the machine's time zone, to the second: `2026-01-31T09:15:00+01:00`.
  package var localDescription: String {
    var (time, parts) = (time_t(seconds), tm())
    guard localtime_r(&time, &parts) != nil else { return description }
    // RFC 3339 allows no seconds in the offset, which time zones had a hundred years ago.
    let minutes = Int32(abs(parts.tm_gmtoff) / 60)
    let sign = parts.tm_gmtoff < 0 ? "-" : "+"
    return "\(Self.text(parts))\(sign)\(Self.padded(minutes / 60, 2)):\(Self.padded(minutes % 60, 2))"
  }

  /// The time for people, in the machine's time zone, to the second or millisecond: `09:15:00` or `2026-01-31 09:15:00`.
  ///
  /// It has no date if `now` is on the same day.
  package func localTime(at now: Timestamp, toMillisecond: Bool = false) -> String {
    let (text, today) = (localDescription, now.localDescription.prefix(10))
    let time = text.dropFirst(11).prefix(8) + (toMillisecond ? ".\(Self.padded(nanoseconds / 1_000_000, 3))" : "")
    return text.hasPrefix(today) ? String(time) : "\(text.prefix(10)) \(time)"
  }

  /// `2026-01-31T08:15:00`.
  private static func text(_ parts: tm) -> String {
    "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1, 2))-\(padded(parts.tm_mday, 2))"
      + "T\(padded(parts.tm_hour, 2)):\(padded(parts.tm_min, 2)):\(padded(parts.tm_sec, 2))"
  }

  private static func padded(_ number: Int32, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
