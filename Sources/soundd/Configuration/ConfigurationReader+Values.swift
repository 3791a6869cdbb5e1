import SoundTrigger

extension ConfigurationReader {
  /// What came of one `[value.NAME]`.
  struct ReadValue {
    var name: ValueName
    /// `nil` if the type is wrong.
    var kind: ValueKind?
    /// `nil` if anything is wrong.
    var declaration: ValueDeclaration?
  }

  /// Reads all `[value.NAME]`, of which there may be as many as `limit`.
  mutating func readValues(of top: Section, limit: Int) -> [ReadValue] {
    guard let values = section("value", of: top) else { return [] }
    if values.table.entries.count > limit {
      let first = values.table.entries[limit]
      report(
        "expected at most \(limit) values (limits.values), found \(values.table.entries.count)", at: first.keyPlace,
        values.path.key(first.key))
    }
    return values.table.entries.compactMap { entry in
      let item = Item(node: entry.node, path: values.path.key(entry.key))
      guard let name = ValueName(entry.key) else {
        reportNoValueName(entry.key, at: entry.keyPlace, item.path)
        return nil
      }
      guard let section = table(item) else { return ReadValue(name: name) }
      return readValue(name, section)
    }
  }

  mutating func reportNoValueName(_ text: String, at place: TOMLPlace, _ path: ConfigurationPath) {
    let longest = ValueName.maximumLength
    report(
      "expected a value's name (1 to \(longest) of A-Z a-z 0-9 _ . / : -, the first a letter, digit or _), "
        + "found \(QuotedText.single(text))", at: place, path)
  }

  private mutating func readValue(_ name: ValueName, _ section: Section) -> ReadValue {
    let errorsBefore = errorCount
    checkKeys(of: section, .value, tableHint: "; a value's name with dots needs quotes: [value.\"a.b\"]")
    let kind = section.table["type"] == nil ? .text : word("type", of: section, as: ValueKind.self)
    let trim = bool("trim", of: section) ?? true
    let source = readSource(section)
    let isSound = errorCount == errorsBefore
    return ReadValue(
      name: name, kind: kind,
      declaration: kind.flatMap {
        isSound ? ValueDeclaration(name: name, kind: $0, trim: trim, source: source) : nil
      })
  }

  private mutating func readSource(_ section: Section) -> ValueDeclaration.Source {
    let poll = duration("poll", of: section, in: ValueDeclaration.pollIntervals)
    guard let file = item("file", of: section) else {
      if let poll = item("poll", of: section) { report("needs a 'file' beside it", poll) }
      return .client
    }
    guard case .string(let text) = file.node.value else {
      reportType(file, expected: "a string")
      return .client
    }
    do {
      let path = try paths.file(text)
      return .file(path: path, poll: poll ?? Self.pollUnlessNotified(path))
    } catch {
      report(error.message, file, suggestion: error.suggestion)
      return .client
    }
  }

  /// inotify is mute in these trees: the kernel makes up their files when they are read.
  private static func pollUnlessNotified(_ path: String) -> Duration? {
    path.hasPrefix("/sys/") || path.hasPrefix("/proc/") ? ValueDeclaration.defaultPoll : nil
  }
}

/// The type of every value, as far as it is known.
struct ValueKinds {
  private var kinds: [ValueName: ValueKind?] = [:]

  init(_ values: [ConfigurationReader.ReadValue]) {
    for value in values { kinds.updateValue(value.kind, forKey: value.name) }
  }

  /// The type of a value: `text` of one that is not declared, `nil` of one that is declared wrongly.
  subscript(_ name: ValueName) -> ValueKind? { kinds[name] ?? .text }
}
