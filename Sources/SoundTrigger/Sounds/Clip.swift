/// A decoded sound, ready to be mixed: stereo float32 at the device's rate, immutable.
///
/// Before the first frame and after the last one lie `padding` frames more, so that a voice may begin or end inside a
/// block without a special case. They are silent.
///
/// Safety of `@unchecked Sendable`: the memory is written by `init` alone and freed with the clip. A voice reads it through
/// `frames` without holding a reference; `MixerControl` holds one for it until the mixer has retired the voice.
package final class Clip: @unchecked Sendable {
  /// The largest block that may be mixed at once, in frames.
  package static let padding = 1024

  /// How many frames the sound lasts; at least 1.
  package let frameCount: Int
  /// Frames per second.
  package let rate: Int
  /// The first frame. `padding` frames before it and behind the last one may be read too.
  let frames: UnsafePointer<Float>
  private let memory = LockedMemory()

  /// Copies interleaved stereo samples; an incomplete frame at the end is dropped, and no frames at all make one silent frame.
  package convenience init(stereo samples: [Float], rate: Int) {
    self.init(capacity: samples.count / 2, rate: rate) { memory in
      for index in 0..<samples.count / 2 * 2 { memory[index] = samples[index] }
      return samples.count / 2
    }
  }

  /// Has `fill` write interleaved stereo samples into memory for `capacity` frames and return how many frames it has written;
  /// none at all make one silent frame.
  ///
  /// What `fill` throws is thrown on. The memory it gets is not initialised.
  init<Problem: Error>(
    capacity: Int, rate: Int,
    fill: (UnsafeMutableBufferPointer<Float>) throws(Problem) -> Int
  ) throws(Problem) {
    let capacity = max(1, capacity)
    let bytes = (capacity + 2 * Self.padding) * Self.frameSize
    // Sounds often have equal lengths: without a stagger they would meet in the same cache sets and 4 KiB offsets.
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

  /// How long it lasts.
  package var duration: Duration { .nanoseconds(Int64(frameCount) * 1_000_000_000 / Int64(rate)) }

  /// The interleaved samples, without the padding.
  package var samples: [Float] { Array(UnsafeBufferPointer(start: frames, count: 2 * frameCount)) }

  private static let frameSize = 2 * MemoryLayout<Float>.size
}

import Synchronization

/// Hands out start offsets that differ modulo a page.
private enum ClipStagger {
  private static let count = Atomic<Int>(0)

  /// 13 cache lines further each time, within 4 KiB: 13 and 64 have no common factor, so all 64 lines come in turn.
  static func next() -> Int {
    count.wrappingAdd(1, ordering: .relaxed).oldValue &* 13 * 64 & 4095
  }
}
