/// Plays sounds through ALSA, from the moment they are asked for.
///
/// Not thread-safe: use it from one thread or one actor. Only the first use of a sound reads a file; call `load` ahead
/// of time where that matters.
public final class SoundPlayer {
  private let output: Output
  private var player: Player
  private let locator: SoundLocator
  private var lastID: UInt64 = 0

  /// Opens a device.
  ///
  /// - Parameters:
  ///   - device: An ALSA PCM name, or `none` to play by the clock, unheard.
  ///   - folders: Where sounds are looked up by name, best first.
  /// - Throws: An error whose description says why the device cannot be played on (snd_pcm_open and its negotiation).
  public convenience init(device: String = "default", folders: [String]) throws {
    try self.init(OutputSettings(device: device), locator: SoundLocator(folders: folders))
  }

  package init(_ settings: OutputSettings, locator: SoundLocator) throws(OutputError) {
    output = try Output(settings)
    if let error = output.deviceError { throw error }
    player = Player(output)
    self.locator = locator
  }

  /// Decodes a sound, so that playing it later touches no file. Blocks while it reads.
  public func load(_ sound: String) throws {
    if player.sounds[sound] != nil { return }
    let clip = try ClipLoader(rate: output.rate).load(path: try locator.locate(sound))
    player.sounds.set(sound, .success(clip))
  }

  /// Starts a sound, given by its name or, with a `/`, by its path.
  ///
  /// Returns as soon as the audio thread has the command; returns false, and plays nothing, if far too many sounds play.
  @discardableResult
  public func play(_ sound: String) throws -> Bool {
    try load(sound)
    let now = Output.now
    // Lets go of what has ended since the last call: the player has no thread of its own that does it.
    player.collect(at: now)
    player.removeEvents()
    lastID += 1
    let play = Play(id: PlayID(lastID), trigger: nil, sound: sound, fresh: nil, at: now)
    player.perform([.play(play)], arrival: now)
    return player.play(of: play.id) != nil
  }

  /// Starts the sound of a feedback.
  @discardableResult
  public func play(_ feedback: SensoryFeedback) throws -> Bool { try play(feedback.sound) }

  /// Blocks until the device has played all that was started.
  ///
  /// - Throws: An error that says why, if the device went away.
  public func waitUntilSilent() throws {
    while !player.isSilent {
      output.waitForReport()
      let error = player.collect(at: Output.now)
      player.removeEvents()
      if let error { throw error }
    }
  }
}
