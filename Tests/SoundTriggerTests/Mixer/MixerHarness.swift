import SoundTrigger

extension MixerControl {
  /// Collects what the mixer reports; returns the voices that ended or were refused, and those that were faded out.
  @discardableResult
  func collectEnds() -> (ended: [VoiceID], fadedOut: [VoiceID]) {
    var ended: [VoiceID] = []
    var fadedOut: [VoiceID] = []
    collect {
      switch $0 {
      case .heard: break
      case .refused(let voice): ended.append(voice)
      case .ended(let voice, let ending):
        ended.append(voice)
        if ending != .finished { fadedOut.append(voice) }
      }
    }
    return (ended, fadedOut)
  }
}

/// A mixer rendered by hand, block by block, on the test's own thread.
struct MixerHarness: ~Copyable {
  let control: MixerControl
  var mixer: Mixer

  init(voiceLimit: Int = 64, rate: Int = 48_000, level: Int? = nil) {
    control = MixerControl(voiceLimit: voiceLimit, rate: rate)
    mixer = control.makeMixer(level: level)
  }

  /// The next frames, interleaved stereo.
  mutating func render(_ frames: Int, block: Int = 64) -> [Float] {
    var result: [Float] = []
    var left = frames
    while left > 0 {
      let count = min(block, left)
      let words = bytes(count, format: .float32, channels: 2)
      words.withUnsafeBytes { result.append(contentsOf: $0.bindMemory(to: Float.self)) }
      left -= count
    }
    return result
  }

  /// One block in any layout, as 32-bit words (the memory is a multiple of four bytes if frames are).
  mutating func bytes(_ frames: Int, format: SampleFormat, channels: Int) -> [UInt32] {
    let size = frames * channels * format.width()
    let memory = UnsafeMutableRawPointer.allocate(byteCount: size + 8, alignment: 64)
    defer { memory.deallocate() }
    (memory + size).storeBytes(of: 0x5A5A_5A5A_5A5A_5A5A, as: UInt64.self)
    mixer.render(into: memory, frames: frames, format: format, channels: channels)
    mixer.reportStarts(at: 0, delay: 0)
    precondition(
      (memory + size).loadUnaligned(as: UInt64.self) == 0x5A5A_5A5A_5A5A_5A5A, "written past the end")
    return Array(UnsafeRawBufferPointer(start: memory, count: size).bindMemory(to: UInt32.self))
  }
}
