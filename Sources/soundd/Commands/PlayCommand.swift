import ArgumentParser
import Glibc
import SoundTrigger
import SoundWire

/// `soundd play`: a sound by hand.
struct PlayCommand: HookCommand {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Play a sound through the running daemon, or with --local without one.",
    usage: "soundd play <sound> [<options>]",
    discussion: """
      Profiles do not apply to a sound that you play by hand.
      If the daemon is muted or at volume 0,
      the command says so on standard error and exits with 0.
      Without a device it says why and exits with 69.
      """)

  @Argument(help: "The name or the path of a sound.")
  var sound: String
  @Flag(help: "Play it in this process, and return when it has ended.")
  var local = false
  @Option(help: ArgumentHelp("With --local: the ALSA device.", valueName: "name"))
  var device: String?
  @OptionGroup var daemon: HookOptions

  func validate() throws {
    if device != nil, !local { throw ValidationError("--device needs --local") }
    if local, daemon.ifRunning { throw ValidationError("--if-running and --local exclude each other") }
  }

  func run() throws {
    let environment = SystemEnvironment.current()
    environment.setMediaRole()
    do {
      if local { return try playHere(environment) }
      try playThere(environment)
    } catch let error as any ExitFailure
      where !daemon.allows(error) && !SoundLocator.isPath(sound) && access(sound, F_OK) == 0
    {
      // A name is looked up among the sounds.
      throw Failure(error.exitCode, "\(error)\nto play the file in this folder: \(Excerpt.shellWord("./\(sound)"))")
    }
  }

  private func playThere(_ environment: SystemEnvironment) throws {
    // The daemon may run in another folder.
    let name = SoundLocator.isPath(sound) ? environment.absolute(sound) : sound
    let client: DaemonConnection
    do {
      client = try daemon.connect()
    } catch let problem as DaemonConnection.Problem {
      guard case .noDaemon = problem, !daemon.ifRunning else { throw problem }
      throw localInstead(of: problem)
    } catch let problem as SocketPath.Problem {
      guard case .noFolder = problem, !daemon.ifRunning else { throw problem }
      throw localInstead(of: problem)
    }
    try HandPlayer.start(name, client)
    if let note = Self.reasonForSilence(try client.status().level) { StandardStreams.show(note, priority: 5) }
  }

  /// The problem that there is no daemon, and what needs none.
  private func localInstead(of problem: any ExitFailure) -> Failure {
    let command = "soundd play --local \(Excerpt.shellWord(sound))"
    return Failure(problem.exitCode, "\(problem); or play it without a daemon: \(command)")
  }

  /// Why a sound that a device accepted is not heard; `nil` if it is.
  static func reasonForSilence(_ level: LevelMembers, now: Timestamp = .now()) -> String? {
    if level.isMuted { return "it plays unheard: soundd is \(level.mute(now: now)) ('soundd unmute')" }
    if !level.isInaudible { return nil }
    return "it plays unheard: the volume is \(VolumeText.short(level.volume)) ('soundd volume \"-6 dB\"')"
  }

  private func playHere(_ environment: SystemEnvironment) throws {
    let locator = environment.soundLocator(configurationFile: nil)
    let mounts = AnsweringMounts()
    _ = try locator.search(sound, refusal: mounts.problem).path.get()
    let player = try HandPlayer.player(OutputSettings(device: device ?? "default"), locator)
    try HandPlayer.local(player).play(sound, length: .zero)
  }
}
