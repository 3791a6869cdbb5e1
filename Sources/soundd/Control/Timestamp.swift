import Glibc

/// A moment of civil time, shown as RFC 3339 in UTC with microseconds: `2026-01-31T08:15:00.250000Z`.
struct Timestamp: Equatable, CustomStringConvertible {
  /// Seconds since 1970-01-01T00:00:00Z, without leap seconds.
  var seconds: Int64
  /// 0 ..< 1,000,000,000.
  var nanoseconds: Int32

  init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// CLOCK_REALTIME at this moment.
  static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
  }

  /// RFC 3339 has years of four digits: a time outside 0000 … 9999 is shown as the nearest that it has.
  var description: String {
    let clamped = min(max(seconds, -62_167_219_200), 253_402_300_799)
    let micros = clamped == seconds ? Int64(nanoseconds) / 1000 : (seconds < 0 ? 0 : 999_999)
    let days = clamped >= 0 ? clamped / 86_400 : -((86_399 - clamped) / 86_400)
    let second = clamped - days * 86_400
    let (year, month, day) = Self.civil(days)
    return "\(Self.pad(year, 4))-\(Self.pad(month, 2))-\(Self.pad(day, 2))"
      + "T\(Self.pad(second / 3600, 2)):\(Self.pad(second / 60 % 60, 2)):\(Self.pad(second % 60, 2))"
      + ".\(Self.pad(micros, 6))Z"
  }

  /// Days since 1970-01-01 as a date of the Gregorian calendar.
  ///
  /// Years are counted from March, so that the leap day comes last, within eras of 400 years, which are all alike.
  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    )
  }

  private static func pad(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
