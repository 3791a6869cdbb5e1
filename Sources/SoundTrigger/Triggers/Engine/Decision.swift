/// One play, from the decision to its end. Counted by the engine from 1, never reused.
package struct PlayID: Hashable, Sendable {
  package var rawValue: UInt64
  package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// An order to the player. The engine appends decisions to a buffer; the player performs them one after the other.
package enum Decision: Equatable, Sendable {
  /// Starts a sound.
  case play(Play)
  /// Fades one play out in its own `fadeOut`.
  case stop(PlayID, by: StopCause, at: Instant)
  /// Lets a play that loops end with the end of its sound.
  case finish(PlayID)
  /// Brings a running play to other settings (volume, pan, importance, fade-out), after a reload.
  case adjust(PlayID, PlaySettings)
}

/// A sound that was decided on, and why. An object, because engine, player and subscribers hold the same one.
package final class Play: Equatable, Sendable {
  package let id: PlayID
  /// The trigger's name; `nil` if a client plays the sound by hand.
  package let trigger: String?
  /// Whether the trigger is the member of a rule.
  package let isMember: Bool
  /// The sound's name.
  package let sound: String
  package let settings: PlaySettings
  /// Whether it sounds without a gap until it is stopped.
  package let loops: Bool
  /// Whether it takes only a free voice or that of a less important sound, never of an equal one: a loop that lost its
  /// voice must not steal it back.
  package let spareEquals: Bool
  /// Whether it stands for what its group has held back.
  package let standsForGroup: Bool
  /// How long it may wait for a device; `nil`: as long as it takes, because it is the sound of an alarm.
  package let fresh: Duration?
  /// The change that caused it; `nil` if a client plays the sound by hand.
  package let cause: Cause?
  /// When it was decided: the change's time or, after a wait, the end of the wait.
  package let at: Instant

  package init(
    id: PlayID, trigger: String?, isMember: Bool = false, sound: String, settings: PlaySettings = PlaySettings(),
    loops: Bool = false,
    spareEquals: Bool = false, standsForGroup: Bool = false, fresh: Duration? = TriggerDefinition.usualFreshness,
    cause: Cause? = nil, at: Instant
  ) {
    self.id = id
    self.trigger = trigger
    self.isMember = isMember
    self.sound = sound
    self.settings = settings
    self.loops = loops
    self.spareEquals = spareEquals
    self.standsForGroup = standsForGroup
    self.fresh = fresh
    self.cause = cause
    self.at = at
  }

  var isAlarm: Bool { fresh == nil }

  /// The trigger, or the rule if it is a member: volume, mute and latency are those of all members.
  @inline(__always)
  package var rule: String? { isMember ? trigger?.ruleName : trigger }

  package static func == (left: Play, right: Play) -> Bool {
    left.id == right.id && left.trigger == right.trigger && left.sound == right.sound && left.settings == right.settings
      && left.loops == right.loops && left.spareEquals == right.spareEquals && left.fresh == right.fresh
      && left.cause == right.cause && left.at == right.at
  }
}

/// The change that a play answers to. Long contents are truncated.
package struct Cause: Equatable, Sendable {
  package var value: ValueName
  /// `nil` if the value had no content before.
  package var old: Value?
  /// `nil` if the value never had any content, and became stale.
  package var new: Value?

  package init(value: ValueName, old: Value?, new: Value?) {
    self.value = value
    self.old = old
    self.new = new
  }
}

/// An event in the life of a play. The player reports these in their order; the engine receives them.
///
/// Each play is heard at most once, before it ends; each ends exactly once, by `refused` or by `ended`. A play that was
/// refused was never heard.
package enum PlayEvent: Equatable, Sendable {
  /// A device accepted its first frames. `isMuted`: it plays in silence, because soundd is muted or its volume is 0.
  case heard(Play, isMuted: Bool)
  /// It will not be heard.
  case refused(Play, Refusal)
  case ended(Play, Ending)

  /// Why a play will not be heard.
  package enum Refusal: String, Sendable {
    /// No voice is left: all play something more important, or a later sound took the voice before this one was heard.
    case crowded
    /// No device took it within `fresh`.
    case noDevice
    /// The sound is not loaded.
    case broken
    /// A sound theme wants silence for it.
    case disabled
    /// It has no sound beside its speech, and nothing was spoken.
    case unspoken
    /// The player is about to end.
    case ending
  }

  /// How a play ended that was heard, or that was stopped before.
  package enum Ending: Equatable, Sendable {
    /// The sound came to its end.
    case finished
    /// It was heard, and this stopped it.
    case stopped(by: StopCause)
    /// It was stopped before it was heard.
    case cancelled
    /// Another sound took its voice, or the device hung.
    case stolen
  }
}
