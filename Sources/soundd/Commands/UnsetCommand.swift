import ArgumentParser
import SoundTrigger

/// `soundd unset`: values that the running daemon forgets.
struct UnsetCommand: ParsableCommand {
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

  func run() throws {
    let client = try daemon.connect()
    do {
      _ = try client.ask("unset \(names.joined(separator: " "))")
    } catch let failure as Failure {
      let known = try JSONObject.array(reply: client.ask("list")).compactMap { $0.text("name") }
      guard let unknown = names.first(where: { !known.contains($0) }) else { throw failure }
      let near = Suggestion.question(Suggestion.nearest(to: unknown, among: known))
      throw Failure(.noInput, "there is no value '\(unknown)'\(near); nothing was forgotten")
    }
  }
}
