import ArgumentParser
import SoundTrigger

/// `soundd play`: a sound by hand.
struct PlayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Play a sound, through the running daemon or, with --local, without one.")

  @Argument(help: "The name or the path of a sound.")
  var sound: String
  @Flag(help: "Play it in this process, and return when it has ended.")
  var local = false
  @Option(help: ArgumentHelp("With --local: the ALSA device.", valueName: "name"))
  var device: String?
  @OptionGroup var socket: SocketOptions

  func validate() throws {
    if device != nil, !local { throw ValidationError("--device goes with --local") }
  }

  func run() throws {
    let environment = SystemEnvironment.current()
    if local { return try playHere(environment) }
    // The daemon may run in another folder.
    let name = sound.contains("/") ? environment.absolute(sound) : sound
    _ = try socket.connect().ask("play \(name)", waitingForEver: true)
  }

  private func playHere(_ environment: SystemEnvironment) throws(Failure) {
    let locator = SoundLocator(
      folders: environment.soundFolders(configurationFile: nil), base: environment.base(of: nil))
    do {
      let player = try SoundPlayer(OutputSettings(device: device ?? "default"), locator: locator)
      try player.play(sound)
      try player.waitUntilSilent()
    } catch let error as SoundError {
      throw Failure(error)
    } catch {
      throw Failure(.unavailable, "\(error); 'aplay -L' lists the devices")
    }
  }
}
