import Synchronization

/// A decoded sound, ready to be mixed: stereo float32 at the device's rate, immutable.
///
/// It has `padding` silent frames before the first frame and after the last one, so that a voice may begin or end inside a
/// block without a special case.
///
/// Safety of `@unchecked Sendable`: only `init` writes the memory, and it is freed with the clip. A voice reads it through
/// `frames` without a reference; `MixerControl` keeps one for it until the mixer has retired the voice.
package final class Clip: @unchecked Sendable {
  /// The largest block that may be mixed at once, in frames.
  package static let padding = 1024

  /// The length in frames; at least 1.
  package let frameCount: Int
  /// Frames per second.
  package let rate: Int
  /// The first frame. The `padding` frames before it and after the last one may be read, too.
  let frames: UnsafePointer<Float>
  private let memory = LockedMemory()
  /// How many clips were made.
  private static let made = Atomic<Int>(0)

  /// How many bytes of memory it takes.
  package let byteCount: Int
  /// How its file was cut off, if it was.
  package let truncation: String?

  /// Copies samples of one channel to both sides, or those of two channels, interleaved.
  ///
  /// An incomplete frame at the end is dropped; no frames at all make one silent frame. Throws if there is no memory.
  package convenience init(_ samples: [Float], channels: Int = 2, rate: Int) throws(OutOfMemory) {
    try self.init(frames: samples.count / channels, rate: rate)
    samples.withUnsafeBufferPointer { copy($0, channels: channels) }
  }

  /// Copies the same from a buffer.
  convenience init(
    _ samples: UnsafeBufferPointer<Float>, channels: Int, rate: Int, truncation: String?
  ) throws(OutOfMemory) {
    try self.init(frames: samples.count / channels, rate: rate, truncation: truncation)
    copy(samples, channels: channels)
  }

  /// The same sound at the loudness of the shipped ones; itself if it has that already.
  func normalized() throws(OutOfMemory) -> Clip {
    let samples = UnsafeBufferPointer(start: frames, count: 2 * frameCount)
    let gain = Loudness.gain(samples, rate: rate)
    if gain == 1 { return self }
    return try Clip(frames: frameCount, rate: rate, truncation: truncation) { out in
      for index in samples.indices { out[index] = gain * samples[index] }
    }
  }

  /// Lets `fill` write the frames, which are silent before.
  package convenience init(
    frames count: Int, rate: Int, truncation: String?, fill: (UnsafeMutablePointer<Float>) -> Void
  ) throws(OutOfMemory) {
    try self.init(frames: count, rate: rate, truncation: truncation)
    fill(UnsafeMutablePointer(mutating: frames))
  }

  /// How many bytes of memory a clip of so many frames takes at least.
  static func byteCount(frames: Int) -> Int { 2 * (max(1, frames) + 2 * padding) * MemoryLayout<Float>.size }

  /// Silence.
  private init(frames count: Int, rate: Int, truncation: String? = nil) throws(OutOfMemory) {
    frameCount = max(1, count)
    self.truncation = truncation
    self.rate = rate
    let count = 2 * (frameCount + 2 * Self.padding)
    // Sounds often have equal lengths: without a stagger their frames would share cache sets and 4 KiB offsets. Each clip
    // begins 13 cache lines further within 4 KiB. 13 and 64 have no common factor, so all 64 lines take turns.
    let stagger = Self.made.wrappingAdd(1, ordering: .relaxed).oldValue &* 13 * 64 & 4095
    byteCount = Self.byteCount(frames: frameCount) + stagger
    // It consists of zeros, so the padding is silent, and so is the frame of an empty clip.
    let memory = try memory.map(byteCount: byteCount) + stagger
    frames = UnsafePointer(memory.bindMemory(to: Float.self, capacity: count) + 2 * Self.padding)
  }

  /// Fills the frames; called by `init` alone.
  private func copy(_ samples: UnsafeBufferPointer<Float>, channels: Int) {
    let first = UnsafeMutablePointer(mutating: frames)
    if channels == 2 {
      if let start = samples.baseAddress { first.update(from: start, count: samples.count / 2 * 2) }
    } else {
      for (frame, sample) in samples.enumerated() {
        first[2 * frame] = sample
        first[2 * frame + 1] = sample
      }
    }
  }

  /// The length in time.
  package var duration: Duration { .nanoseconds(Int64(frameCount) * 1_000_000_000 / Int64(rate)) }

  /// The interleaved samples, without the padding.
  package var samples: [Float] { Array(UnsafeBufferPointer(start: frames, count: 2 * frameCount)) }
}
