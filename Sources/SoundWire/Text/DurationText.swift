import SoundTrigger

/// Durations as people write them: `250 ms`, `2 s`, `5 min`, `1 h`, also `1.5s`.
package enum DurationText {
  /// What messages show as examples.
  package static let examples = #""250 ms", "2 s", "5 min" or "1 h""#

  /// The longest duration that can be written: time is counted in 64-bit nanoseconds, and sums must not overflow.
  package static let longest = Duration.seconds(8760 * 3600)

  /// A unit that is read and never written.
  private static let day: Int128 = 86_400_000_000_000

  /// Units in nanoseconds, the smallest first.
  private static let units: [(name: String, nanoseconds: Int128)] = [
    ("ms", 1_000_000), ("s", 1_000_000_000), ("min", 60_000_000_000), ("h", 3_600_000_000_000), ("day", day),
    ("days", day),
  ]

  /// The duration, rounded down to the nanosecond; `nil` if the text is no duration or longer than `longest`.
  ///
  /// A number, digits with or without a fraction, then the unit, with or without spaces between.
  package static func duration(_ text: String) -> Duration? {
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

  /// What the user may have meant by a text that is no duration: `1 min` for `1m`, `90 min` for `1h30m`, `5 s` for `5`, or the
  /// first unit that lies in `range`; `nil` if nothing is likely.
  package static func suggestion(for text: String, in range: ClosedRange<Duration>? = nil) -> String? {
    // A longer text is something else, and other clients wait.
    if text.utf8.count > 40 { return nil }
    for unit in ["s", "ms", "min", "h"] {
      if let meant = duration("\(text) \(unit)"), range?.contains(meant) ?? true { return "\(text) \(unit)" }
    }
    var parts: [(number: Substring, unit: String)] = []
    var rest = text[...]
    while !rest.isEmpty {
      let number = rest.prefix { $0.isASCII && ($0.isWholeNumber || $0 == ".") }
      let word = rest[number.endIndex...].drop { $0 == " " }.prefix { $0.isASCII && $0.isLetter }
      guard let unit = unit(word.lowercased()) else { return nil }
      parts.append((number, unit))
      rest = rest[word.endIndex...].drop { $0 == " " }
    }
    let durations = parts.compactMap { duration("\($0.number) \($0.unit)") }
    guard let first = parts.first, durations.count == parts.count else { return nil }
    let suggestion =
      parts.count == 1 ? "\(first.number) \(first.unit)" : Self.text(durations.reduce(.zero, +))
    return suggestion != text && duration(suggestion) != nil ? suggestion : nil
  }

  /// The unit that a word in small letters means; `nil` if it means none.
  private static func unit(_ word: String) -> String? {
    switch word {
    case "m", "mins", "minute", "minutes": "min"
    case "sec", "secs", "second", "seconds": "s"
    case "hr", "hrs", "hour", "hours": "h"
    case "d", "day", "days": "days"
    case "msec", "msecs", "millisecond", "milliseconds": "ms"
    default: units.first { $0.name == word }?.name
    }
  }

  /// The duration in the largest unit that needs no fraction; below a millisecond with one.
  package static func text(_ duration: Duration) -> String {
    let nanoseconds = Int128(duration.nanoseconds)
    guard nanoseconds != 0 else { return "0 ms" }
    guard let unit = units.last(where: { nanoseconds % $0.nanoseconds == 0 && $0.nanoseconds < day }) else {
      return "\(DecimalText.text(nanoseconds, fractionDigits: 6)) ms"
    }
    return "\(nanoseconds / unit.nanoseconds) \(unit.name)"
  }
}
