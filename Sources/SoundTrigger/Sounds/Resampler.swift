import CALSA

/// Resamples a sound of one or two channels with libsoxr's HQ recipe: over 120 dB of signal to noise at 15 kHz.
struct Resampler: ~Copyable {
  private let path: String
  private let from: Int
  private let channels: Int
  private let engine: soxr_t
  /// What soxr wrote last.
  private var block: [Float]

  /// Prepares to resample the sound of a file from one rate to another, in frames per second.
  init(path: String, from: Int, to: Int, channels: Int) throws(SoundError) {
    var error: soxr_error_t?
    // Without specifications it gives the HQ recipe for interleaved float32, in this thread.
    guard let engine = soxr_create(Double(from), Double(to), UInt32(channels), &error, nil, nil, nil) else {
      throw Self.failure(path, from, error)
    }
    self.engine = engine
    self.path = path
    self.from = from
    self.channels = channels
    block = [Float](repeating: 0, count: channels * SoundDecoder.blockFrames)
  }

  deinit { soxr_delete(engine) }

  /// Resamples interleaved frames and appends those that are ready. `nil` marks the end of the input: appends the rest.
  mutating func process(_ input: [Float]?, appendingTo output: inout [Float]) throws(SoundError) {
    var rest = input
    var taken = 0
    var written = 0
    repeat {
      let error = soxr_process(
        engine, rest, (rest?.count ?? 0) / channels, &taken, &block, block.count / channels, &written)
      if let error { throw Self.failure(path, from, error) }
      output += block[..<(channels * written)]
      rest?.removeFirst(channels * taken)
    } while taken > 0 || written > 0
  }

  private static func failure(_ path: String, _ rate: Int, _ error: soxr_error_t?) -> SoundError {
    let reason = error.map { String(cString: $0) } ?? "out of memory"
    return .corrupt(path: path, reason: "resampling from \(rate) Hz failed: \(reason)")
  }
}
