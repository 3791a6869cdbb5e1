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

  /// The clip of the file at `path`, or of a tone, or the silence of speech. `room` bounds the memory while it is decoded, too.
  package func load(path: String, room: ClipRoom? = nil) throws(SoundError) -> Clip {
    do throws(OutOfMemory) {
      if let tone = Tone(path) { return try tone.clip(rate: rate) }
      if path.hasPrefix(Speech.prefix) { return try Clip([0, 0], rate: rate) }
    } catch {
      throw .noMemory(path: path, reason: "\(error)")
    }
    if BuiltInSounds.index(of: path) != nil { return try decode(path, room) }
    // libmpg123 prints what it thinks of a file.
    return try DetachedThread.quietly { () throws(SoundError) in try decode(path, room) }
  }

  private func decode(_ path: String, _ room: ClipRoom?) throws(SoundError) -> Clip {
    var decoder = try SoundDecoder(path: path, limitSeconds: limitSeconds)
    let samples = try samples(of: &decoder, room: room)
    do throws(OutOfMemory) {
      return try Clip(
        samples.samples, channels: decoder.channels, rate: rate, truncation: decoder.truncation)
    } catch {
      throw .noMemory(path: path, reason: "\(error)")
    }
  }

  /// All samples of a file, at the rate of the clips.
  func samples(of decoder: inout SoundDecoder, room: ClipRoom? = nil) throws(SoundError) -> SampleBuffer {
    if let promised = decoder.promisedFrames {
      try room?.check(frames: Int(Double(promised) * Double(rate) / Double(decoder.rate)), of: decoder.path)
    }
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
      try room?.check(frames: samples.samples.count / decoder.channels, of: decoder.path)
    }
    return samples
  }
}
