import ArgumentParser
import SoundTrigger
import SoundWire

/// `soundd status`: how the running daemon is doing.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show how the running daemon is doing.",
    discussion: """
      It begins with what decides whether anything is heard: device, volume, mute,
      profile, what is broken, and what played last.
      A narrow terminal shows fewer columns of the triggers.
      Times are local; in JSON they are in UTC.
      """)

  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var socket: SocketOptions

  func run() throws {
    let client = try socket.connect()
    let reply = try client.ask("status")
    let status: StatusMessage = try Failure.reading(reply)
    client.compareVersion(status.version)
    if json { return try StandardStreams.print(reply) }
    try StandardStreams.print(StatusTable.text(status, inColour: Colour.isWanted, width: Terminal.width))
  }
}
