/// What a trigger has done since it was first configured.
package struct TriggerCounters: Hashable, Sendable {
  /// Changes of the watched value, appearances excepted, whether or not they played.
  package var changes = 0
  /// Plays, those that nobody heard because soundd was muted among them; with `initial` one of them may stand for an appearance.
  package var played = 0
  /// Plays that would have come too late to tell of anything, or that found no device or no voice.
  package var dropped = 0
  /// When something was last played.
  package var lastPlay: Instant?
  /// What became of the latest change, or of the wait that ended after it.
  package var lastVerdict: Verdict?

  package init() {}

  mutating func notePlay(at now: Instant) {
    played += 1
    lastPlay = now
  }
}
