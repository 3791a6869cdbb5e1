import CMixer

extension Clip {
  /// A longer sound keeps its pitch, in seconds: to make the new clip takes some 0.1 ms for each half second, on the thread that decides.
  package static let longestPitched = 5

  /// The same sound with its frames read faster by this factor, by cubic interpolation: higher, and shorter. With `loops` the clip
  /// continues at its end with its beginning.
  ///
  /// Throws if there is no memory.
  func pitched(by factor: Double, loops: Bool) throws(OutOfMemory) -> Clip {
    if frameCount > Self.longestPitched * rate { return self }
    let count = max(1, Int((Double(frameCount) / factor).rounded()))
    // A loop has no gap, so it takes a whole number of steps.
    let step = loops ? Double(frameCount) / Double(count) : factor
    return try Clip(frames: count, rate: rate, truncation: truncation) { out in
      cmixer_resample(out, count, frames, frameCount, step, loops)
    }
  }
}
