import ArgumentParser
import SoundTrigger

/// The arguments of a command, as its completion sees them.
struct CommandSyntax: Equatable {
  struct Argument: Equatable {
    /// Such as `--output` and `-o`; none of a positional argument.
    var names: [String]
    /// What stands for the value in the help, such as `file`.
    var valueName: String
    /// Whether a value follows the name.
    var takesValue: Bool
    var isRepeating: Bool
    /// The words that it may be; empty if they are not fixed.
    var words: [String]
    /// The beginning of its help.
    var about: String
  }

  var name: String
  var about: String
  /// Without those that the help does not show.
  var arguments: [Argument]

  /// The arguments that are no options, in their order.
  var positionals: [Argument] { arguments.filter(\.names.isEmpty) }

  /// All commands that the help shows, as the parser describes itself; the first is the program with its own options.
  static func all() throws -> [CommandSyntax] {
    let root = try JSONObject(reply: Array(Soundd._dumpHelp().utf8)).object("command")
    let commands = try JSONObject.array(reply: root["subcommands"])
    return try ([root] + commands.filter { $0.text("shouldDisplay") == "true" }).map { try CommandSyntax($0) }
  }

  private init(_ command: JSONObject) throws {
    name = command.text("commandName") ?? ""
    about = command.text("abstract") ?? ""
    arguments = try JSONObject.array(reply: command["arguments"]).filter { $0.text("shouldDisplay") == "true" }
      .map { try Argument($0) }
  }
}

extension CommandSyntax.Argument {
  fileprivate init(_ argument: JSONObject) throws {
    let kind = argument.text("kind")
    names = try JSONObject.array(reply: argument["names"]).map { name in
      (name.text("kind") == "long" ? "--" : "-") + (name.text("name") ?? "")
    }
    valueName = argument.text("valueName") ?? ""
    takesValue = kind == "option"
    isRepeating = argument.text("isRepeating") == "true"
    words = argument.texts("allValues")
    let help = argument.text("abstract") ?? ""
    about = help.split(separator: " (default", maxSplits: 1).first.map(String.init) ?? help
  }
}
