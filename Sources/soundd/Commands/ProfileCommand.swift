import ArgumentParser
import SoundTrigger

/// `soundd profile`: how important a sound must be to be heard.
struct ProfileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile", abstract: "Choose or print the profile of the running daemon.",
    discussion: """
      'full' plays everything.
      'quiet' plays sounds of high or critical importance.
      'silent' plays critical sounds alone.

      During the configuration's quiet hours 'full' becomes 'quiet'.
      A profile that you choose meanwhile applies at once and stays.
      Without a name, the command prints the current profile.
      """)

  @Argument(help: "full, quiet or silent.")
  var name: String?
  @OptionGroup var daemon: HookOptions

  func run() throws {
    guard let name else { return try StandardStreams.print(try daemon.connect().status().profile()) }
    if Profile(rawValue: name) == nil { throw Failure(.usage, "\(RequestError.badProfile(name))") }
    _ = try daemon.connect().ask("profile \(name)")
  }
}
