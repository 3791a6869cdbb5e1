import Glibc

/// The machine's time zone.
enum LocalTime {
  /// The file that says which it is, unless `TZ` does.
  static let file = "/etc/localtime"

  /// Takes notice of another time zone (tzset); the file is read again if it has changed.
  static func refresh() { tzset() }

  /// Local time minus UTC, in seconds, at a second of UTC since 1970; 0 if the system cannot tell (localtime_r).
  static func offset(at second: Int64) -> Int {
    var time = time_t(second)
    var local = tm()
    return localtime_r(&time, &local) == nil ? 0 : local.tm_gmtoff
  }
}
