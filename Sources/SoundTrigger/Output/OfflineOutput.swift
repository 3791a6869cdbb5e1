/// Plays on a virtual clock, into a WAV file or to nobody: the same mixer as the daemon's.
package final class OfflineOutput {
  package let control: MixerControl
  private var mixer: Mixer
  private let writer: WAVWriter?
  /// The next frame.
  package private(set) var frame = 0

  /// Without a `writer` nothing is mixed, and a day passes as fast as a frame.
  package init(writer: WAVWriter?, rate: Int, voiceLimit: Int = 256) {
    self.writer = writer
    control = MixerControl(voiceLimit: voiceLimit, rate: rate)
    mixer = control.makeMixer()
  }

  /// Whether nothing sounds and nothing was asked for.
  package var isIdle: Bool { mixer.isIdle() }

  /// Goes on to the frame that `time` falls on, counted from the beginning, but not beyond the end of a voice; returns how
  /// far it got.
  ///
  /// With `nil` the end of a voice is waited for, of which there has to be one. `ended` is told of each that ends there,
  /// `refused` before it of those for which there was no place.
  package func advance(
    to time: Instant?, refused: (VoiceID) -> Void = { _ in }, _ ended: (VoiceID) -> Void
  ) throws(WAVError) -> Instant {
    let goal = time ?? Instant(nanoseconds: .max)
    let target = time.map(frame(at:)) ?? .max
    mixer.applyCommands()
    // Voices that found no place have ended at once.
    var hasEnded = collect(refused, ended)
    while frame < target, !hasEnded {
      try pass(min(target - frame, max(1, mixer.framesToEnd())))
      hasEnded = collect(refused, ended)
    }
    return hasEnded ? min(goal, instant(of: frame)) : goal
  }

  /// Completes the file.
  package func finish() throws(WAVError) { try writer?.close() }

  private func collect(_ refused: (VoiceID) -> Void, _ ended: (VoiceID) -> Void) -> Bool {
    var hasEnded = false
    control.collect(
      {
        hasEnded = true
        ended($0)
      }, refused: refused)
    return hasEnded
  }

  private func pass(_ frames: Int) throws(WAVError) {
    frame += frames
    guard let writer else { return mixer.pass(frames: frames) }
    var left = frames
    while left > 0 {
      let count = min(Mixer.maximumFrames, left)
      if !mixer.mix(frames: count) {
        for index in 0..<2 * count { mixer.block[index] = 0 }
      }
      try writer.write(mixer.block, count: count)
      left -= count
    }
  }

  /// The nearest frame; the last one that can be counted stands for all that come after it.
  private func frame(at time: Instant) -> Int {
    let (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let rate = Int64(control.rate)
    let (frames, overflow) = seconds.multipliedReportingOverflow(by: rate)
    return overflow ? .max : Int(frames + (rest * rate + 500_000_000) / 1_000_000_000)
  }

  private func instant(of frame: Int) -> Instant {
    let (seconds, rest) = frame.quotientAndRemainder(dividingBy: control.rate)
    return Instant(nanoseconds: Int64(seconds) * 1_000_000_000 + Int64(rest * 1_000_000_000 / control.rate))
  }
}
