/// How far ahead of a device the audio thread writes. Pure; counts frames.
struct AudioPlan {
  /// Frames beyond the device's position up to which the thread writes.
  let ahead: Int
  /// The thread wakes up and writes again when this many frames are left.
  let least: Int

  /// With `isStorm` the thread writes less ahead, because each of the rapid commands would make it rewrite those frames.
  @_noLocks init(_ stream: StreamFormat, canRewind: Bool, isStorm: Bool) {
    if canRewind {
      let wanted = isStorm ? stream.rate / 20 : stream.rate / 4
      ahead = min(
        min(wanted, Mixer.aheadLimit()), max(stream.bufferFrames &- stream.periodFrames, stream.bufferFrames / 2))
      least = ahead / 2
    } else {
      ahead = min(stream.bufferFrames, max(stream.shortFrames, 2 &* stream.periodFrames))
      least = max(ahead / 2, ahead &- stream.periodFrames)
    }
  }
}

/// How close to a device's position the thread may still change frames. Pure; counts frames, and times in nanoseconds.
///
/// A device fetches frames before it plays them, and writing takes time. If the margin is too small, the device plays old
/// frames. If it is too large, every sound is late. So the margin doubles when it was too small, and shrinks with time.
/// After a minute without another miss it has its first value again, whether or not anything plays.
struct RewindMargin {
  /// How long the margin takes to shrink to its first value.
  private static var recovery: Int64 { 60_000_000_000 }

  /// The first value: the device's step plus a reserve, and at least two reserves. A reserve is 1.33 ms
  /// (PulseAudio's value), and at least 64 frames (256 bytes of 16-bit stereo).
  private let usual: Int
  private let largest: Int
  /// Frames from the device's position to the first one that may be changed.
  private(set) var frames: Int
  /// The size after it last grew, and the time of that.
  private var peak: Int
  private var peakTime: Int64 = 0

  /// The margin for a device that fetches `step` frames at once.
  @_noLocks init(rate: Int, step: Int) {
    let safety = max(64, rate / 750)
    usual = max(safety &+ step, 2 &* safety)
    largest = max(rate / 25, 2 &* step)
    frames = usual
    peak = usual
  }

  /// Shrinks the margin according to the time since it last grew.
  @_noLocks mutating func relax(at now: Int64) {
    let elapsed = max(0, now &- peakTime)
    if elapsed >= Self.recovery {
      frames = usual
    } else {
      frames = peak &- Int(truncatingIfNeeded: Int64(truncatingIfNeeded: peak &- usual) &* elapsed / Self.recovery)
    }
  }

  /// The thread woke up or wrote so late that the device might have fetched the frames already.
  @_noLocks mutating func strained(at now: Int64) { grow(by: frames / 4, at: now) }

  /// The device had fetched the frames already, or it ran dry.
  @_noLocks mutating func missed(at now: Int64) { grow(by: frames, at: now) }

  @_noLocks private mutating func grow(by more: Int, at now: Int64) {
    frames = min(largest, frames &+ more)
    peak = frames
    peakTime = now
  }
}
