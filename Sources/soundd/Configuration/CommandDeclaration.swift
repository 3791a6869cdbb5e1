import SoundTrigger
import SoundWire

/// One `[[feed]]`: a command whose lines set all values beneath a prefix.
struct FeedDeclaration: Hashable, Sendable {
  var name: String
  /// What stands before the names in its lines.
  var prefix: String
  var command: ExternalCommand
  /// After how long without an accepted line its values are stale.
  var expectEvery: Duration?

  /// Whether a value belongs to the feed.
  func owns(_ value: ValueName) -> Bool { value.description.hasPrefix(prefix) }

  /// Whether a reload may let the program run on under another declaration.
  func runsOn(as next: FeedDeclaration) -> Bool {
    name == next.name && prefix == next.prefix && command == next.command
  }
}

/// A command of the configuration, and what it sets: a value, or a feed.
struct CommandDeclaration: CustomStringConvertible {
  /// `value` or `feed`.
  var kind: String
  var name: String
  var command: ExternalCommand
  /// What it sets: one of the two.
  var value: ValueDeclaration?
  var feed: FeedDeclaration?
  /// Where it stands in the configuration, if that is known.
  var location: TOMLLocation?
  var path: ConfigurationPath

  var description: String { "\(kind) '\(name)'" }

  /// Whether the command sets a value.
  func owns(_ name: ValueName) -> Bool { feed?.owns(name) ?? (value?.name == name) }

  /// Whether a reload may let the command run on under another declaration of the same kind and name.
  func runsOn(as next: CommandDeclaration) -> Bool {
    if let value, let next = next.value { return next.feedsAlike(value) }
    return next.feed.flatMap { feed?.runsOn(as: $0) } ?? false
  }

  /// `file` is the configuration's name.
  func warning(_ problem: String, file: String) -> Warning? {
    location.map { location in
      let key = path.key("command").description
      return Warning(.command, ConfigurationMessage(file: file, location: location, key: key, message: problem))
    }
  }
}

extension Configuration {
  /// The commands of values, and then those of feeds.
  var commands: [CommandDeclaration] {
    values.compactMap { value in
      guard case .command(let command) = value.source else { return nil }
      let name = value.name.description
      return CommandDeclaration(
        kind: "value", name: name, command: command, value: value, location: pathLocations[value.name],
        path: .top.key("value").key(name))
    }
      + feeds.enumerated().map { index, feed in
        CommandDeclaration(
          kind: "feed", name: feed.name, command: feed.command, feed: feed, location: feedLocations[feed.name],
          path: .top.key("feed").item(index))
      }
  }

  /// The commands whose programs are missing or cannot be run, or that may not run at all (access). `path` is PATH,
  /// and `isMade` says which programs are about to be installed.
  ///
  /// The daemon does not ask: it has tried.
  func commandWarnings(
    file: String, path: String?, unavailable: (String) -> PathProblem? = { _ in nil },
    isMade: (String) -> Bool = { _ in false }
  ) -> [Warning] {
    commands.compactMap { declaration in
      let command = declaration.command
      let program = command.arguments[0]
      if isMade(program) { return nil }
      let problem =
        command.obstacle ?? (program.contains("/") ? unavailable(program)?.description : nil)
        ?? command.programProblem(path: path)
      return problem.flatMap { declaration.warning($0, file: file) }
    }
  }
}
