/// What fits at the cursor of an unfinished command line.
struct CompletionRequest: Equatable {
  enum Subject: Equatable {
    case nothing
    /// The names of commands.
    case commands
    /// The options that are not given yet.
    case options
    case words([String])
    /// The names of values.
    case values
    /// `NAME=VALUE`.
    case assignments
    case triggers
    /// Alarms; with `true` only those that are not normal.
    case alarms(Bool)
    case snoozedAlarms
    case sounds
    /// The names of recipes.
    case recipes
    /// The names of the recipes that are on.
    case installedRecipes
    /// Files with one of these extensions; with any if there are none.
    case files([String])
  }

  var subject = Subject.nothing
  /// `nil` before there is one.
  var command: CommandSyntax?
  /// What the user has typed of the word at the cursor; of `--name=value` the value.
  var word: String
  /// What stands before `word` in the same word of the command line: `--name=`, or nothing.
  var prefix = ""
  /// The values of the options before the cursor, by their names.
  private(set) var options: [String: String] = [:]
  /// The names of options and flags before the cursor.
  private(set) var givenNames: Set<String> = []
  /// The other words before the cursor, without the command.
  private(set) var positionals: [String] = []

  /// `words` are those up to the cursor, without the program's name and without quotes; the last one may be empty.
  init(_ words: [String], _ syntax: [CommandSyntax]) {
    word = words.last ?? ""
    let before = words.dropLast()
    guard let start = before.firstIndex(where: { !Self.isOption($0) }) else {
      command = syntax.first
      subject = Self.mayBecomeOption(word) ? .options : .commands
      return
    }
    guard let command = syntax.dropFirst().first(where: { $0.name == before[start] }) else { return }
    self.command = command
    // The option whose value comes next.
    var pending: CommandSyntax.Argument?
    var isLiteral = false
    for word in before[(start + 1)...] {
      if let argument = pending {
        for name in argument.names { options[name] = word }
        pending = nil
      } else if isLiteral || !Self.isOption(word) {
        positionals.append(word)
      } else if word == "--" {
        isLiteral = true
      } else {
        let (name, value) = Self.parts(of: word)
        guard let argument = command.arguments.first(where: { $0.names.contains(name) }) else { continue }
        givenNames.formUnion(argument.names)
        if let value {
          for name in argument.names { options[name] = value }
        } else if argument.takesValue {
          pending = argument
        }
      }
    }
    if let pending {
      subject = Self.subject(of: pending, in: command)
    } else if !isLiteral, Self.mayBecomeOption(word) {
      let (name, value) = Self.parts(of: word)
      guard let value else {
        subject = .options
        return
      }
      prefix = name + "="
      word = value
      let argument = command.arguments.first { $0.takesValue && $0.names.contains(name) }
      subject = argument.map { Self.subject(of: $0, in: command) } ?? .nothing
    } else {
      let arguments = command.positionals
      let index = positionals.count
      let argument = index < arguments.count ? arguments[index] : arguments.last.flatMap { $0.isRepeating ? $0 : nil }
      subject = argument.map { Self.subject(of: $0, in: command) } ?? .nothing
    }
  }

  /// The options that may still be given.
  var openOptions: [CommandSyntax.Argument] {
    command?.arguments.filter { argument in
      !argument.names.isEmpty && (argument.isRepeating || givenNames.isDisjoint(with: argument.names))
    } ?? []
  }

  /// What an argument of a command stands for.
  static func subject(of argument: CommandSyntax.Argument, in command: CommandSyntax) -> Subject {
    if !argument.words.isEmpty { return .words(argument.words) }
    switch (command.name, argument.names.first ?? argument.valueName) {
    case (_, "--config"), ("check", _): return .files(["toml"])
    case (_, "--socket"), (_, "--repository"), ("watch", "--file"), ("render", _): return .files([])
    case ("set", "name=value"): return .assignments
    case ("set", "--stdin"), ("get", _), ("unset", _), ("events", _): return .values
    case ("alarms", "--test"): return .alarms(false)
    case ("ack", _), ("snooze", "trigger"): return .alarms(true)
    case ("unsnooze", _): return .snoozedAlarms
    case (_, "--trigger"), ("stop", _), ("explain", _): return .triggers
    case ("play", "sound"), ("watch", "sound"), ("sounds", _): return .sounds
    case ("add", "name"), ("add", "names"): return .recipes
    case ("remove", "name"), ("remove", "names"): return .installedRecipes
    case ("profile", _): return .words(["full", "quiet", "silent"])
    case ("mute", _): return .words(["toggle", "until"])
    case ("volume", _): return .words(["up", "down"])
    case ("help", _): return .commands
    default: return .nothing
    }
  }

  /// Whether the parser takes a word as an option; a lone dash and a negative number are none.
  private static func isOption(_ word: String) -> Bool {
    let second = word.utf8.dropFirst().first
    return word.utf8.first == UInt8(ascii: "-") && (second.map { !(0x30...0x39).contains($0) } ?? false)
  }

  /// Whether the word at the cursor is an option, or its beginning.
  private static func mayBecomeOption(_ word: String) -> Bool { word == "-" || isOption(word) }

  /// `--name=value` as its parts; without an equals sign there is no value.
  private static func parts(of option: String) -> (name: String, value: String?) {
    let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return (parts[0], parts.count > 1 ? parts[1] : nil)
  }
}
