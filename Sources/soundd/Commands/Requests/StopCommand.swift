import ArgumentParser

/// `soundd stop`: ends sounds by hand.
struct StopCommand: HookCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "Fade out the sounds of a trigger, or all sounds.",
    discussion: """
      An empty TRIGGER, such as that of an unset variable, is an error
      and stops nothing.
      """)

  @Argument(help: "The trigger's name, as 'soundd status' shows it (default: everything that plays).")
  var trigger: String?
  @OptionGroup var daemon: HookOptions

  func validate() throws {
    if let trigger, trigger.allSatisfy(\.isWhitespace) {
      throw ValidationError("the trigger's name is empty; give a name, or none at all to stop everything")
    }
  }

  func run() throws { _ = try daemon.connect().ask(trigger.map { "stop \($0)" } ?? "stop") }
}
