import SoundTrigger

/// Durations as people write them: `250 ms`, `2 s`, `5 min`, `1 h`, also `1.5s`.
enum DurationText {
  /// What messages show as examples.
  static let examples = #""250 ms", "2 s", "5 min" or "1 h""#

  /// The longest duration that can be written: time is counted in 64-bit nanoseconds, and sums must not overflow.
  static let longest = Duration.seconds(8760 * 3600)

  /// Units in nanoseconds, the smallest first.
  private static let units: [(name: String, nanoseconds: Int128)] = [
    ("ms", 1_000_000), ("s", 1_000_000_000), ("min", 60_000_000_000), ("h", 3_600_000_000_000),
  ]

  /// The duration, rounded down to the nanosecond; `nil` if the text is no duration or longer than `longest`.
  ///
  /// A number, digits with or without a fraction, then the unit, with or without spaces between.
  static func duration(_ text: String) -> Duration? {
    let number = text.prefix { $0.isASCII && ($0.isWholeNumber || $0 == ".") }
    let name = text[number.endIndex...].drop { $0 == " " }
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    // 12 digits of each are more than `longest` and the nanosecond need, and their product fits 128 bits.
    guard parts.count <= 2, !parts.contains(where: \.isEmpty), parts[0].count <= 12,
      let unit = units.first(where: { $0.name == name })
    else { return nil }
    let fraction = parts.dropFirst().joined().prefix(12)
    guard let digits = Int128(String(parts[0]) + fraction) else { return nil }
    let scale = fraction.reduce(into: Int128(1)) { scale, _ in scale *= 10 }
    let nanoseconds = digits * unit.nanoseconds / scale
    return nanoseconds <= Int128(longest.nanoseconds) ? .nanoseconds(Int64(nanoseconds)) : nil
  }

  /// What the user may have meant by a text that is no duration: `1 min` for `1m`; `nil` if nothing is likely.
  static func suggestion(for text: String) -> String? {
    let number = text.prefix { $0.isASCII && ($0.isWholeNumber || $0 == ".") }
    let word = text[number.endIndex...].drop { $0 == " " }.lowercased()
    let unit: String? =
      switch word {
      case "m", "mins", "minute", "minutes": "min"
      case "sec", "secs", "second", "seconds": "s"
      case "hr", "hrs", "hour", "hours": "h"
      case "msec", "msecs", "millisecond", "milliseconds": "ms"
      default: units.first { $0.name == word }?.name
      }
    let suggestion = unit.map { "\(number) \($0)" }
    return suggestion.flatMap { $0 != text && duration($0) != nil ? $0 : nil }
  }

  /// The duration in the largest unit that needs no fraction; below a millisecond with one.
  static func text(_ duration: Duration) -> String {
    let nanoseconds = Int128(duration.nanoseconds)
    guard nanoseconds != 0 else { return "0 ms" }
    guard let unit = units.last(where: { nanoseconds % $0.nanoseconds == 0 }) else {
      return "\(Double(nanoseconds) / 1_000_000) ms"
    }
    return "\(nanoseconds / unit.nanoseconds) \(unit.name)"
  }
}
