/// Judges from time to time whether the audio thread still works: a device that blocks for ever holds it in one place.
struct AudioPulse {
  /// How many turns the thread had made at the last look; `nil` if it was at rest.
  private var lastTurns: Int?

  /// Whether the thread has made a turn since the last look, or is or was at rest: then nothing was asked of it.
  ///
  /// The caller wakes the thread at each look at which it is not at rest.
  mutating func isAlive(turns: Int, isResting: Bool) -> Bool {
    defer { lastTurns = isResting ? nil : turns }
    return isResting || turns != lastTurns
  }
}
