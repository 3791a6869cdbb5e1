import SoundTrigger

/// An output whose audio thread the test plays itself: commands wait until `pass`. The rate is 1000, so a frame lasts a
/// millisecond.
final class HeldOutput: AudioOutput {
  let control: MixerControl
  private var mixer: Mixer
  /// Whether there is a device; if not, the clock stands in for it.
  var isReady: Bool
  let wantsDevice = true
  private(set) var wakes = 0
  /// Whether there are reports that nobody has collected, as the report descriptor of a device shows it.
  private(set) var isSignalled = false

  init(voices: Int, isReady: Bool = true) {
    control = MixerControl(voiceLimit: voices, rate: 1000)
    mixer = control.makeMixer()
    self.isReady = isReady
  }

  var isSilent: Bool { control.activeCount == 0 }

  func wake() { wakes += 1 }

  func collect(_ receive: (VoiceReport) -> Void) -> OutputError? {
    isSignalled = false
    control.collect(receive)
    return nil
  }

  /// Lets time pass, and then applies the commands.
  func pass(frames: Int) {
    mixer.pass(frames: frames)
    if isReady { mixer.reportStarts(at: 0, delay: 0) } else { mixer.reportUnheard() }
    if mixer.hasReports { isSignalled = true }
    mixer.hasReports = false
  }
}
