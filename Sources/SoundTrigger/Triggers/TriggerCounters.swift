/// What a trigger has done since it was first configured.
package struct TriggerCounters: Hashable, Sendable {
  /// Changes of the watched value, appearances excepted, whether or not they played.
  package var changes = 0
  /// Plays, those that nobody heard because soundd was muted among them; with `initial` one of them may stand for an appearance.
  package var played = 0
  package var lastPlay: Instant?
  /// What became of the latest change, or of the burst that it ended.
  package var lastVerdict: Verdict?

  package init() {}

  mutating func note(_ verdict: Verdict, at now: Instant) {
    lastVerdict = verdict
    guard verdict == .played || verdict == .muted else { return }
    played += 1
    lastPlay = now
  }
}
