/// What all triggers of an engine share when they decide.
struct Circumstances: Sendable {
  var profile = Profile.full
  var random: SplitMix64
  /// The time that the engine was told last; what is due is decided at its own time, and may be late by now.
  var told = Instant(nanoseconds: .min)
  /// What each sound was started for since that was taken last, in their order; `nil`: nobody wants to know.
  var causes: [PlayCause]?
}

/// The change that a sound is started for.
package struct PlayCause: Equatable, Sendable {
  /// Which of the trigger's values changed, as its place in `TriggerDefinition.values`.
  package var watch: Int
  package var old: Value
  package var new: Value
}
