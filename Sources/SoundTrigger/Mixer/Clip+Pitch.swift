import CMixer

extension Clip {
  /// A longer sound keeps its pitch, and none is lowered so far that it becomes longer, in seconds: the thread that decides takes some
  /// 0.1 ms for each half second, and memory.
  package static let longestPitched = 5

  /// The same sound with its frames read faster by this factor, by cubic interpolation: higher, and shorter. With `loops` the clip
  /// continues at its end with its beginning.
  ///
  /// Throws if there is no memory.
  func pitched(by factor: Double, loops: Bool) throws(OutOfMemory) -> Clip {
    if frameCount > Self.longestPitched * rate { return self }
    let factor = lowered(factor)
    let count = pitchedFrames(by: factor)
    // A loop has no gap, so it takes a whole number of steps.
    let step = loops ? Double(frameCount) / Double(count) : factor
    return try Clip(frames: count, rate: rate, truncation: truncation) { out in
      cmixer_resample(out, count, frames, frameCount, step, loops)
    }
  }

  /// How many frames it has after `pitched`.
  func pitchedFrames(by factor: Double) -> Int {
    if frameCount > Self.longestPitched * rate { return frameCount }
    return max(1, Int((Double(frameCount) / lowered(factor)).rounded()))
  }

  /// The factor, but none that makes it too long.
  private func lowered(_ factor: Double) -> Double {
    max(factor, Double(frameCount) / Double(Self.longestPitched * rate))
  }
}
