/// Loads sound files as clips: decodes them, mixes them to two channels, and resamples them to the device's rate.
///
/// It writes each block straight into the clip's memory, so a load needs little more memory than its clip. It blocks and
/// allocates: never call it on the audio thread.
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
  package func load(path: String) throws(SoundError) -> Clip {
    var frames = try StereoFrames(path: path, rate: rate, limitSeconds: limitSeconds)
    // As much memory as the header promises, if that is plausible. The promise may still be wrong, in both directions.
    let promised = frames.promisedCount
    var surplus: [Float] = []
    let clip = try Clip(capacity: promised, rate: rate) { memory throws(SoundError) in
      var count = 0
      if let start = memory.baseAddress {
        while count < promised {
          let more = try frames.read(into: start + 2 * count, room: promised - count)
          if more == 0 { return count }
          count += more
        }
      }
      while try frames.read(appendingTo: &surplus) > 0 {}
      return count
    }
    if surplus.isEmpty, clip.frameCount >= promised / 8 * 7 { return clip }
    let count = promised == 0 ? 0 : clip.frameCount
    return Clip(capacity: count + surplus.count / 2, rate: rate) { memory in
      memory.baseAddress?.update(from: clip.frames, count: 2 * count)
      for index in surplus.indices { memory[2 * count + index] = surplus[index] }
      return count + surplus.count / 2
    }
  }
}

/// The frames of a sound file at the device's rate.
private struct StereoFrames: ~Copyable {
  /// The length that the header promises; 0 if the promise is not plausible.
  let promisedCount: Int

  private let path: String
  private var decoder: SoundDecoder
  /// `nil` if the file has the device's rate.
  private var resampler: Resampler?
  /// Frames that were decoded and not yet resampled.
  private let block: UnsafeMutablePointer<Float>
  /// How many frames of the block were decoded, and how many of those resampled.
  private var decoded = 0
  private var resampled = 0
  private var isAtEnd = false

  init(path: String, rate: Int, limitSeconds: Int) throws(SoundError) {
    let decoder = try SoundDecoder(path: path, limitSeconds: limitSeconds)
    let promised = decoder.promisedFrames
    if decoder.rate == rate {
      resampler = nil
      promisedCount = promised
    } else {
      resampler = try Self.makeResampler(path, from: decoder.rate, to: rate)
      promisedCount = promised == 0 ? 0 : Resampler.capacity(frames: promised, from: decoder.rate, to: rate)
    }
    self.decoder = decoder
    self.path = path
    // Last, because nothing would free it if a line above throws.
    block = .allocate(capacity: 2 * SoundDecoder.blockFrames)
  }

  private static func makeResampler(_ path: String, from: Int, to: Int) throws(SoundError) -> Resampler {
    do throws(Resampler.Failure) {
      return try Resampler(from: from, to: to)
    } catch {
      throw .corrupt(path: path, reason: error.reason)
    }
  }

  deinit { block.deallocate() }

  /// Reads the next frames into memory for at most `room` frames; returns their number, 0 at the end.
  mutating func read(into target: UnsafeMutablePointer<Float>, room: Int) throws(SoundError) -> Int {
    if resampler == nil { return try decoder.read(into: target, frames: room) }
    while true {
      if resampled == decoded, !isAtEnd {
        decoded = try decoder.read(into: block, frames: SoundDecoder.blockFrames)
        resampled = 0
        isAtEnd = decoded == 0
      }
      let input = isAtEnd ? nil : UnsafePointer(block + 2 * resampled)
      do throws(Resampler.Failure) {
        guard
          let result = try resampler?.process(input, frames: decoded - resampled, into: target, room: room)
        else { return 0 }
        resampled += result.taken
        if result.written > 0 || isAtEnd { return result.written }
      } catch {
        throw .corrupt(path: path, reason: error.reason)
      }
    }
  }

  /// Appends the next frames to an array of samples; returns their number, 0 at the end.
  mutating func read(appendingTo samples: inout [Float]) throws(SoundError) -> Int {
    let size = SoundDecoder.blockFrames
    let spare = UnsafeMutablePointer<Float>.allocate(capacity: 2 * size)
    defer { spare.deallocate() }
    let count = try read(into: spare, room: size)
    samples.append(contentsOf: UnsafeBufferPointer(start: spare, count: 2 * count))
    return count
  }
}

/// Why a sound cannot be played. The remedy is in the file, or in the configuration that names it.
package enum SoundError: Error, Equatable, CustomStringConvertible {
  /// No file of that name in any folder.
  case notFound(name: String, searched: [String])
  /// The file is not there or cannot be opened.
  case unreadable(path: String, reason: String)
  /// libsndfile cannot decode it, or the samples are no sound.
  case corrupt(path: String, reason: String)
  /// Longer than `limits.sound_seconds`.
  case tooLong(path: String, limitSeconds: Int)

  package var description: String {
    switch self {
    case .notFound(let name, let searched):
      searched.isEmpty
        ? "no sound is called '\(name)'"
        : "no sound is called '\(name)' (searched \(searched.joined(separator: ", ")))"
    case .unreadable(let path, let reason): "cannot read the sound \(path): \(reason)"
    case .corrupt(let path, let reason): "cannot decode the sound \(path): \(reason)"
    case .tooLong(let path, let limit):
      "the sound \(path) is longer than \(limit) s (limits.sound_seconds)"
    }
  }
}
