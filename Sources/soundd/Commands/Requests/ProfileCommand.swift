import ArgumentParser
import SoundTrigger
import SoundWire

/// `soundd profile`: how important a sound must be to be heard.
struct ProfileCommand: HookCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile", abstract: "Choose or print the profile of the running daemon.",
    discussion: """
      'full' plays everything.
      'quiet' plays sounds of high or critical importance.
      'silent' plays critical sounds alone.

      During the configuration's quiet hours 'full' becomes 'quiet'.
      A profile that you choose meanwhile applies at once and stays.
      With a time, the profile before holds again after it:

        soundd profile silent 1 h

      The command prints the profile that holds and why, also without a name.
      """)

  @Argument(help: "full, quiet or silent.")
  var name: String?
  // A time may be two words.
  @Argument(help: ArgumentHelp("How long, such as '30 min'.", valueName: "for"))
  var words: [String] = []
  @OptionGroup var daemon: HookOptions

  func run() throws {
    let line = name.map { ([$0] + words).joined(separator: " ") }
    if let line { _ = try Request(Array("profile \(line)".utf8).span) }
    let client = try daemon.connect()
    if let line { _ = try client.ask("profile \(line)") }
    try StandardStreams.print(try client.status().profile.text())
  }
}
