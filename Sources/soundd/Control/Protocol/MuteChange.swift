import SoundTrigger

/// What `mute` asks for.
enum MuteChange: Equatable {
  /// Until `unmute`.
  case on
  case toggle
  /// It ends by itself after this time.
  case during(Duration)

  /// Reads nothing, `toggle` or a duration.
  init(_ text: String) throws(RequestError) {
    switch text {
    case "": self = .on
    case "toggle": self = .toggle
    default:
      guard let duration = DurationText.duration(text), duration > .zero else { throw .badMute(text) }
      self = .during(duration)
    }
  }

  /// What the user may have meant by a text that is none of these; `nil` if nothing is likely.
  static func suggestion(for text: String) -> String? {
    if text == "on" { return "mute" }
    if text == "off" { return "unmute" }
    if let minutes = DurationText.duration("\(text) min"), minutes > .zero { return "\(text) min" }
    if let time = DurationText.suggestion(for: text), (try? MuteChange(time)) != nil { return time }
    return Suggestion.nearest(to: text, among: ["toggle"])
  }
}
