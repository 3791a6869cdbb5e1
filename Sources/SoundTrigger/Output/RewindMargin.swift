/// How far ahead of a device's position frames may still be changed. Pure: it is told what happened, and counts frames.
///
/// A device fetches frames before it plays them, and we need time to write them. Too small a margin and it plays what was
/// there before; too large and every sound is late. So it doubles when it was too small and shrinks slowly while it holds.
struct RewindMargin {
  /// Beside the device's step never less than 1.33 ms, which PulseAudio's authors found to be needed, nor than 256 bytes of
  /// the narrowest stream.
  private let smallest: Int
  private let largest: Int
  /// It shrinks after every ten seconds that it held.
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

  /// Another so many frames were played in time.
  @_noLocks mutating func held(_ played: Int) {
    heldFor = heldFor &+ played
    if heldFor < proof { return }
    heldFor = 0
    frames = max(smallest, frames &- frames / 16)
  }

  /// We woke up or wrote so late that the device might have been there before us.
  @_noLocks mutating func strained() {
    heldFor = 0
    frames = min(largest, frames &+ frames / 4)
  }

  /// The device was there before us: it has fetched frames that were to be changed, or it ran dry.
  @_noLocks mutating func missed() {
    heldFor = 0
    frames = min(largest, frames &* 2)
  }
}
