import SoundTrigger

/// The argument of `mute`.
enum MuteChange: Equatable {
  /// Until `unmute`.
  case on
  case toggle
  /// For this time; then the mute ends by itself.
  case during(Duration)

  /// Reads an empty text, `toggle` or a duration.
  init(_ text: String) throws(RequestRefusal) {
    switch text {
    case "": self = .on
    case "toggle": self = .toggle
    default:
      guard let duration = DurationText.duration(text), duration > .zero else { throw .badMute(text) }
      self = .during(duration)
    }
  }

  /// Suggests what the user meant by another text; `nil` if nothing is likely.
  static func suggestion(for text: String) -> String? {
    if text == "on" { return "mute" }
    if text == "off" { return "unmute" }
    if let minutes = DurationText.duration("\(text) min"), minutes > .zero { return "\(text) min" }
    if let time = DurationText.suggestion(for: text), (try? MuteChange(time)) != nil { return time }
    return Suggestion.nearest(to: text, among: ["toggle"])
  }
}
