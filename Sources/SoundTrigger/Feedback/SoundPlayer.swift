import Glibc

/// Plays sounds through ALSA, by hand and whenever a value of a model changes.
///
/// ```swift
/// let player = try SoundPlayer()
/// player.sensoryFeedback(.success, trigger: model.uploads)
/// ```
///
/// Use it from any thread; its triggers belong to the actor that declares them. The player owns its triggers and ends them
/// when it goes away. A sound that still plays is cut off: await ``silence()`` before. A player has a thread of its own and an
/// audio thread; at rest both sleep. One player is enough for a program.
open class SoundPlayer: @unchecked Sendable {
  // Safety of `@unchecked Sendable`: the core has a lock, and nothing else is stored.
  package let core: PlayerCore

  package init(_ core: PlayerCore) { self.core = core }

  /// Opens a device. If that fails, sounds play by the clock, unheard, until it can be opened: see ``device-swift.property``.
  ///
  /// Blocks while ALSA opens the device, at most for a second; a device that opens later is taken then. A device that fails is a
  /// problem, which goes to standard error, and not an error.
  /// <doc:FeedbackKinds> says where sounds are looked up.
  ///
  /// - Parameters:
  ///   - device: An ALSA PCM name, or `none` to play by the clock, unheard.
  ///   - folders: Where sounds are looked up by name, best first; `nil`: the user's sounds and the shipped ones.
  ///   - lowersRealTimeLimit: Whether the player may lower RLIMIT_RTTIME of this process to 200 ms. RealtimeKit gives the audio
  ///     thread real-time priority only then. The limit is for all real-time threads of the process: one that runs for 100 ms without a
  ///     sleep receives SIGXCPU.
  /// - Throws: An error that says which resource of the system is missing, such as memory for the thread.
  public convenience init(
    device: String = "default", folders: [String]? = nil, lowersRealTimeLimit: Bool = false
  ) throws {
    var settings = OutputSettings(device: device)
    settings.mayLimitRuntime = lowersRealTimeLimit
    try self.init(settings, locator: SoundLocator(folders: folders ?? Self.standardFolders))
    if let problem = self.device.problem { core.report(.device(problem)) }
  }

  package convenience init(_ settings: OutputSettings, locator: SoundLocator) throws {
    self.init(try PlayerThread.start(settings, locator: locator))
  }

  deinit {
    core.endAll()
    (core.clock as? PlayerThread)?.stop()
  }

  // MARK: Sounds

  /// Decodes a sound, so that playing it later touches no file. Blocks while it reads; does nothing if the sound is loaded.
  ///
  /// The sound stays in memory as long as the player: 384 kB a second at 48,000 Hz. It may be five minutes long.
  ///
  /// - Throws: ``SoundProblem/sound(_:)``, which names the folders that were searched, or the file and what is wrong with it.
  public func load(_ feedback: SensoryFeedback) throws(SoundProblem) {
    do throws(SoundError) { try core.load(feedback.sound) } catch { throw SoundProblem(error) }
  }

  /// Starts a sound, and returns as soon as the audio thread has the command.
  ///
  /// ```swift
  /// player.play(.impact(weight: .heavy, intensity: 0.5))
  /// ```
  ///
  /// The first use of a sound decodes it, and blocks while it reads. A sound that cannot be found or decoded goes to
  /// ``onProblem(_:)``. If all 256 voices are in use, the new sound takes the voice of one that fades, else of the oldest.
  public func play(_ feedback: SensoryFeedback) {
    do throws(SoundProblem) {
      try load(feedback)
      core.play(feedback)
    } catch {
      core.report(error)
    }
  }

  /// The volume of everything, a factor from 0 to 1; it changes within 20 ms.
  ///
  /// What is outside becomes the nearer of the two; NaN becomes 0. A player begins at 1, and keeps the volume nowhere.
  public var volume: Double {
    get { core.perform { conductor, _ in conductor.player.level(of: nil).volume } }
    set {
      let volume = newValue > 0 ? min(newValue, 1) : 0
      changeLevel { $0.volume = volume }
    }
  }

  /// Whether sounds play unheard. The volume stays as it is, and sounds keep playing. It changes within 20 ms.
  public var isMuted: Bool {
    get { core.perform { conductor, _ in conductor.player.level(of: nil).isMuted } }
    set { changeLevel { $0.isMuted = newValue } }
  }

  private func changeLevel(_ change: (inout PlayLevel) -> Void) {
    core.perform { conductor, _ in
      var level = conductor.player.level(of: nil)
      change(&level)
      conductor.player.setLevel(level, of: nil)
    }
  }

  /// Fades out everything that sounds, and drops what waits for the end of a sound (`overlap: .queue`).
  ///
  /// Triggers stay, and what waits for the end of a debounce or a delay still plays. For `overlap` the sounds are over at
  /// once: the next change plays, even while they fade.
  ///
  /// - Parameter fade: How long the fade takes: 0 to 60 s. What is outside becomes the nearer of the two.
  public func stopAll(fade: Duration = .milliseconds(10)) {
    let fade = min(max(fade, .zero), PlaySettings.longestFade)
    core.perform { conductor, now in conductor.stopAll(fade: fade, by: .hand, at: now) }
  }

  /// Returns when the device has played all that was started. Suspends the task and blocks no thread.
  ///
  /// It waits for the triggers that have yet to look at a change, but for no debounce and no delay.
  public func silence() async {
    await core.settled()
    await core.clock.silence()
  }

  /// Blocks until the device has played all that was started.
  package func waitUntilSilent() { (core.clock as? PlayerThread)?.waitUntilSilent() }

  // MARK: Problems

  /// What the player plays on.
  public struct Device: Equatable, Sendable {
    /// The ALSA PCM name that was asked for, or `none`.
    public let name: String
    /// Whether it is open. If not, sounds play by the clock, unheard.
    public let isOpen: Bool
    /// Why it is not open; `nil` if it is, or if no device is wanted.
    public let problem: String?
  }

  /// What the player plays on, at this moment. It changes when the device is lost, is opened again, or rests.
  public var device: Device { core.playedDevice }

  /// Replaces what is done with each problem: a sound or a device that cannot be used, a trigger that cannot begin.
  ///
  /// The default prints a line to standard error.
  ///
  /// ```swift
  /// player.onProblem { problem in print("sound: \(problem)") }
  /// ```
  ///
  /// - Parameter action: Gets the problem. Runs on the thread that finds it, which may be one of the player's: return soon, and
  ///   capture the player weakly. A device that cannot be opened when the player is made was reported before.
  public func onProblem(_ action: @escaping @Sendable (SoundProblem) -> Void) { core.setOnProblem(action) }

  // MARK: Folders

  /// The user's and the installed sounds, and those inside the program.
  package static var standardFolders: [String] {
    let variable = { (name: String) in getenv(name).map { String(cString: $0) } }
    let home = variable("XDG_DATA_HOME") ?? variable("HOME").map { $0 + "/.local/share" }
    return (home.map { $0.hasPrefix("/") ? ["\($0)/\(SoundLocator.folderInData)"] : [] } ?? [])
      + SoundLocator.systemFolders(dataDirectories: variable("XDG_DATA_DIRS")) + [BuiltInSounds.folder]
  }
}
