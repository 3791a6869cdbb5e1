import ArgumentParser
import SoundTrigger
import SoundWire

/// `soundd mute`: nothing is heard.
struct MuteCommand: HookCommand {
  static let configuration = CommandConfiguration(
    commandName: "mute", abstract: "Mute the running daemon, or one of its triggers.",
    usage: "soundd mute [<options>] [toggle | <for> | until <time>]",
    discussion: """
      Triggers continue, and their sounds play unheard.
      A mute ends with 'soundd unmute', after its time, or with the daemon.

        soundd mute                    until 'soundd unmute'
        soundd mute "1 h"              for an hour
        soundd mute 1 day              for a day
        soundd mute until 10:00        until it is ten in the morning
        soundd mute toggle             for a media key
        soundd mute --trigger mail     only the sounds of the trigger 'mail'

      The command prints the new state.
      """)

  // A time may be two words.
  @Argument(help: ArgumentHelp("toggle, a time such as '30 min' or '1 h', or 'until 10:00'.", valueName: "for"))
  var words: [String] = []
  @OptionGroup var trigger: TriggerOption
  @OptionGroup var daemon: HookOptions

  func validate() throws {
    // Such as a variable that is not set: it must not mute for ever.
    if words.contains("") { throw ValidationError("<for> is empty") }
  }

  func run() throws {
    let text = words.joined(separator: " ")
    do throws(RequestRefusal) { _ = try MuteChange(text) } catch {
      // Other commands take the name of a trigger here.
      let isName = words.count == 1 && text.first?.isLetter == true && MuteChange.suggestion(for: text) == nil
      let hint = isName ? "\nto mute one trigger: soundd mute --trigger \(Excerpt.shellWord(text))" : ""
      throw Failure(.usage, "\(error)\(hint)")
    }
    let client = try daemon.connect()
    _ = try client.ask("mute \(text)\(trigger.request)")
    try StandardStreams.print(try client.state(of: trigger.name) { level, _ in level.mute() })
  }
}

/// `soundd unmute`: what plays is heard again.
struct UnmuteCommand: HookCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmute", abstract: "Unmute the running daemon, or one of its triggers.",
    discussion: """
      A trigger that was muted by itself stays muted; --trigger unmutes it.
      The command prints the new state.
      """)

  @OptionGroup var trigger: TriggerOption
  @OptionGroup var daemon: HookOptions

  func run() throws {
    let client = try daemon.connect()
    _ = try client.ask("unmute\(trigger.request)")
    try StandardStreams.print(try client.state(of: trigger.name) { $0.mute() + Self.mutedTriggers($1) })
  }

  /// Of a status: which triggers are muted by themselves.
  private static func mutedTriggers(_ status: StatusMessage) -> String {
    let muted = status.triggers.filter(\.level.isMuted).map(\.name.shownName)
    return muted.isEmpty ? "" : "; still muted: \(muted.joined(separator: ", ")) (soundd unmute --trigger NAME)"
  }
}
