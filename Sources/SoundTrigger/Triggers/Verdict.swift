/// Why a change played, or what stood in its way.
package enum Verdict: Hashable, Sendable {
  case played
  /// It played, and soundd was muted.
  case muted
  /// The value's first content, and the trigger does not ask for `initial`.
  case appeared
  /// `debounce` waits until the value has been still for this long.
  case waiting(for: Duration)
  /// After `debounce` the value is back where the burst began.
  case returned
  /// The condition compares numbers, and the old or the new value is none.
  case notANumber
  case notIncreased
  case notDecreased
  /// The old value is none of those in `from`.
  case notFrom
  /// The new value is none of those in `to`.
  case notTo
  /// The number does not lie beyond the threshold, or with two lines beyond neither.
  case outside
  /// The number lies beyond a line, but has not gone back far enough since it last came there.
  case notArmed
  /// The table of sounds has none for the new value.
  case noSound
  /// Too soon after the last play; the next one may come after this long.
  case throttled(for: Duration)
  /// The sound could not be loaded.
  case broken
  /// Too many sounds were under way.
  case crowded
  /// Nothing begins any more: the player is about to end.
  case ending
}

extension Verdict: CustomStringConvertible {
  package var description: String {
    switch self {
    case .played: "played"
    case .muted: "played unheard: soundd is muted"
    case .appeared: "the first content is not a change (initial is false)"
    case .waiting(let rest): "waiting until the value has been still for \(rest)"
    case .returned: "when the value came to rest it was back where it began"
    case .notANumber: "the condition compares numbers and the value is not a number"
    case .notIncreased: "the number has not increased"
    case .notDecreased: "the number has not decreased"
    case .notFrom: "the old value is not one of those in from"
    case .notTo: "the new value is not one of those in to"
    case .outside: "the number is not beyond the threshold"
    case .notArmed: "the number has not gone back past the threshold since it last crossed it"
    case .noSound: "there is no sound for this value"
    case .broken: "its sound could not be loaded"
    case .crowded: "too many sounds were under way"
    case .ending: "soundd was about to leave"
    case .throttled(let rest): "throttled: the next play may come in \(rest)"
    }
  }
}
