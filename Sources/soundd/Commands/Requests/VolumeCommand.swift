import ArgumentParser
import SoundTrigger
import SoundWire

/// `soundd volume`: how loud everything is, or a trigger.
struct VolumeCommand: HookCommand {
  static let configuration = CommandConfiguration(
    commandName: "volume", abstract: "Set or print the volume of the running daemon.",
    usage: "soundd volume [<options>] [<level> | up [<step>] | down [<step>]]",
    discussion: """
      LEVEL is a level of at most 0 dB, such as '-6 dB', or a factor of 0 to 1.
      'up' and 'down' change it by 3 dB, or by a step of your own:

        soundd volume "-6 dB"
        soundd volume up
        soundd volume down "1 dB"
        soundd volume 0.5 --trigger mail

      0 dB is the ceiling.
      A 'down' that leads below -40 dB silences,
      and from there 'up' begins at -40 dB.
      The whole volume, a trigger's volume and its setting are multiplied.
      Both volumes outlive the daemon.
      The command prints the factor and the level, also without LEVEL.
      """)

  // A level begins with a minus, and may be two words; options are recognised all the same.
  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp("'-6 dB' or 0.5, for example; or up or down, and a step.", valueName: "level"))
  var words: [String] = []
  @OptionGroup var trigger: TriggerOption
  @OptionGroup var daemon: HookOptions

  func validate() throws {
    // Such as a variable that is not set.
    if words.contains("") { throw ValidationError("<level> is empty") }
    // After '--' there are no options.
    let isOption = { (word: String) in
      word.hasPrefix("-") && word.dropFirst().first.map { !"0123456789.".contains($0) } ?? true
    }
    if let word = words.prefix(while: { $0 != "--" }).first(where: isOption) {
      throw ValidationError("Unknown option '\(word)'")
    }
  }

  func run() throws {
    let text = words.filter { $0 != "--" }.joined(separator: " ")
    if !text.isEmpty { _ = try VolumeChange(text) }
    let client = try daemon.connect()
    if !text.isEmpty { _ = try client.ask("volume \(text)\(trigger.request)") }
    let state = try client.state(of: trigger.name) { level, _ in
      VolumeText.text(level.volume) + (level.isMuted ? ", \(level.mute())" : "")
    }
    try StandardStreams.print(state)
  }
}
