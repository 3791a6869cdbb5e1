import ArgumentParser

/// `soundd status`: how the running daemon is doing.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show how the running daemon is doing.")

  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var socket: SocketOptions

  func run() throws {
    let reply = try socket.connect().ask("status")
    try StandardStreams.print(json ? reply : Array(StatusTable.text(reply).utf8))
  }
}
