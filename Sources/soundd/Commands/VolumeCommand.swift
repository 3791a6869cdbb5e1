import ArgumentParser
import SoundTrigger

/// `soundd volume`: how loud everything is.
struct VolumeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "volume", abstract: "Set or print the volume of the running daemon.",
    discussion: """
      LEVEL is a level of at most 0 dB, such as '-6 dB', or a factor of 0 to 1.
      It is absolute: '-6 dB' twice is -6 dB.
      Without LEVEL, the command prints the factor and the level.
      """)

  // A level begins with a minus, and may be two words; options are recognised all the same.
  @Argument(parsing: .allUnrecognized, help: ArgumentHelp("'-6 dB' or 0.5, for example.", valueName: "level"))
  var level: [String] = []
  @OptionGroup var daemon: HookOptions

  func run() throws {
    let client = try daemon.connect()
    if !level.isEmpty {
      _ = try client.ask("volume \(level.joined(separator: " "))")
      return
    }
    let status = try client.status()
    guard let volume = status.text("volume").flatMap(Double.init) else {
      throw Failure(.badData, "the daemon's answer has no volume")
    }
    try StandardStreams.print(VolumeText.text(volume) + (status.text("muted") == "true" ? ", muted" : ""))
  }
}
