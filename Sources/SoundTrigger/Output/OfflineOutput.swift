/// Plays on a virtual clock, into a WAV file or unheard, with the mixer that devices get.
package final class OfflineOutput: AudioOutput {
  package let control: MixerControl
  private var mixer: Mixer
  private let writer: WAVWriter?
  /// One block on its way to the file.
  private let block: UnsafeMutablePointer<Float>
  /// Whether a sound counts as heard as soon as it has begun, while the clock stands still.
  private let acceptsAtOnce: Bool
  /// The next frame.
  package private(set) var frame = 0

  /// Without a `writer` nothing is rendered, and a day passes as fast as a frame.
  ///
  /// A sound is heard with its first frame, so one that is stopped before is not. With `acceptsAtOnce` it is heard when it
  /// begins, although the clock stands still: for tests.
  package init(writer: WAVWriter?, rate: Int, voiceLimit: Int = 256, acceptsAtOnce: Bool = false) {
    self.writer = writer
    self.acceptsAtOnce = acceptsAtOnce
    control = MixerControl(voiceLimit: voiceLimit, rate: rate)
    mixer = control.makeMixer()
    block = .allocate(capacity: Mixer.maximumFrames * (writer?.channels ?? 0))
  }

  deinit { block.deallocate() }

  package var isReady: Bool { true }

  package var isSilent: Bool { control.activeCount == 0 }

  /// Applies the commands at the frame that was reached.
  package func wake() {
    mixer.applyCommands()
    if acceptsAtOnce { mixer.reportStarts(at: 0, delay: 0) }
  }

  package func collect(_ receive: (VoiceReport) -> Void = { _ in }) -> OutputError? {
    control.collect(receive)
    mixer.hasReports = false
    return nil
  }

  /// Advances to the frame that `time` falls on, counted from the beginning, but no further than to the next report of the
  /// mixer; returns how far it got. With `nil` it advances to the next report: there must be a voice that ends.
  ///
  /// Call `collect` before the next call.
  package func advance(to time: Instant?) throws(WAVError) -> Instant {
    let goal = time ?? Instant(nanoseconds: .max)
    let target = time.map(frame(at:)) ?? .max
    wake()
    while frame < target, !mixer.hasReports {
      // What has begun is heard with its first frame, before anything else happens.
      try pass(mixer.hasStarts() ? 1 : min(target - frame, max(1, mixer.framesToEnd())))
      mixer.reportStarts(at: 0, delay: 0)
    }
    return mixer.hasReports ? min(goal, instant(of: frame)) : goal
  }

  /// Completes the file.
  package func finish() throws(WAVError) { try writer?.close() }

  private func pass(_ frames: Int) throws(WAVError) {
    frame += frames
    guard let writer else { return mixer.pass(frames: frames) }
    var left = frames
    while left > 0 {
      let count = min(Mixer.maximumFrames, left)
      mixer.render(into: block, frames: count, format: .float32, channels: writer.channels)
      try writer.write(block, count: count)
      left -= count
    }
  }

  /// The nearest frame. A time that is too late to count its frames gets the largest number.
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
