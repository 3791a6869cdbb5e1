import ArgumentParser
import SoundTrigger
import SoundWire

/// `soundd explain`: why a trigger played, or did not.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Show why a trigger played or stayed silent.",
    discussion: """
      The table has the last 32 changes that the trigger saw, the latest last,
      and above them the last 8 that played, if they are older.
      Each row shows the time of the change, the old and the new content,
      the verdict and the reason.
      Long contents are truncated; '…' stands for what is the same in both.

      Each verdict is a word and a sentence.
      The words never change, so scripts may rely on them:
      --json has them as 'verdict', and the sentence as 'reason'.
      """)

  @Argument(help: "The trigger's name, as 'soundd status' shows it, or its value's if that has no other trigger.")
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
      try StandardStreams.print(
        ExplainTable.text(
          Failure.reading(reply), inColour: Colour.isWanted, width: Terminal.width))
    }
  }
}
