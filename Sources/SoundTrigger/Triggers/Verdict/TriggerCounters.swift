/// The record of a trigger since it was first configured.
package struct TriggerCounters: Hashable, Sendable {
  /// Changes of the watched values, without appearances, whether or not they played.
  package var changes = 0
  /// Plays that a device accepted, also while soundd was muted. With `initial` one of them may stand for an appearance.
  package var played = 0
  /// Plays that came too late, or that found no device or no voice.
  package var dropped = 0
  /// When the latest play was decided that a device accepted.
  package var lastPlay: Instant?
  /// The verdict on the latest change, or on the wait that ended after it.
  package var lastVerdict: Verdict?
  /// When and why a sound was stopped before its end, or a loop was ended, the last time that happened.
  @Rare package var lastStop: Stop?

  package init() {}

  /// Adds what another trigger has done; the later one of two last things stays.
  mutating func add(_ other: TriggerCounters) {
    changes += other.changes
    played += other.played
    dropped += other.dropped
    if let play = other.lastPlay { lastPlay = max(play, lastPlay ?? play) }
    if let stop = other.lastStop, stop.at >= lastStop?.at ?? stop.at { lastStop = stop }
    lastVerdict = other.lastVerdict ?? lastVerdict
  }
}

/// The activity of a trigger at one moment, for people and programs to read.
package struct TriggerActivity: Equatable, Sendable {
  /// If several apply, the last of them.
  ///
  /// The raw value is the word in `status`.
  package enum State: String, Sendable {
    /// It neither waits nor sounds.
    case resting
    /// A `debounce` or a `delay` has not ended.
    case waiting
    /// One of its sounds runs.
    case sounding
    /// Its condition holds, and it loops, even if the profile, the throttle or a lack of voices keeps it silent.
    case looping
  }

  package var state: State
  /// How many plays wait in the queue.
  package var queued: Int

  package init(state: State, queued: Int = 0) {
    self.state = state
    self.queued = queued
  }
}
