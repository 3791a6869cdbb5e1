import ArgumentParser

/// `soundd mute`: nothing is heard.
struct MuteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mute", abstract: "Mute the running daemon.",
    discussion: "Triggers continue, and their sounds play unheard.")

  @OptionGroup var socket: SocketOptions

  func run() throws { _ = try socket.connect().ask("mute") }
}

/// `soundd unmute`: what plays is heard again.
struct UnmuteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmute", abstract: "Make the running daemon heard again.")

  @OptionGroup var socket: SocketOptions

  func run() throws { _ = try socket.connect().ask("unmute") }
}
