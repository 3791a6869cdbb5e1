/// Why a sound was stopped before its end, or a loop was ended.
package enum StopCause: Hashable, Sendable {
  /// No value of the trigger meets the condition any more.
  case condition
  /// The value that the trigger has as `cancel` changed.
  case cancel
  /// A person or a program stopped it, such as with `soundd stop`.
  case hand
  /// The loop had sounded for as long as its `loop_limit` allows.
  case limit
  /// A later change of the trigger took its place: `overlap = "restart"`, or another sound of the table in a loop.
  case restart
  /// The profile no longer admitted the trigger.
  case profile
  /// A reload changed or removed the trigger.
  case configuration
  /// It lost its voice: another sound took it, or the device hung.
  case stolen
  /// soundd was shutting down.
  case ending
}

extension StopCause {
  /// The cause in a word, for programs. These words never change.
  package var word: String { text.word }

  /// The cause in a sentence for people, without its full stop.
  package var sentence: String { text.sentence }

  private var text: (word: String, sentence: String) {
    switch self {
    case .condition: ("condition", "its condition ended")
    case .cancel: ("cancel", "the value in cancel changed")
    case .hand: ("hand", "it was stopped by hand")
    case .limit: ("limit", "it had sounded for long enough (loop_limit)")
    case .restart: ("restart", "a later change took its place")
    case .profile: ("profile", "the profile no longer admitted it")
    case .configuration: ("configuration", "a reload changed it")
    case .stolen: ("stolen", "another sound took its voice (limits.voices), or the device hung")
    case .ending: ("ending", "soundd was shutting down")
    }
  }
}

/// When and why a trigger's sound was stopped.
package struct Stop: Hashable, Sendable {
  package var at: Instant
  package var cause: StopCause
  /// The value that changed, if that was the cause.
  package var value: ValueName?

  package init(at: Instant, cause: StopCause, value: ValueName? = nil) {
    self.at = at
    self.cause = cause
    self.value = value
  }

  /// For people, without a full stop.
  package var sentence: String { value.map { "'\($0)' changed (cancel)" } ?? cause.sentence }
}
