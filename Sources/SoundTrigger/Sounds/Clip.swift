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

  /// Copies interleaved stereo samples. An incomplete frame at the end is dropped; no frames at all make one silent frame.
  package convenience init(stereo samples: [Float], rate: Int) {
    self.init(capacity: samples.count / 2, rate: rate) { memory in
      for index in 0..<samples.count / 2 * 2 { memory[index] = samples[index] }
      return samples.count / 2
    }
  }

  /// Lets `fill` write interleaved stereo samples into memory for `capacity` frames and return the number of frames; 0 makes one
  /// silent frame.
  ///
  /// Rethrows the error of `fill`. The memory is not initialised.
  init<Problem: Error>(
    capacity: Int, rate: Int,
    fill: (UnsafeMutableBufferPointer<Float>) throws(Problem) -> Int
  ) throws(Problem) {
    let capacity = max(1, capacity)
    let bytes = (capacity + 2 * Self.padding) * Self.frameSize
    // Sounds often have equal lengths: without a stagger their frames would share cache sets and 4 KiB offsets.
    let stagger = ClipStagger.next()
    let start = (memory.allocate(byteCount: bytes + stagger) + stagger).bindMemory(to: Float.self, capacity: bytes / 4)
    let first = start + 2 * Self.padding
    var count = try fill(UnsafeMutableBufferPointer(start: first, count: 2 * capacity))
    if count == 0 {
      first.update(repeating: 0, count: 2)
      count = 1
    }
    start.update(repeating: 0, count: 2 * Self.padding)
    (first + 2 * count).update(repeating: 0, count: 2 * Self.padding)
    frames = UnsafePointer(first)
    frameCount = count
    self.rate = rate
  }

  /// The length in time.
  package var duration: Duration { .nanoseconds(Int64(frameCount) * 1_000_000_000 / Int64(rate)) }

  /// The interleaved samples, without the padding.
  package var samples: [Float] { Array(UnsafeBufferPointer(start: frames, count: 2 * frameCount)) }

  private static let frameSize = 2 * MemoryLayout<Float>.size
}

import Synchronization

/// Start offsets of clips that differ modulo a page.
private enum ClipStagger {
  private static let count = Atomic<Int>(0)

  /// 13 cache lines further each time, within 4 KiB: 13 and 64 have no common factor, so all 64 lines take turns.
  static func next() -> Int {
    count.wrappingAdd(1, ordering: .relaxed).oldValue &* 13 * 64 & 4095
  }
}
