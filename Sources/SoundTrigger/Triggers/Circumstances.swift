/// What all triggers of an engine share when they decide.
struct Circumstances: Sendable {
  var profile = Profile.full
  var random: SplitMix64
  /// The time that the engine was told last; what is due is decided at its own time, and may be late by now.
  var told = Instant(nanoseconds: .min)
  /// Whether somebody wants to know `causes`.
  var notesCauses = false
  /// What each sound was started for since that was taken last, in their order.
  private(set) var causes: [PlayCause] = []

  /// Notes what a sound is started for. Apart, so that it costs nothing while nobody wants to know.
  @inline(never)
  mutating func note(_ change: PendingChange) {
    causes.append(PlayCause(watch: change.watch, old: change.old, new: change.new))
  }

  mutating func takeCauses() -> [PlayCause] {
    defer { causes = [] }
    return causes
  }
}

/// The change that a sound is started for.
package struct PlayCause: Equatable, Sendable {
  /// Which of the trigger's values changed, as its place in `TriggerDefinition.values`.
  package var watch: Int
  package var old: Value
  package var new: Value
}
