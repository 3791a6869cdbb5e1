import CALSA
import Glibc

/// Reads sound files into clips: decoded by libsndfile, brought to two channels and to the device's rate.
///
/// Blocks and allocates; never for the audio thread.
package struct ClipLoader: Sendable {
  /// The rate of the clips, in frames per second.
  package var rate: Int
  /// The longest sound, in seconds.
  package var limitSeconds: Int

  package init(rate: Int, limitSeconds: Int = 300) {
    self.rate = rate
    self.limitSeconds = limitSeconds
  }

  /// The clip of the file at `path`.
  package func load(path: String, loops: Bool = false) throws(SoundError) -> Clip {
    let decoded = try decode(path)
    let samples: [Float]
    do {
      samples = try Resampler.resample(stereo: decoded.stereo, from: decoded.rate, to: rate)
    } catch {
      throw .corrupt(path: path, reason: error.reason)
    }
    return Clip(stereo: samples, rate: rate, loops: loops)
  }

  /// How far beyond full scale a sample may lie; what is further is damage, and would drown all that plays beside it.
  private static let largestSample: Float = 16
  /// How many frames are decoded at once.
  private static let blockFrames = 8192

  private struct Decoded {
    /// Interleaved.
    var stereo: [Float]
    var rate: Int
  }

  private func decode(_ path: String) throws(SoundError) -> Decoded {
    // Opened here rather than by sf_open: a FIFO must not block, and errno tells more than libsndfile does.
    let fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard fd >= 0 else { throw .unreadable(path: path, reason: String(cString: strerror(errno))) }
    var status = stat()
    guard fstat(fd, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(fd)
      throw .unreadable(path: path, reason: "it is not a regular file")
    }
    var info = SF_INFO()
    guard let file = sf_open_fd(fd, Int32(SFM_READ), &info, 1) else {
      throw .corrupt(path: path, reason: Self.reason(nil))
    }
    defer { sf_close(file) }
    let channels = Int(info.channels)
    guard channels >= 1, info.samplerate >= 1 else {
      throw .corrupt(path: path, reason: "it has no channels or no rate")
    }
    let limit = limitSeconds * Int(info.samplerate)
    // Block by block, and no memory for what the header promises: it may lie.
    var stereo: [Float] = []
    var block = [Float](repeating: 0, count: Self.blockFrames * channels)
    let downmix = Downmix(channels: channels)
    while case let count = Int(sf_readf_float(file, &block, sf_count_t(Self.blockFrames))), count > 0 {
      for sample in block[..<(count * channels)] where !(abs(sample) <= Self.largestSample) {
        throw .corrupt(path: path, reason: "it holds a sample of \(sample), where full scale is 1")
      }
      downmix.append(block[..<(count * channels)], to: &stereo)
      if stereo.count > 2 * limit { throw .tooLong(path: path, limitSeconds: limitSeconds) }
    }
    if sf_error(file) != 0 { throw .corrupt(path: path, reason: Self.reason(file)) }
    if stereo.isEmpty { throw .corrupt(path: path, reason: "it holds no sound") }
    return Decoded(stereo: stereo, rate: Int(info.samplerate))
  }

  private static func reason(_ file: OpaquePointer?) -> String {
    var text = String(cString: sf_strerror(file))
    while text.last == "." || text.last == "\n" { text.removeLast() }
    return text
  }
}
