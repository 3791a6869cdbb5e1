/// Loads sound files as clips: decodes them, mixes more than two channels to two, and resamples them to the device's rate.
///
/// It blocks and allocates: never call it on the audio thread.
package struct ClipLoader: Sendable {
  /// The rate of the clips, in frames per second.
  package var rate: Int
  /// The longest sound, in seconds.
  package var limitSeconds: Int
  /// Whether another process decodes what is neither shipped nor root's, if the kernel can confine that process. Such a process is the
  /// program soundd.
  package var isConfined: Bool

  package init(rate: Int, limitSeconds: Int = 300, isConfined: Bool = false) {
    self.rate = rate
    self.limitSeconds = limitSeconds
    self.isConfined = isConfined
  }

  /// The clip of the file at `path`, or of a tone, or the silence of speech.
  package func load(path: String) throws(SoundError) -> Clip {
    do throws(OutOfMemory) {
      if let tone = Tone(path) { return try tone.clip(rate: rate) }
      if path.hasPrefix(Speech.prefix) { return try Clip([0, 0], rate: rate) }
    } catch {
      throw .noMemory(path: path, reason: "\(error)")
    }
    var decoder = try SoundDecoder(path: path, limitSeconds: limitSeconds)
    let samples = try samples(of: &decoder)
    do throws(OutOfMemory) {
      return try Clip(
        samples.samples, channels: decoder.channels, rate: rate, truncation: decoder.truncation)
    } catch {
      throw .noMemory(path: path, reason: "\(error)")
    }
  }

  /// All samples of a file, at the rate of the clips.
  func samples(of decoder: inout SoundDecoder) throws(SoundError) -> SampleBuffer {
    var resampler =
      decoder.rate == rate
      ? nil : try Resampler(path: decoder.path, from: decoder.rate, to: rate, channels: decoder.channels)
    var samples = SampleBuffer()
    var isOver = false
    var (block, resampled): ([Float], [Float]) = ([], [])
    while !isOver {
      block.removeAll(keepingCapacity: true)
      resampled.removeAll(keepingCapacity: true)
      isOver = try !decoder.read(appendingTo: &block)
      try resampler?.process(isOver ? nil : block, appendingTo: &resampled)
      do throws(OutOfMemory) {
        try samples.append(decoder.rate == rate ? block : resampled)
      } catch {
        throw .noMemory(path: decoder.path, reason: "\(error)")
      }
    }
    return samples
  }
}

/// Why a sound cannot be played. The remedy is in the file, or in the configuration that names it.
package enum SoundError: Error, Equatable, CustomStringConvertible {
  /// No file of that name in any folder. `near` is one that is there and has a similar name.
  case notFound(name: String, searched: [String], near: String? = nil)
  /// A sound theme wants silence for it by the file at `path`, or the pack with this manifest has no such category; `near` is one
  /// that it has, with a similar name. That is no error.
  case disabled(path: String, near: String? = nil)
  /// The file is not there or cannot be opened.
  case unreadable(path: String, reason: String)
  /// The file system of the file does not answer.
  case unavailable(path: String, reason: String)
  /// It cannot be decoded or resampled, is empty, or has a sample far beyond full scale.
  case corrupt(path: String, reason: String)
  /// There is no memory or no time for it now.
  case noMemory(path: String, reason: String)
  /// No program can speak the text.
  case unspoken(text: String, reason: String)
  /// Longer than `limits.sound_seconds`.
  case tooLong(path: String, limitSeconds: Int)

  /// How the description of `unspoken` begins.
  package static let speechFailed = "cannot say "

  /// One line; of a sound that was not found a second one with the folders.
  package var description: String {
    switch self {
    case .notFound(let name, let searched, let near):
      "no sound is called '\(name)'\(Suggestion.question(near))"
        + (searched.isEmpty ? "" : "\n  searched: \(searched.joined(separator: ", "))")
    case .disabled(let path, _): "its theme or pack has silence for it: \(path)"
    case .unreadable(let path, let reason), .unavailable(let path, let reason):
      "cannot read the sound \(path): \(reason)"
    case .corrupt(let path, let reason): "cannot decode the sound \(path): \(reason)"
    case .noMemory(let path, let reason): "cannot load the sound \(path): \(reason)"
    case .unspoken(let text, let reason): "\(Self.speechFailed)'\(Excerpt.escaping(text))': \(reason)"
    case .tooLong(let path, let limit):
      "the sound \(path) is longer than \(limit) s (limits.sound_seconds)"
    }
  }

  /// The description in one line.
  package var line: String {
    description.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: "; ")
  }
}
