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
      The command prints the profile that holds, also without a name.
      """)

  @Argument(help: "full, quiet or silent.")
  var name: String?
  @OptionGroup var daemon: HookOptions

  func run() throws {
    if let name, Profile(rawValue: name) == nil { throw RequestRefusal.badProfile(name) }
    let client = try daemon.connect()
    if let name { _ = try client.ask("profile \(name)") }
    try StandardStreams.print(try client.status().profile())
  }
}
