/// Why a change played, or what stood in its way.
package enum Verdict: Hashable, Sendable {
  /// The sound was started, and no device has accepted it yet.
  case starting
  /// A device accepted the sound.
  case played
  /// A device accepted the sound while soundd or the trigger was muted.
  case muted
  /// The value's first content, and the trigger does not ask for `initial`.
  case appeared
  /// The first content equals the one at the end of the last run, or that one is unknown.
  case asBefore
  /// `debounce` waits until the value has been still for this long.
  case waiting(for: Duration)
  /// While `debounce` waited, a later change replaced this one.
  case superseded
  /// After `debounce` the value is back where the burst began.
  case returned
  /// `delay` waits this long, unless the condition ends before.
  case delayed(for: Duration)
  /// A play of an earlier change still waits for the end of `delay`.
  case alreadyDelayed
  /// The condition ended while `delay` waited.
  case calledOff
  /// It was called off while it waited, by `cancel` or by hand, or stopped before a device accepted it.
  case cancelled
  /// The condition compares numbers, and the old or the new value is not a number.
  case notANumber
  case notIncreased
  case notDecreased
  /// The old value is not in `from`.
  case notFrom
  /// The new value is not in `to`.
  case notTo
  /// The new value does not match the expression in `matches`.
  case notMatching
  /// The match of `matches` with the new value was given up because it took too long.
  case tooCostlyToMatch
  /// The match was given up or not tried, because the expressions of this update took too long together.
  case overBudget
  /// soundd does not keep a content of this length, so `matches` cannot be applied.
  case tooLongToMatch
  /// The value was reported in time, and the trigger plays only when it is stale.
  case notStale
  /// The number is beyond no line of the threshold.
  case outside
  /// The number is beyond a line, but has not gone back far enough since it last crossed it.
  case notArmed
  /// The table of sounds has no sound for the new value.
  case noSound
  /// Too soon after the last play. The next one may come after this long.
  case throttled(for: Duration)
  /// A sound of the trigger was still running (`overlap = "ignore"`).
  case stillSounding
  /// A sound of the trigger still runs. This play waits at this position of the queue, counted from 1.
  case queued(position: Int)
  /// The queue of the trigger was full.
  case queueFull
  /// The trigger sounds already, until its condition ends.
  case alreadyLooping
  /// Its group holds it back, with so many others.
  case grouped(others: Int)
  /// Somebody has acknowledged the alarm, and its condition has not ended since.
  case acknowledged
  /// The alarm is snoozed, for so long from now.
  case snoozed(for: Duration)
  /// This value in `unless` is true.
  case suppressed(by: ValueName)
  /// The same for a crossing, which waits for the end of that.
  case held(by: ValueName)
  /// The profile admits only more important sounds.
  case profile(Profile)
  /// It could not be decided within `fresh`, because the machine slept or was too busy.
  case late(by: Duration)
  /// No device accepted it within `fresh`.
  case noDevice
  /// The sound could not be loaded.
  case broken
  /// A sound theme wants silence for the sound.
  case disabled
  /// There is no sound beside the speech, and nothing was spoken.
  case unspoken
  /// No voice was left for it: all played something more important, or a later sound took its voice before it was heard.
  case crowded
  /// soundd was shutting down.
  case ending

  package init(_ refusal: PlayEvent.Refusal) {
    switch refusal {
    case .crowded: self = .crowded
    case .noDevice: self = .noDevice
    case .broken: self = .broken
    case .disabled: self = .disabled
    case .unspoken: self = .unspoken
    case .ending: self = .ending
    }
  }

  /// How long the change waits by its timing; `nil` if it does not.
  package var wait: Duration? {
    switch self {
    case .waiting(let rest), .delayed(let rest): rest
    default: nil
    }
  }

  /// Whether a device accepted the sound.
  @inline(__always)
  var isPlay: Bool {
    switch self {
    case .played, .muted: true
    default: false
    }
  }
}

extension Verdict: CustomStringConvertible {
  /// The verdict in a word, for programs. These words never change.
  package var word: VerdictWord { text.word }

  /// The verdict in a sentence for people, without its full stop.
  package var description: String { text.sentence }

  private var text: (word: VerdictWord, sentence: String) {
    switch self {
    case .starting: (.starting, "started, but no device has accepted it yet")
    case .played: (.played, "played")
    case .muted: (.muted, "played unheard, because soundd or the trigger was muted")
    case .appeared: (.appeared, "the first content is not a change (initial is false)")
    case .asBefore:
      (
        .asBefore,
        "the first content equals the one at the last stop, or that one is unknown (initial is \"if-changed\")"
      )
    case .waiting(let rest): (.waiting, "waits until the value has been still for \(rest.rounded) (debounce)")
    case .superseded:
      (.superseded, "a later change replaced it before the value had been still for long enough (debounce)")
    case .returned: (.returned, "the value came to rest where it began (debounce)")
    case .delayed(let rest): (.delayed, "waits for \(rest.rounded), unless its condition ends before (delay)")
    case .alreadyDelayed: (.alreadyDelayed, "an earlier change is already waiting (delay)")
    case .calledOff: (.calledOff, "its condition ended while it waited")
    case .cancelled: (.cancelled, "called off before it was heard")
    case .notANumber: (.notANumber, "the condition compares numbers, and the value is not a number")
    case .notIncreased: (.notIncreased, "the number has not increased")
    case .notDecreased: (.notDecreased, "the number has not decreased")
    case .notFrom: (.notFrom, "the old value is none of those in from")
    case .notTo: (.notTo, "the new value is none of those in to")
    case .notMatching: (.notMatching, "the new value does not match the expression in matches")
    case .tooCostlyToMatch:
      (.tooCostlyToMatch, "the match with the new value was given up because it took too long")
    case .overBudget:
      (.overBudget, "not matched, because the expressions of one update share a budget, and it was spent")
    case .tooLongToMatch: (.tooLongToMatch, "the new content is too long to match")
    case .notStale: (.notStale, "the value was reported in time, and only its staleness plays")
    case .outside: (.outside, "the number is not beyond the threshold")
    case .notArmed: (.notArmed, "the number has not gone back far enough since it last crossed the threshold")
    case .noSound: (.noSound, "there is no sound for the new value")
    case .throttled(let rest):
      (.throttled, "too soon after the last play: the next could come \(rest.rounded) later (throttle)")
    case .stillSounding: (.stillSounding, "its last sound was still running (overlap is \"ignore\")")
    case .queued(let position): (.queued, "waits for its turn, at place \(position)")
    case .queueFull: (.queueFull, "\(TriggerDefinition.longestQueue) plays waited for their turn already")
    case .alreadyLooping: (.alreadyLooping, "it sounds already, until its condition ends (loop)")
    case .grouped(let others):
      (
        .grouped,
        "held back\(others == 0 ? "" : " with \(others) \(others == 1 ? "other" : "others")"): its group was just heard (group)"
      )
    case .acknowledged: (.acknowledged, "it was acknowledged, and the condition has held since")
    case .snoozed(let rest): (.snoozed, "snoozed for another \(rest.rounded)")
    case .suppressed(let value): (.suppressed, "suppressed by '\(value.original)' (unless)")
    case .held(let gate):
      (Self.suppressed(by: gate).word, "\(Self.suppressed(by: gate)): heard after that, if still beyond")
    case .profile(let profile): (.profile, "the profile \(profile.rawValue) admits only more important sounds")
    case .late(let delay): (.late, "too late by \(delay.rounded): the machine was asleep or too busy (fresh)")
    case .noDevice: (.noDevice, "no device accepted it in time (fresh)")
    case .broken: (.broken, "its sound could not be loaded")
    case .disabled: (.disabled, "its theme or pack has silence for it")
    case .unspoken: (.unspoken, "nothing was spoken: no text, a program that failed, or a newer text (say)")
    case .crowded: (.crowded, "no voice was left for it (limits.voices)")
    case .ending: (.ending, "soundd was shutting down")
    }
  }
}
