/// The volume of everything, and whether it is muted.
struct MasterVolume: Equatable {
  /// How long a change takes: fast enough for a hand at the knob, slow enough to make no noise of its own.
  static let ramp = Duration.milliseconds(20)

  /// A factor, 0 to 1.
  var level = 1.0
  var isMuted = false
  /// Whether the mixer has not been told yet: nothing sounded, so that there was no need to wake it.
  var isPending = false

  /// What the mix is multiplied by.
  var gain: Double { isMuted ? 0 : level }
}
