import ArgumentParser
import SoundTrigger

/// `soundd explain`: why a trigger played, or did not.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Tell why a trigger played, or what stood in its way.",
    discussion: """
      It shows the last 32 changes that the trigger saw, the latest last: when each came, what the value was before and \
      after it, and what became of it: 'played', or which condition, throttle, profile, mute, staleness or device stood \
      in the way. Long contents are cut.

      Each verdict is a word and a sentence. The words never change, so that scripts may rely on them; --json has them as \
      'verdict', and the sentence as 'reason'.
      """)

  @Argument(help: "The trigger's name, as 'soundd status' shows it.")
  var trigger: String
  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var socket: SocketOptions

  func validate() throws {
    if trigger.allSatisfy(\.isWhitespace) { throw ValidationError("the trigger's name is empty") }
  }

  func run() throws {
    let reply = try socket.connect().ask("explain \(trigger)")
    if json {
      try StandardStreams.print(reply)
    } else {
      try StandardStreams.print(ExplainTable(reply).text(inColour: Colour.isWanted))
    }
  }
}
