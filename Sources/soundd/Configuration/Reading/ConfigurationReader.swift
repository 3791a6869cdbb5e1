import SoundTrigger
import SoundWire

/// Turns the tables of a document into a configuration, and collects all errors.
///
/// It continues after an error, so that it finds all of them; what it cannot read is missing or has its default.
struct ConfigurationReader {
  /// A value of the document, or the document itself, and its path.
  struct Item {
    var node: TOMLNode
    var path: ConfigurationPath

    /// The keys of a table; none of anything else.
    var entries: [TOMLTable.Entry] { if case .table(let table) = node.value { table.entries } else { [] } }

    /// The items of an array, or the item itself if it is none.
    var items: [Item] {
      guard case .array(let nodes) = node.value else { return [self] }
      return nodes.indices.map { Item(node: nodes[$0], path: path.item($0)) }
    }

    /// A key of a table; `nil` if it is missing.
    subscript(_ key: String) -> Item? {
      guard case .table(let table) = node.value, let entry = table[key] else { return nil }
      return Item(node: entry.node, path: path.key(key))
    }
  }

  static let topKeys = ["output", "limits", "profile", "value", "trigger", "group", "feed", "sounds", "speech"]
  static let outputKeys = ["device", "rate", "channels", "latency", "keep_open", "wake", "duck"]
  static let profileKeys = ["quiet_hours", "quiet_while", "silent_while"]
  static let groupKeys = ["within", "sound"]
  static let limitKeys = ["values", "members", "voices", "sound_seconds", "memory"]

  /// What other programs call a key, and ours for it: the first one that the table may have.
  private static let customary = [
    "cooldown": ["throttle"], "rate_limit": ["throttle"], "interval": ["poll", "throttle"],
    "repeat": ["loop_every"], "wait": ["delay"], "path": ["file", "sound"], "tail": ["lines"], "max": ["above"],
    "min": ["below"], "regex": ["match", "matches"], "pattern": ["match", "matches"], "priority": ["importance"],
    "urgency": ["importance"], "gain": ["volume"], "exec": ["command"], "run": ["command"], "cmd": ["command"],
    "shell": ["command"], "script": ["command"],
  ]
  /// What other programs call a command that they run.
  private static let commandKeys: Set = ["command", "exec", "run", "shell", "script", "cmd"]

  let paths: PathExpansion
  let source: TOMLSource
  let file: String
  /// The files to which others may write, and what to do about it: their commands do not run.
  let writers: [String: String]
  /// The prefixes of the feeds, which are read first.
  private(set) var prefixes: [String] = []
  private var found: [ConfigurationMessage] = []
  private var warnings: [Warning] = []
  /// The sounds that triggers name, so far.
  var sounds: [ConfigurationDraft.NamedSound] = []

  init(file: String, source: TOMLSource, writers: [String: String] = [:], environment: SystemEnvironment) {
    self.file = file
    self.writers = writers
    self.source = source
    paths = PathExpansion(configurationFile: file, environment: environment)
  }

  /// The errors so far, in the order of the file.
  var errors: [ConfigurationMessage] {
    // Of two errors at one location the first found comes first.
    found.enumerated().sorted { ($0.element.location, $0.offset) < ($1.element.location, $1.offset) }.map(\.element)
  }

  /// How many errors there are so far.
  var errorCount: Int { found.count }

  mutating func readConfiguration(_ document: TOMLTable) -> Configuration {
    let top = Item(node: TOMLNode(value: .table(document), location: TOMLLocation(line: 1, column: 1)), path: .top)
    checkKeys(of: top, Self.topKeys)
    var configuration = Configuration()
    (configuration.feeds, configuration.feedLocations) = readFeeds(of: top)
    prefixes = configuration.feeds.map(\.prefix)
    if let sounds = table("sounds", of: top) {
      checkKeys(of: sounds, ["theme", "packs", "normalize"])
      for item in sounds["theme"].map({ items($0, "name of a theme") }) ?? [] {
        guard let name = readTheme(item) else { continue }
        configuration.sounds.themes.append(name)
        configuration.themeLocations[name] = item.node.location
      }
      let paths = paths
      configuration.sounds.packs = sounds["packs"].map { item in
        items(item, "folder of sound packs").compactMap { read($0) { node in try paths.file(try node.name()) } }
      }
      configuration.sounds.normalizes = read("normalize", of: sounds) { try $0.bool() } ?? false
    }
    configuration.speech = readSpeech(of: top)
    configuration.output = readOutput(of: top)
    configuration.limits = readLimits(of: top)
    configuration.quietHours = readQuietHours(of: top)
    for (key, most) in [("quiet_while", Profile.quiet), ("silent_while", .silent)] {
      guard let profile = top["profile"] else { continue }
      for name in readGates(key, of: profile) { configuration.profileGates[name] = most }
    }
    var values = readValues(of: top, limit: configuration.limits.values)
    assign(configuration.feeds, to: &values)
    configuration.values = values.compactMap(\.declaration)
    let patterns = readPatterns(of: top)
    configuration.patterns = patterns.compactMap(\.declaration)
    configuration.triggers = readTriggers(of: top, values, patterns, feeds: configuration.feeds)
    configuration.pathLocations = locations(ofPathsIn: values)
    for value in values { configuration.valueLocations[value.name] = value.section?.node.location }
    if found.isEmpty {
      findWarnings(configuration.triggers.map(\.definition), values, patterns, configuration, of: top)
      configuration.ownWarnings = warnings
    }
    return configuration
  }

  private mutating func readTheme(_ item: Item) -> String? {
    read(item) { node in
      let name = try node.name()
      if !SoundThemes.isName(name) { throw SettingProblem("expected the name of a theme, or \"auto\", found a path") }
      return name
    }
  }

  private mutating func readOutput(of top: Item) -> OutputSettings {
    var settings = OutputSettings()
    guard let output = table("output", of: top) else { return settings }
    checkKeys(of: output, Self.outputKeys)
    settings.device = read("device", of: output) { try $0.name() } ?? settings.device
    settings.rate = read("rate", of: output) { try $0.integer(in: OutputSettings.rates) }
    settings.channels =
      read("channels", of: output) { try $0.integer(in: OutputSettings.channelCounts) } ?? settings.channels
    settings.latency = read("latency", of: output) { try $0.duration(in: OutputSettings.latencies) } ?? settings.latency
    settings.keepOpen = read("keep_open", of: output) { try $0.keepOpen() } ?? settings.keepOpen
    settings.wake = read("wake", of: output) { try $0.wake() } ?? settings.wake
    settings.duck = read("duck", of: output) { try $0.attenuation() } ?? settings.duck
    return settings
  }

  private mutating func readLimits(of top: Item) -> LimitSettings {
    var settings = LimitSettings()
    guard let limits = table("limits", of: top) else { return settings }
    checkKeys(of: limits, Self.limitKeys)
    settings.values = read("values", of: limits) { try $0.integer(in: LimitSettings.valueCounts) } ?? settings.values
    settings.members =
      read("members", of: limits) { try $0.integer(in: LimitSettings.memberCounts) } ?? settings.members
    settings.voices = read("voices", of: limits) { try $0.integer(in: LimitSettings.voiceCounts) } ?? settings.voices
    settings.soundSeconds =
      read("sound_seconds", of: limits) { try $0.integer(in: LimitSettings.soundLengths) } ?? settings.soundSeconds
    settings.memory = read("memory", of: limits) { try $0.size(in: LimitSettings.memories) } ?? settings.memory
    return settings
  }

  private mutating func readQuietHours(of top: Item) -> QuietHours? {
    guard let profile = table("profile", of: top) else { return nil }
    checkKeys(of: profile, Self.profileKeys)
    guard let item = profile["quiet_hours"] else { return nil }
    let spans = items(item, "time such as \"22:00-07:00\"").compactMap { item in
      read(item) { try QuietHours.Span($0.string("a string such as \"22:00-07:00\"")) }
    }
    if spans.count > QuietHours.mostSpans {
      report("expected at most \(QuietHours.mostSpans) times, found \(spans.count)", item)
    }
    return spans.isEmpty ? nil : QuietHours(spans: spans)
  }

  // MARK: Keys

  /// The name of a value; `nil` if it is none, which is reported.
  mutating func readName(_ item: Item) -> ValueName? {
    let prefixes = prefixes
    return read(item) { try $0.valueName(prefixes) }
  }

  /// What `body` makes of a key; `nil` if the key is missing, or if `body` throws, which is reported.
  mutating func read<Result>(_ key: String, of table: Item, _ body: (TOMLNode) throws -> Result) -> Result? {
    table[key].flatMap { read($0, body) }
  }

  mutating func read<Result>(_ item: Item, _ body: (TOMLNode) throws -> Result) -> Result? {
    do {
      return try body(item.node)
    } catch {
      let problem = error as? SettingProblem ?? SettingProblem("\(error)")
      report(problem.message, at: problem.location ?? item.node.location, item.path, suggestion: problem.suggestion)
      return nil
    }
  }

  /// A key that is a table; anything else is reported.
  mutating func table(_ key: String, of table: Item) -> Item? { table[key].flatMap { self.table($0) } }

  mutating func table(_ item: Item, hint: String = "") -> Item? {
    if case .table = item.node.value { return item }
    report(item.node.mismatch("a table").message + hint, item)
    return nil
  }

  /// The tables of an array such as `[[trigger]]`; anything else is reported.
  mutating func tables(_ key: String, of table: Item) -> [Item] {
    guard let item = table[key] else { return [] }
    guard case .array = item.node.value else {
      report(item.node.mismatch("an array of tables, [[\(key)]]").message, item)
      return []
    }
    return item.items.compactMap { self.table($0) }
  }

  /// The items of an array, or the item itself if it is none; `what` is what there must be one of.
  mutating func items(_ item: Item, _ what: String) -> [Item] {
    if item.items.isEmpty { report("expected at least one \(what), found an empty array", item) }
    return item.items
  }

  // MARK: Errors

  /// `line 7`, and the file unless it is that of the item.
  func line(_ location: TOMLLocation, from item: Item) -> String {
    "line \(location.line)" + (location.file == item.node.location.file ? "" : " of \(location.file ?? file)")
  }

  mutating func report(
    _ message: String, at location: TOMLLocation, _ path: ConfigurationPath, suggestion: String? = nil
  ) {
    let key = path == .top ? nil : path.description
    found.append(
      ConfigurationMessage(file: file, location: location, key: key, message: message, suggestion: suggestion))
  }

  mutating func report(_ message: String, _ item: Item) { report(message, at: item.node.location, item.path) }

  mutating func warn(
    _ code: WarningCode, _ message: String, at location: TOMLLocation, _ path: ConfigurationPath,
    suggestion: String? = nil
  ) {
    let key = path == .top ? nil : path.description
    let message = ConfigurationMessage(
      file: file, location: location, key: key, message: message, suggestion: suggestion)
    warnings.append(Warning(code, message))
  }

  /// Reports a message at a key, if there is that key.
  mutating func report(_ message: String, at key: String, of table: Item) {
    if let item = table[key] { report(message, item) }
  }

  /// Reports unknown keys; returns the known ones that they probably mean.
  ///
  /// `unsupported` are the keys of the format that this version refuses. `tableHint` is added if an unknown key is a table.
  @discardableResult
  mutating func checkKeys(
    of table: Item, _ known: [String], unsupported: [String] = [], tableHint: String = ""
  ) -> Set<String> {
    var meant: Set<String> = []
    for entry in table.entries where !known.contains(entry.key) {
      let path = table.path.key(entry.key)
      if unsupported.contains(entry.key) {
        report("is not supported by this version of soundd", at: entry.keyLocation, path)
        continue
      }
      let suggestion =
        Self.customary[entry.key]?.first(where: known.contains)
        ?? Suggestion.nearest(to: entry.key, among: known + unsupported)
      if let suggestion { meant.insert(suggestion) }
      var message = "unknown key"
      if suggestion == nil, Self.commandKeys.contains(entry.key) {
        message += ": nothing here runs a command; let the command run 'soundd set NAME=VALUE'"
      }
      if case .table = entry.node.value { message += tableHint }
      report(message, at: entry.keyLocation, path, suggestion: suggestion)
    }
    return meant
  }
}

/// Why a value of the configuration cannot be used.
struct SettingProblem: Error, Equatable {
  var message: String
  /// What the user may have meant.
  var suggestion: String?
  /// Where it is, if that is known more exactly than the location of the value.
  var location: TOMLLocation?

  init(_ message: String, suggestion: String? = nil, location: TOMLLocation? = nil) {
    self.message = message
    self.suggestion = suggestion
    self.location = location
  }

  /// A text that is something else than what is `expected`.
  init(expected: String, found text: String, suggestion: String? = nil) {
    self.init("expected \(expected), found \(Excerpt.quoting(text))", suggestion: suggestion)
  }
}
