/// What all triggers of an engine share when they decide.
struct Circumstances: Sendable {
  var profile = Profile.full
  var random: SplitMix64
  /// The time that the engine was told last; what is due is decided at its own time, and may be late by now.
  var told = Instant(nanoseconds: .min)
}
