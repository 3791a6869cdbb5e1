import CALSA

/// Resamples stereo sound with libsoxr's HQ recipe: over 120 dB of signal to noise at 15 kHz.
struct Resampler: ~Copyable {
  struct Failure: Error {
    var reason: String
  }

  private let engine: soxr_t
  private let from: Int
  private let to: Int

  /// Prepares to resample from one rate to another, in frames per second.
  init(from: Int, to: Int) throws(Failure) {
    var io = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
    var quality = soxr_quality_spec(UInt(SOXR_HQ), 0)
    var runtime = soxr_runtime_spec(1)
    var error: soxr_error_t?
    guard let engine = soxr_create(Double(from), Double(to), 2, &error, &io, &quality, &runtime) else {
      throw Failure(from, error)
    }
    self.engine = engine
    self.from = from
    self.to = to
  }

  deinit { soxr_delete(engine) }

  /// The largest number of frames that resampling can yield: one more than the ratio gives, because soxr may round up.
  static func capacity(frames: Int, from: Int, to: Int) -> Int {
    Int((Double(frames) * Double(to) / Double(from)).rounded(.up)) + 1
  }

  /// Resamples interleaved frames and writes at most `room` frames. `nil` marks the end of the input.
  ///
  /// - Returns: How many frames were consumed and how many written. After the end of the input, 0 written means that none
  ///   is left.
  mutating func process(
    _ input: UnsafePointer<Float>?, frames: Int, into output: UnsafeMutablePointer<Float>, room: Int
  ) throws(Failure) -> (taken: Int, written: Int) {
    var taken = 0
    var written = 0
    let error = soxr_process(engine, input, frames, &taken, output, room, &written)
    if let error { throw Failure(from, error) }
    return (taken, written)
  }
}

extension Resampler.Failure {
  fileprivate init(_ rate: Int, _ error: soxr_error_t?) {
    reason = "resampling from \(rate) Hz failed: \(error.map { String(cString: $0) } ?? "out of memory")"
  }
}
