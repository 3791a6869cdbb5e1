import ArgumentParser
import SoundTrigger

/// `soundd unset`: values that the running daemon forgets.
struct UnsetCommand: HookCommand {
  static let configuration = CommandConfiguration(
    commandName: "unset", abstract: "Let the running daemon forget values.",
    discussion: """
      It forgets only values that the configuration does not declare.
      If one of them is declared or unknown, it forgets none.
      For the triggers on a value that is the end of their condition:
      a loop ends, and what waits is called off.
      If the value is set again, that is its first content.
      """)

  @Argument(help: "The values' names.")
  var names: [String]
  @OptionGroup var daemon: HookOptions

  func validate() throws {
    for name in names where ValueName(name) == nil { throw ValidationError("\(Failure(noName: name))") }
  }

  func run() throws { _ = try daemon.connect().ask("unset \(names.joined(separator: " "))") }
}
