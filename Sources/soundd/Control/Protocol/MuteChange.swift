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
}
