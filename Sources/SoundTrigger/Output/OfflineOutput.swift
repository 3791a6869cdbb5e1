/// Renders on a virtual clock into a WAV file: the same mixer as the daemon's, with nobody waiting for it.
package final class OfflineOutput {
  package let control: MixerControl
  private var mixer: Mixer
  private let writer: WAVWriter
  /// How many frames were written.
  package private(set) var frame = 0

  package init(writer: WAVWriter, rate: Int, voiceLimit: Int = 256) {
    self.writer = writer
    control = MixerControl(voiceLimit: voiceLimit, rate: rate)
    mixer = control.makeMixer()
  }

  /// Renders up to the frame that `time` falls on, counted from the beginning of the file; what is past stays as it is.
  package func advance(to time: Instant) throws(WAVError) {
    let (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let rate = Int64(control.rate)
    let target = Int(seconds * rate + (rest * rate + 500_000_000) / 1_000_000_000)
    while frame < target { try render(min(Mixer.maximumFrames, target - frame)) }
  }

  /// Renders until the last voice has ended, and completes the file.
  package func finish() throws(WAVError) {
    while !mixer.isIdle() { try render(Mixer.maximumFrames) }
    try writer.close()
  }

  private func render(_ frames: Int) throws(WAVError) {
    if !mixer.mix(frames: frames) {
      for index in 0..<2 * frames { mixer.block[index] = 0 }
    }
    try writer.write(mixer.block, count: frames)
    control.collect()
    frame += frames
  }
}
