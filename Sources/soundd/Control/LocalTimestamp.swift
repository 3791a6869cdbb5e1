/// A second of civil time, shown as RFC 3339 in a time zone: `2026-01-31T09:15:00+01:00`.
struct LocalTimestamp: Equatable, CustomStringConvertible {
  /// Seconds since 1970-01-01T00:00:00Z, without leap seconds.
  var seconds: Int64
  /// Local time minus UTC, in seconds.
  var offset: Int

  var description: String {
    // RFC 3339 has no seconds in the offset; zones had them a hundred years ago.
    let minutes = abs(offset) / 60
    let local = Timestamp(seconds: seconds + Int64(offset)).description.prefix(19)
    return "\(local)\(offset < 0 ? "-" : "+")\(Self.pad(minutes / 60)):\(Self.pad(minutes % 60))"
  }

  private static func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
