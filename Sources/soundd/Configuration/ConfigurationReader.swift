import SoundTrigger

/// Turns the tables of a document into a configuration, and collects whatever is wrong on the way.
///
/// Reading goes on after an error, so that all are found; what could not be read is then missing or has its default.
struct ConfigurationReader {
  /// A table of the document and the way to it.
  struct Section {
    var table: TOMLTable
    var path: ConfigurationPath
    var place: TOMLPlace
  }

  /// A value of the document and the way to it.
  struct Item {
    var node: TOMLNode
    var path: ConfigurationPath
  }

  let paths: PathExpansion
  let source: TOMLSource
  private let file: String
  private var found: [ConfigurationError] = []

  init(file: String, source: TOMLSource, environment: ConfigurationEnvironment) {
    self.file = file
    self.source = source
    paths = PathExpansion(configurationFile: file, environment: environment)
  }

  /// What was wrong so far, in the order of the file.
  var errors: [ConfigurationError] {
    // Of two errors at one place the first found comes first.
    found.enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }.map(\.element)
  }

  /// How much was wrong so far.
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

  /// What is said of everything that is specified and not yet built.
  static let unsupported = "is not supported by this version of soundd"

  /// Reports the keys that the table must not have; returns those that it was probably meant to have instead.
  ///
  /// `tableHint` is added where an unknown key is a table.
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

extension [ConfigurationError] {
  /// Throws these errors, unless there are none.
  func throwIfAny() throws(ConfigurationErrors) {
    if !isEmpty { throw ConfigurationErrors(errors: self) }
  }
}
