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
    let bytes = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int32? {
      var number: Int32 = 0
      for byte in bytes[range] {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        number = number * 10 + Int32(byte - UInt8(ascii: "0"))
      }
      return number
    }
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[4] == UInt8(ascii: "-"),
      bytes[7] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
      bytes[16] == UInt8(ascii: ":"), let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19)
    else { return nil }
    var nanoseconds: Int32 = 0
    if bytes.count > 20 {
      let digits = bytes.count - 21
      guard bytes[19] == UInt8(ascii: "."), (1...9).contains(digits), let fraction = number(20..<20 + digits) else {
        return nil
      }
      nanoseconds = (digits..<9).reduce(fraction) { fraction, _ in fraction * 10 }
    }
    var time = tm()
    (time.tm_year, time.tm_mon, time.tm_mday) = (year - 1900, month - 1, day)
    (time.tm_hour, time.tm_min, time.tm_sec) = (hour, minute, second)
    self.init(seconds: Int64(timegm(&time)), nanoseconds: nanoseconds)
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
