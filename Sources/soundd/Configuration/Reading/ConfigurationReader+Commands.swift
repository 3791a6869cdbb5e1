import SoundTrigger

extension ConfigurationReader {
  static let commandOptions = ["every", "timeout", "take"]
  private static let neededFeedKeys = ["name", "prefix", "command"]
  static let feedKeys = neededFeedKeys + ["expect_every"]

  /// Reads `command` and its options; `nil` if anything is wrong with it, or if there is none.
  mutating func readCommand(_ section: Item) -> ExternalCommand? {
    if section["command"] == nil {
      for key in Self.commandOptions { report("needs a 'command' beside it", at: key, of: section) }
      return nil
    }
    let every = read("every", of: section) { try $0.duration(in: ExternalCommand.intervals) }
    let timeout = read("timeout", of: section) { try $0.duration(in: ExternalCommand.timeouts) }
    let takesStatus = read("take", of: section) { node in
      let word = try node.string("\"status\"")
      if word != "status" { throw SettingProblem(expected: "\"status\"", found: word) }
      return true
    }
    if section["every"] == nil {
      for key in ["timeout", "take"] {
        report("needs an 'every' beside it: without one the command runs all the time", at: key, of: section)
      }
    }
    guard var command = readProgram(section) else { return nil }
    command.every = every
    command.timeout = timeout ?? min(every ?? ExternalCommand.longestTimeout, ExternalCommand.longestTimeout)
    command.takesStatus = takesStatus ?? false
    return command
  }

  /// The program and its arguments, or a line for the shell.
  private mutating func readProgram(_ section: Item) -> ExternalCommand? {
    guard let item = section["command"] else { return nil }
    let paths = paths
    let arguments: [String]? = read(item) { node in
      let expected = "a list such as [\"PROGRAM\", \"ARGUMENT\"], or a line for the shell"
      let isList = if case .array = node.value { true } else { false }
      var words = try item.items.map { try $0.node.string(isList ? "a string" : expected) }
      guard let program = words.first, !program.allSatisfy(\.isWhitespace) else {
        throw SettingProblem("expected \(expected), found nothing")
      }
      if words.contains(where: { $0.utf8.contains(0) }) { throw SettingProblem("U+0000 cannot be in a command") }
      if !isList { return ExternalCommand.shell(program) }
      if program.contains("/") || program.hasPrefix("~") { words[0] = try paths.file(program) }
      return words
    }
    return arguments.map {
      let writers = writers[item.node.location.file ?? file]
      return ExternalCommand(
        arguments: $0, folder: paths.folder, obstacle: obstacle(writers))
    }
  }

  /// The program that speaks; it needs no shell, because the text comes on its standard input.
  mutating func readSpeech(of top: Item) -> ExternalCommand {
    var usual = Configuration().speech
    usual.obstacle = obstacle(writers[file])
    guard let section = table("speech", of: top) else { return usual }
    checkKeys(of: section, ["command"])
    if let item = section["command"], case .string = item.node.value {
      report("expected a list such as [\"espeak-ng\", \"--stdout\", \"--stdin\"], found a string", item)
      return usual
    }
    return readProgram(section) ?? usual
  }

  private func obstacle(_ writers: String?) -> String? {
    writers.map { "it does not run, because \($0), then: soundd reload" }
  }

  /// Reads all `[[feed]]`, and where they are.
  mutating func readFeeds(of top: Item) -> (feeds: [FeedDeclaration], locations: [String: TOMLLocation]) {
    var feeds: [FeedDeclaration] = []
    var locations: [String: TOMLLocation] = [:]
    for section in tables("feed", of: top) {
      let meant = checkKeys(of: section, Self.feedKeys)
      for key in Self.neededFeedKeys where section[key] == nil && !meant.contains(key) {
        report("'\(key)' is missing", section)
      }
      let name = read("name", of: section) { try $0.triggerName() }
      let prefix = read("prefix", of: section) { try $0.prefix() }
      let expectEvery = readExpectation(section)
      guard let command = readProgram(section), let name, let prefix else { continue }
      if let first = locations[name], let place = section["name"] {
        report("\(Excerpt.quoting(name)) is already the name of the feed at \(line(first, from: place))", place)
      }
      if let other = feeds.first(where: { $0.prefix.hasPrefix(prefix) || prefix.hasPrefix($0.prefix) }) {
        report(
          "overlaps with \"\(other.prefix)\", the prefix of the feed '\(other.name)': a value has one source",
          at: "prefix", of: section)
      }
      feeds.append(FeedDeclaration(name: name, prefix: prefix, command: command, expectEvery: expectEvery))
      locations[name] = section.node.location
    }
    return (feeds, locations)
  }

  /// Gives the values beneath a prefix to its feed. One with a source of its own is an error.
  mutating func assign(_ feeds: [FeedDeclaration], to values: inout [ReadValue]) {
    for index in values.indices {
      guard let feed = feeds.first(where: { $0.owns(values[index].name) }) else { continue }
      let sources = FileAspect.allCases.map(\.rawValue) + ["command", "of"]
      if let section = values[index].section, let key = sources.first(where: { section[$0] != nil }) {
        report("what is beneath \"\(feed.prefix)\" belongs to the feed '\(feed.name)'", at: key, of: section)
      }
      values[index].declaration?.source = .feed(feed.name)
    }
  }
}

extension TOMLNode {
  /// The beginning of values' names.
  fileprivate func prefix() throws(SettingProblem) -> String {
    let text = try string()
    if ValueName(text) != nil, text.utf8.count < ValueName.maximumLength { return text }
    throw SettingProblem(expected: "the beginning of values' names, such as \"mqtt/\"", found: text)
  }
}
