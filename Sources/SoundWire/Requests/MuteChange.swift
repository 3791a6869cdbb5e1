import SoundTrigger

/// The argument of `mute`.
package enum MuteChange: Equatable {
  /// Until `unmute`.
  case on
  case toggle
  /// For this time; then the mute ends by itself.
  case during(Duration)
  /// Until the wall clock shows this second of the day.
  case until(Int)

  /// Reads an empty text, `toggle`, a duration or `until HH:MM`.
  package init(_ text: String) throws(RequestRefusal) {
    switch text {
    case "": self = .on
    case "toggle": self = .toggle
    case let text where text.hasPrefix("until "):
      let parts = text.dropFirst("until ".count).split(separator: ":", omittingEmptySubsequences: false)
      let numbers = parts.compactMap { $0.utf8.count <= 2 ? UInt8($0) : nil }
      guard parts.count == 2, parts[1].utf8.count == 2, numbers.count == 2, numbers[0] < 24, numbers[1] < 60 else {
        throw .badMute(text)
      }
      self = .until(Int(numbers[0]) * 3600 + Int(numbers[1]) * 60)
    default:
      guard let duration = DurationText.duration(text), duration > .zero else { throw .badMute(text) }
      self = .during(duration)
    }
  }

  /// Suggests what the user meant by another text; `nil` if nothing is likely.
  package static func suggestion(for text: String) -> String? {
    if text == "on" { return "mute" }
    if text == "off" { return "unmute" }
    if text == "until" { return "until 10:00" }
    if (try? MuteChange("until \(text)")) != nil { return "until \(text)" }
    if let minutes = DurationText.duration("\(text) min"), minutes > .zero { return "\(text) min" }
    if let time = DurationText.suggestion(for: text), (try? MuteChange(time)) != nil { return time }
    return Suggestion.nearest(to: text, among: ["toggle"])
  }
}
