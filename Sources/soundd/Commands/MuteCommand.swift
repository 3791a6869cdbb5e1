import ArgumentParser

/// `soundd mute`: nothing is heard.
struct MuteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mute", abstract: "Mute the running daemon.",
    discussion: "Triggers continue, and their sounds play unheard.")

  @OptionGroup var daemon: HookOptions

  func run() throws { _ = try daemon.connect().ask("mute") }
}

/// `soundd unmute`: what plays is heard again.
struct UnmuteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmute", abstract: "Make the running daemon heard again.")

  @OptionGroup var daemon: HookOptions

  func run() throws { _ = try daemon.connect().ask("unmute") }
}
