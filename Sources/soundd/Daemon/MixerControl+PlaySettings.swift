import SoundTrigger

/// Where triggers and the mixer meet: what the one says in its terms, the other is told in frames.
extension MixerControl {
  /// Begins a voice; `nil` if too much is under way already. `arrival` is when the cause came, in nanoseconds of
  /// CLOCK_MONOTONIC (0: unknown).
  func start(_ clip: Clip, _ settings: PlaySettings, loops: Bool = false, arrival: Int64 = 0) -> VoiceID? {
    start(
      clip, gain: Float(settings.volume), pan: Float(settings.pan), importance: settings.importance.rank,
      loops: loops, fadeIn: frames(in: settings.fadeIn), arrival: arrival)
  }

  /// How many frames there are in a duration of at most some days.
  func frames(in duration: Duration) -> Int { Int(duration.nanoseconds) * rate / 1_000_000_000 }
}
