import SoundTrigger

/// How long `snooze` silences an alarm.
package enum SnoozeTime {
  package static let usual = Duration.seconds(600)
  package static let longest = Duration.seconds(86_400)

  /// `nil` if the text is no duration of more than 0 and at most 24 h.
  package static func duration(_ text: String) -> Duration? {
    DurationText.duration(text).flatMap { $0 > .zero && $0 <= longest ? $0 : nil }
  }

  /// What the user may have meant by another text; `nil` if nothing is likely.
  package static func suggestion(for text: String) -> String? {
    DurationText.suggestion(for: text).flatMap { duration($0) == nil ? nil : $0 }
  }

  /// What is wrong with `snooze NAME for=5s`, whose time is taken as a part of the name; `nil`: it has none.
  package static func misplaced(in name: String) -> String? {
    guard let range = name.firstRange(of: " for=") else { return nil }
    let (trigger, time) = (name[..<range.lowerBound], name[range.upperBound...])
    return "'for=' comes before the name: snooze for=\(time) \(trigger)"
  }
}
