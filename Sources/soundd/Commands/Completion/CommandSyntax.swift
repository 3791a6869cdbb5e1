import ArgumentParser
import SoundTrigger
import SoundWire

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
    let dump: ParserDump = try Failure.reading(Array(Soundd._dumpHelp().utf8))
    return [CommandSyntax(dump.command)] + dump.command.subcommands.filter(\.isShown).map { CommandSyntax($0) }
  }

  private init(_ command: ParserDump.Command) {
    (name, about) = (command.name, command.abstract)
    arguments = command.arguments.filter(\.isShown).map { Argument($0) }
  }
}

extension CommandSyntax.Argument {
  fileprivate init(_ argument: ParserDump.Argument) {
    names = argument.names.map { ($0.kind == "long" ? "--" : "-") + $0.name }
    valueName = argument.valueName
    takesValue = argument.kind == "option"
    isRepeating = argument.isRepeating
    words = argument.words
    about = argument.abstract.split(separator: " (default", maxSplits: 1).first.map(String.init) ?? argument.abstract
  }
}

/// How the parser of arguments describes itself. The names are the parser's.
private struct ParserDump: Message {
  var command = Command()

  mutating func members(_ m: inout some Members) { m.required("command", &command) }

  struct Command: Message {
    var name = ""
    var abstract = ""
    var isShown = false
    var subcommands: [Command] = []
    var arguments: [Argument] = []

    mutating func members(_ m: inout some Members) {
      m("commandName", &name)
      m("abstract", &abstract)
      m("shouldDisplay", &isShown)
      m("subcommands", &subcommands)
      m("arguments", &arguments)
    }
  }

  struct Argument: Message {
    var kind = ""
    var names: [Name] = []
    var valueName = ""
    var isRepeating = false
    var words: [String] = []
    var abstract = ""
    var isShown = false

    mutating func members(_ m: inout some Members) {
      m("kind", &kind)
      m("names", &names)
      m("valueName", &valueName)
      m("isRepeating", &isRepeating)
      m("allValues", &words)
      m("abstract", &abstract)
      m("shouldDisplay", &isShown)
    }
  }

  struct Name: Message {
    var kind = ""
    var name = ""

    mutating func members(_ m: inout some Members) {
      m("kind", &kind)
      m("name", &name)
    }
  }
}
