import SoundTrigger

/// An output without a thread: the caller renders the blocks.
final class BlockOutput: AudioOutput {
  let control = MixerControl(voiceLimit: 256, rate: 48_000)
  let isReady = true

  var isSilent: Bool { control.activeCount == 0 }

  func wake() {}

  func collect(_ receive: (VoiceReport) -> Void) -> OutputError? {
    control.collect(receive)
    return nil
  }
}

/// Renders the blocks of an output, as the audio thread does.
struct BlockRenderer: ~Copyable {
  private var mixer: Mixer
  private let out = UnsafeMutableRawPointer.allocate(byteCount: 64 * 2 * 4, alignment: 64)

  init(_ output: BlockOutput) { mixer = output.control.makeMixer(level: 1) }

  mutating func render(at now: Instant) {
    mixer.render(into: out, frames: 64, format: .int32, channels: 2)
    mixer.reportStarts(at: now.nanoseconds, delay: 0)
  }
}
