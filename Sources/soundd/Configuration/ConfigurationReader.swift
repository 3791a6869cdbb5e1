import SoundTrigger

/// Turns the tables of a document into a configuration, and collects all errors.
///
/// It continues after an error, so that it finds all of them; what it cannot read is missing or has its default.
struct ConfigurationReader {
  /// A table of the document and its path.
  struct Section {
    var table: TOMLTable
    var path: ConfigurationPath
    var place: TOMLPlace
  }

  /// A value of the document and its path.
  struct Item {
    var node: TOMLNode
    var path: ConfigurationPath
  }

  let paths: PathExpansion
  let source: TOMLSource
  private let file: String
  private var found: [ConfigurationError] = []
  /// The sounds that triggers name, so far.
  var sounds: [ConfigurationDraft.NamedSound] = []

  init(file: String, source: TOMLSource, environment: ConfigurationEnvironment) {
    self.file = file
    self.source = source
    paths = PathExpansion(configurationFile: file, environment: environment)
  }

  /// The errors so far, in the order of the file.
  var errors: [ConfigurationError] {
    // Of two errors at one place the first found comes first.
    found.enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }.map(\.element)
  }

  /// How many errors there are so far.
  var errorCount: Int { found.count }

  mutating func readConfiguration(_ document: TOMLTable) -> Configuration {
    let top = Section(table: document, path: .top, place: TOMLPlace(line: 1, column: 1))
    checkKeys(of: top, .top)
    if let sounds = section("sounds", of: top) { checkKeys(of: sounds, .sounds) }
    var configuration = Configuration()
    configuration.output = readOutput(of: top)
    configuration.limits = readLimits(of: top)
    configuration.quietHours = readQuietHours(of: top)
    let values = readValues(of: top, limit: configuration.limits.values)
    configuration.values = values.compactMap(\.declaration)
    let expected = Set(values.filter(\.isExpected).map(\.name))
    configuration.triggers = readTriggers(of: top, kinds: ValueKinds(values), expected: expected)
    return configuration
  }

  // MARK: Errors

  mutating func report(_ message: String, at place: TOMLPlace, _ path: ConfigurationPath, suggestion: String? = nil) {
    let key = path == .top ? nil : path.description
    found.append(ConfigurationError(file: file, place: place, key: key, message: message, suggestion: suggestion))
  }

  mutating func report(_ message: String, _ item: Item, suggestion: String? = nil) {
    report(message, at: item.node.place, item.path, suggestion: suggestion)
  }

  /// Reports a value of the wrong type; `expected` has its article.
  mutating func reportType(_ item: Item, expected: String) {
    report("expected \(expected), found \(item.node.value.typeName)", item)
  }

  /// The error for keys of the format that this version does not support.
  static let unsupported = "is not supported by this version of soundd"

  /// Reports unknown keys; returns the known ones that they probably mean.
  ///
  /// `tableHint` is added if an unknown key is a table.
  @discardableResult
  mutating func checkKeys(of section: Section, _ keys: ConfigurationKeys, tableHint: String = "") -> Set<String> {
    var meant: Set<String> = []
    for entry in section.table.entries where !keys.supported.contains(entry.key) {
      let path = section.path.key(entry.key)
      if keys.unsupported.contains(entry.key) {
        report(Self.unsupported, at: entry.keyPlace, path)
      } else {
        let suggestion = Suggestion.nearest(to: entry.key, among: keys.all)
        if let suggestion { meant.insert(suggestion) }
        var message = "unknown key"
        if case .table = entry.node.value { message += tableHint }
        report(message, at: entry.keyPlace, path, suggestion: suggestion)
      }
    }
    return meant
  }
}

/// The keys that one table of the configuration may have.
struct ConfigurationKeys: Sendable {
  /// The keys that this version reads.
  let supported: [String]
  /// The keys of the format that this version refuses.
  let unsupported: [String]

  /// All keys, for suggestions.
  var all: [String] { supported + unsupported }

  static let top = ConfigurationKeys(
    supported: ["output", "limits", "profile", "value", "trigger", "sounds"], unsupported: [])
  static let output = ConfigurationKeys(
    supported: ["device", "rate", "channels", "latency", "keep_open"], unsupported: [])
  static let limits = ConfigurationKeys(supported: ["values", "voices", "sound_seconds"], unsupported: [])
  static let profile = ConfigurationKeys(supported: ["quiet_hours"], unsupported: [])
  static let sounds = ConfigurationKeys(supported: [], unsupported: ["theme"])
  static let value = ConfigurationKeys(
    supported: [
      "file", "lines", "count", "exists", "fifo", "poll", "of", "type", "trim", "json", "match", "equals", "above",
      "below", "expect_every",
    ],
    unsupported: [])
  static let trigger = ConfigurationKeys(
    supported: [
      "name", "value", "sound", "pick", "sounds", "when", "from", "to", "above", "below", "hysteresis", "matches",
      "initial", "debounce", "delay", "throttle", "cancel", "overlap", "loop", "loop_every", "loop_limit", "importance",
      "volume", "pan", "fade_in", "fade_out", "fresh",
    ],
    unsupported: [])
}
