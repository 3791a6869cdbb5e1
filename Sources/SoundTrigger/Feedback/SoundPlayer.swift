/// Plays sounds through ALSA, from the moment they are asked for.
///
/// Not thread-safe: use it from one thread or one actor. Only the first use of a sound reads a file; call `load` ahead
/// of time where that matters.
public final class SoundPlayer {
  private let output: Output
  private var bank: SoundBank

  /// Opens a device.
  ///
  /// - Parameters:
  ///   - device: An ALSA PCM name, or `none` to play by the clock and be heard by nobody.
  ///   - folders: Where sounds are looked up by name, best first.
  /// - Throws: An error whose description says why the device cannot be played on (snd_pcm_open and its negotiation).
  public convenience init(device: String = "default", folders: [String]) throws {
    try self.init(OutputSettings(device: device), locator: SoundLocator(folders: folders))
  }

  package init(_ settings: OutputSettings, locator: SoundLocator) throws(OutputError) {
    output = try Output(settings)
    if let error = output.deviceError { throw error }
    bank = SoundBank(locator: locator, loader: ClipLoader(rate: output.rate))
  }

  /// Decodes a sound, so that playing it later touches no file. Blocks while it reads.
  public func load(_ sound: String) throws { try bank.load(sound) }

  /// Starts a sound, given by its name or, with a `/`, by its path.
  ///
  /// Returns as soon as the audio thread knows of it; returns false, and plays nothing, if far too many sounds run.
  @discardableResult
  public func play(_ sound: String) throws -> Bool {
    let clip = try bank.load(sound)
    // What has ended since the last time is let go of here: there is no loop of our own to do it.
    _ = output.collect()
    guard output.control.start(clip) != nil else { return false }
    output.wake()
    return true
  }

  /// Starts the sound of a feedback.
  @discardableResult
  public func play(_ feedback: SensoryFeedback) throws -> Bool { try play(feedback.sound) }

  /// Blocks until all that was started has been heard.
  ///
  /// - Throws: An error that says why, if the device went away.
  public func waitUntilSilent() throws {
    while !output.isSilent {
      if let error = output.waitForReport() { throw error }
    }
  }
}
