/// Why a sound was stopped before its end, or an alarm ended.
///
/// The raw value is the word for programs, which never changes.
package enum StopCause: String, Sendable {
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
  /// A value in `unless` became true.
  case gate
  /// A person snoozed the alarm.
  case snooze
  /// A person acknowledged the alarm.
  case acknowledged
  /// A reload changed or removed the trigger.
  case configuration
  /// It lost its voice: another sound took it, or the device hung.
  case stolen
  /// soundd was shutting down.
  case ending
}

extension StopCause {
  /// The cause in a sentence for people, without its full stop.
  package var sentence: String {
    switch self {
    case .condition: "its condition ended"
    case .cancel: "the value in cancel changed"
    case .hand: "it was stopped by hand"
    case .limit: "it had sounded for long enough (loop_limit)"
    case .restart: "a later change took its place"
    case .profile: "the profile no longer admitted it"
    case .gate: "a value in unless became true"
    case .snooze: "it was snoozed"
    case .acknowledged: "it was acknowledged"
    case .configuration: "a reload changed it"
    case .stolen: "another sound took its voice (limits.voices), or the device hung"
    case .ending: "soundd was shutting down"
    }
  }
}

/// When and why a trigger's sound was stopped.
package struct Stop: Hashable, Sendable {
  package var at: Instant
  package var cause: StopCause
  /// The value that changed, if that was the cause: in `cancel`, or the one that no longer meets the condition.
  package var value: ValueName?

  /// For people, without a full stop.
  package var sentence: String {
    switch (cause, value) {
    case (.cancel, let value?): "'\(value)' changed (cancel)"
    case (.condition, let value?): "its condition ended, because of '\(value)'"
    default: cause.sentence
    }
  }
}
