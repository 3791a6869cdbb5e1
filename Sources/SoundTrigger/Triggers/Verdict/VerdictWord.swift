/// The words of verdicts. They never change.
package enum VerdictWord: String, CaseIterable, Sendable {
  case starting
  case played
  case muted
  case appeared
  case waiting
  case superseded
  case returned
  case delayed
  case alreadyDelayed = "already_delayed"
  case calledOff = "called_off"
  case cancelled
  case notANumber = "not_a_number"
  case notIncreased = "not_increased"
  case notDecreased = "not_decreased"
  case notFrom = "not_from"
  case notTo = "not_to"
  case notMatching = "not_matching"
  case tooCostlyToMatch = "too_costly_to_match"
  case overBudget = "over_budget"
  case tooLongToMatch = "too_long_to_match"
  case notStale = "not_stale"
  case outside
  case notArmed = "not_armed"
  case noSound = "no_sound"
  case throttled
  case stillSounding = "still_sounding"
  case queued
  case queueFull = "queue_full"
  case alreadyLooping = "already_looping"
  case acknowledged
  case snoozed
  case suppressed
  case profile
  case late
  case noDevice = "no_device"
  case broken
  case disabled
  case unspoken
  case crowded
  case ending
  case asBefore = "as_before"
  case grouped
}

extension VerdictWord {
  /// What a verdict means for the person who waits for a sound.
  package enum Meaning: Sendable {
    /// A device took the sound, and nothing muted it.
    case heard
    /// It is not decided yet: another verdict follows.
    case open
    /// It should have been heard.
    case failed
    /// It was not meant to be heard.
    case silent
  }

  package var meaning: Meaning {
    switch self {
    case .played: .heard
    case .starting, .waiting, .delayed, .queued: .open
    case .late, .noDevice, .broken, .crowded, .queueFull, .tooCostlyToMatch, .tooLongToMatch: .failed
    default: .silent
    }
  }

  /// Whether it says that nothing is missing: the change played, may yet play, or is not news.
  package var isExpected: Bool {
    switch self {
    case .alreadyLooping, .acknowledged, .appeared, .asBefore: true
    default: meaning == .heard || meaning == .open
    }
  }
}
