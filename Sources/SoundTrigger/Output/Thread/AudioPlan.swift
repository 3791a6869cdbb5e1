/// How far ahead of a device the audio thread writes. Pure; counts frames.
struct AudioPlan {
  /// Frames beyond the device's position up to which the thread writes.
  let ahead: Int
  /// With so many frames left, the thread wakes up and writes again.
  let least: Int

  /// `isStorm`: commands come in quick succession, so most of what is written far ahead would be written again.
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

/// How close to a device's position frames may still be changed. Pure; counts frames.
///
/// A device fetches frames before it plays them, and writing them takes time. With too small a margin the device plays what
/// was there before; with too large a one every sound is late. So the margin doubles when it was too small, and shrinks slowly.
struct RewindMargin {
  /// The device's step and at least 1.33 ms (the value of PulseAudio), or 256 bytes of the narrowest stream.
  private let smallest: Int
  private let largest: Int
  /// The margin shrinks after so many frames in a row for which it was large enough.
  private let proof: Int
  /// Frames from the device's position to the first one that may be changed.
  private(set) var frames: Int
  private var heldFor = 0

  /// The margin for a device that fetches `step` frames at once.
  @_noLocks init(rate: Int, step: Int) {
    let safety = max(64, rate / 750)
    smallest = safety &+ step
    largest = max(rate / 25, 2 &* step)
    proof = 10 &* rate
    frames = max(smallest, 2 &* safety)
  }

  /// So many more frames were played in time.
  @_noLocks mutating func held(_ played: Int) {
    heldFor = heldFor &+ played
    if heldFor < proof { return }
    heldFor = 0
    frames = max(smallest, frames &- frames / 16)
  }

  /// The thread woke up or wrote so late that the device might have fetched the frames already.
  @_noLocks mutating func strained() {
    heldFor = 0
    frames = min(largest, frames &+ frames / 4)
  }

  /// The device had fetched the frames already, or it ran dry.
  @_noLocks mutating func missed() {
    heldFor = 0
    frames = min(largest, frames &* 2)
  }
}
