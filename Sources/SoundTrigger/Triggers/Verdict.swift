/// Why a change played, or what stood in its way.
package enum Verdict: Hashable, Sendable {
  case played
  /// It played, and soundd was muted.
  case muted
  /// The value's first content, and the trigger does not ask for `initial`.
  case appeared
  /// The value's first content is the one known when soundd last stopped, or none was known.
  case asBefore
  /// `debounce` waits until the value has been still for this long.
  case waiting(for: Duration)
  /// While `debounce` waited, a later change took this one's place.
  case superseded
  /// After `debounce` the value is back where the burst began.
  case returned
  /// `delay` waits this long, unless the condition ends before.
  case delayed(for: Duration)
  /// A play of an earlier change still waits for the end of `delay`.
  case alreadyDelayed
  /// The condition ended while `delay` waited.
  case calledOff
  /// `cancel` changed, or it was stopped by hand, while it waited.
  case cancelled
  /// The condition compares numbers, and the old or the new value is none.
  case notANumber
  case notIncreased
  case notDecreased
  /// The old value is none of those in `from`.
  case notFrom
  /// The new value is none of those in `to`.
  case notTo
  /// The new value does not match the expression in `matches`.
  case notMatching
  /// Matching the expression in `matches` with the new value would have cost too much.
  case tooCostlyToMatch
  /// The new content is too long to be kept, so that `matches` cannot look at it.
  case tooLongToMatch
  /// The value was reported in time, and only its staleness plays.
  case notStale
  /// The number does not lie beyond the threshold, or with two lines beyond neither.
  case outside
  /// The number lies beyond a line, but has not gone back far enough since it last came there.
  case notArmed
  /// The table of sounds has none for the new value.
  case noSound
  /// Too soon after the last play; the next one may come after this long.
  case throttled(for: Duration)
  /// A sound of the trigger still ran (`overlap = "ignore"`).
  case stillSounding
  /// A sound of the trigger still runs, and this is the one after so many others to wait for its turn.
  case queued(place: Int)
  /// Too many plays of the trigger wait for their turn.
  case queueFull
  /// The trigger sounds already, and goes on until its condition ends.
  case alreadyLooping
  /// The profile lets only more important sounds be heard.
  case profile(Profile)
  /// It could not sound within `fresh`: the machine slept, or was too busy, for this long.
  case late(by: Duration)
  /// It could not sound within `fresh`: there was no device.
  case noDevice
  /// The sound could not be loaded.
  case broken
  /// Too many sounds were under way.
  case crowded
  /// Nothing begins any more: the player is about to end.
  case ending

  /// Whether a sound was started, heard or not.
  var isPlay: Bool {
    switch self {
    case .played, .muted: true
    default: false
    }
  }
}

extension Verdict {
  /// The verdict in a word for programs; none of them will ever change.
  package var word: String {
    switch self {
    case .played: "played"
    case .muted: "muted"
    case .appeared: "appeared"
    case .asBefore: "as_before"
    case .waiting: "waiting"
    case .superseded: "superseded"
    case .returned: "returned"
    case .delayed: "delayed"
    case .alreadyDelayed: "already_delayed"
    case .calledOff: "called_off"
    case .cancelled: "cancelled"
    case .notANumber: "not_a_number"
    case .notIncreased: "not_increased"
    case .notDecreased: "not_decreased"
    case .notFrom: "not_from"
    case .notTo: "not_to"
    case .notMatching: "not_matching"
    case .tooCostlyToMatch: "too_costly_to_match"
    case .tooLongToMatch: "too_long_to_match"
    case .notStale: "not_stale"
    case .outside: "outside"
    case .notArmed: "not_armed"
    case .noSound: "no_sound"
    case .throttled: "throttled"
    case .stillSounding: "still_sounding"
    case .queued: "queued"
    case .queueFull: "queue_full"
    case .alreadyLooping: "already_looping"
    case .profile: "profile"
    case .late: "late"
    case .noDevice: "no_device"
    case .broken: "broken"
    case .crowded: "crowded"
    case .ending: "ending"
    }
  }
}

extension Verdict: CustomStringConvertible {
  /// The verdict in a sentence for people, without its full stop.
  package var description: String {
    switch self {
    case .played: "played"
    case .muted: "played unheard: soundd is muted"
    case .appeared: "the first content is not a change (initial is false)"
    case .asBefore: "the first content is not known to differ from the one at the last stop (initial is \"if-changed\")"
    case .waiting(let rest): "waits until the value has been still for \(RoundedDuration(rest)) (debounce)"
    case .superseded: "a later change took its place before the value had been still for long enough (debounce)"
    case .returned: "when the value came to rest it was back where it began (debounce)"
    case .delayed(let rest): "waits for \(RoundedDuration(rest)), unless its condition ends before (delay)"
    case .alreadyDelayed: "an earlier change waits already (delay)"
    case .calledOff: "its condition ended while it waited (delay)"
    case .cancelled: "called off while it waited, by cancel or by hand"
    case .notANumber: "the condition compares numbers, and the value is not a number"
    case .notIncreased: "the number has not increased"
    case .notDecreased: "the number has not decreased"
    case .notFrom: "the old value is none of those in from"
    case .notTo: "the new value is none of those in to"
    case .notMatching: "the new value does not match the expression in matches"
    case .tooCostlyToMatch: "matching the new value was given up, for it would have taken too long"
    case .tooLongToMatch: "the new content is too long to be matched"
    case .notStale: "the value was reported in time, and only its staleness plays"
    case .outside: "the number is not beyond the threshold"
    case .notArmed: "the number has not gone back far enough since it last crossed the threshold"
    case .noSound: "there is no sound for the new value"
    case .throttled(let rest):
      "too soon after the last play: the next could come \(RoundedDuration(rest)) later (throttle)"
    case .stillSounding: "its last sound was still running (overlap is \"ignore\")"
    case .queued(let place): "waits for its turn, at place \(place)"
    case .queueFull: "\(TriggerDefinition.longestQueue) plays waited for their turn already"
    case .alreadyLooping: "it sounded already, and goes on until its condition ends (loop)"
    case .profile(let profile): "the profile \(profile.rawValue) lets only more important sounds be heard"
    case .late(let delay): "too late by \(RoundedDuration(delay)): the machine was asleep or too busy (fresh)"
    case .noDevice: "there was no device to play on"
    case .broken: "its sound could not be loaded"
    case .crowded: "too many sounds were under way"
    case .ending: "soundd was about to leave"
    }
  }
}
