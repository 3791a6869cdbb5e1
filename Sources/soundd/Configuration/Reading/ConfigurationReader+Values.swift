import SoundTrigger

extension ConfigurationReader {
  /// What could be read of one `[value.NAME]`.
  struct ReadValue {
    var name: ValueName
    /// The table; `nil` if it is none.
    var section: Item?
    /// `nil` if the type is wrong.
    var kind: ValueKind?
    /// `nil` if anything is wrong.
    var declaration: ValueDeclaration?
    /// The value that this one is derived from.
    var base: ValueName?
    /// Whether a command or a feed sets it, so that it may become stale by itself.
    var isFed: Bool {
      if case .feed? = declaration?.source { true } else { section?["command"] != nil }
    }
    /// The keys that unknown ones probably mean.
    var meant: Set<String> = []

    /// The value as triggers watch it; `nil` if its type is wrong.
    var watched: WatchedValue? {
      kind.map { WatchedValue(name, $0, isExpected: section?["expect_every"] != nil || isFed) }
    }
  }

  static let valueKeys = [
    "file", "lines", "count", "exists", "fifo", "poll", "of", "type", "trim", "json", "match", "equals", "above",
    "below", "expect_every", "forget_after", "command", "every", "timeout", "take",
  ]
  /// The keys that make a value a comparison.
  private static let comparisonKeys = ["equals", "above", "below"]

  /// Reads all `[value.NAME]`, at most `limit`.
  mutating func readValues(of top: Item, limit: Int) -> [ReadValue] {
    guard let values = table("value", of: top) else { return [] }
    if values.entries.count > limit {
      let first = values.entries[limit]
      report(
        "expected at most \(limit) values (limits.values), found \(values.entries.count)", at: first.keyLocation,
        values.path.key(first.key))
    }
    var read: [ReadValue] = values.entries.filter { !$0.isPattern }.compactMap { entry in
      let path = values.path.key(entry.key)
      guard let name = readName(Item(node: entry.keyNode, path: path)) else { return nil }
      return readValue(name, Item(node: entry.node, path: path))
    }
    reportCycles(read)
    reportSharedPipes(read)
    let kinds = Dictionary(read.map { ($0.name, $0.kind) }) { first, _ in first }
    for index in read.indices {
      let errorsBefore = errorCount
      let comparison = readComparison(read[index], kinds)
      if errorCount == errorsBefore { read[index].declaration?.comparison = comparison }
    }
    return read
  }

  private mutating func readValue(_ name: ValueName, _ item: Item) -> ReadValue {
    var value = ReadValue(
      name: name, section: table(item, hint: ": each value has a table with its name, such as [value.build]"))
    guard let section = value.section else { return value }
    let errorsBefore = errorCount
    value.meant = checkKeys(
      of: section, Self.valueKeys, tableHint: "; a value's name with dots needs quotes: [value.\"a.b\"]")
    let aspect = FileAspect.allCases.first { section[$0.rawValue] != nil }
    value.kind = readKind(section, aspect)
    let trim = read("trim", of: section) { try $0.bool() } ?? true
    let source = readSource(section, aspect)
    if case .derived(let base) = source { value.base = base }
    let extraction = readExtraction(section)
    let expectEvery = readExpectation(section)
    report(
      "is for patterns, such as [value.\"agent/*\"]: a value with a declaration of its own is never forgotten",
      at: "forget_after", of: section)
    if errorCount == errorsBefore, let kind = value.kind {
      value.declaration = ValueDeclaration(
        name: name, kind: kind, trim: trim, source: source, extraction: extraction, expectEvery: expectEvery)
    }
    return value
  }

  mutating func readExtraction(_ section: Item) -> Extraction? {
    let text = self.source
    return Extraction(
      pointer: read("json", of: section) { try $0.pointer(text) },
      pattern: read("match", of: section) { try $0.pattern(text) })
  }

  mutating func readExpectation(_ section: Item) -> Duration? {
    read("expect_every", of: section) { try $0.duration(in: ValueDeclaration.expectedIntervals) }
  }

  /// The type; that of a comparison is `bool`.
  private mutating func readKind(_ section: Item, _ aspect: FileAspect?) -> ValueKind? {
    let isGiven = section["type"] != nil
    let kind = read("type", of: section) { try $0.word(ValueKind.self) }
    if let key = Self.comparisonKeys.first(where: { section[$0] != nil }) {
      if let kind, kind != .bool { report("what '\(key)' tells is of type \"bool\"", at: "type", of: section) }
      report("has no effect on what '\(key)' tells", at: "trim", of: section)
      return .bool
    }
    // What is extracted from a content may have any type.
    if section["json"] == nil, section["match"] == nil {
      switch (aspect, kind) {
      case (.count, .bool):
        report(
          "what 'count' tells is a number; whether there are any tells another value, with 'of' and 'above = 0'",
          at: "type", of: section)
      case (.exists, .number): report("what 'exists' tells is true or false, and no number", at: "type", of: section)
      default: break
      }
    }
    return isGiven ? kind : section["take"] != nil ? .number : aspect?.kind ?? .text
  }

  // MARK: Sources

  /// Reads the one key of the source, and those that belong to it.
  private mutating func readSource(_ section: Item, _ aspect: FileAspect?) -> ValueDeclaration.Source {
    let poll = read("poll", of: section) { try $0.duration(in: ValueDeclaration.pollIntervals) }
    func exclude(_ keys: [String], with other: String) {
      for key in keys { report("'\(key)' and '\(other)' exclude each other", at: key, of: section) }
    }
    let keys = FileAspect.allCases.map(\.rawValue)
    let command = readCommand(section)
    if section["of"] != nil {
      exclude(keys + ["poll", "command"], with: "of")
      return section["of"].flatMap { readName($0) }.map { .derived(from: $0) } ?? .client
    }
    if section["command"] != nil {
      exclude(keys + ["poll"], with: "command")
      return command.map { .command($0) } ?? .client
    }
    guard let aspect else {
      report("needs a 'file', 'lines', 'count' or 'exists' beside it", at: "poll", of: section)
      return .client
    }
    let key = aspect.rawValue
    exclude(keys.filter { $0 != key } + (aspect == .fifo ? ["poll"] : []), with: key)
    let isEntry = aspect == .count || aspect == .exists
    if isEntry { report("has no effect on what '\(key)' tells", at: "trim", of: section) }
    let paths = paths
    let path = read(key, of: section) { node in
      let text = try node.string()
      try paths.refuseWildcard(in: text)
      return isEntry ? try paths.entry(text) : try paths.file(text)
    }
    guard let path else { return .client }
    // inotify reports nothing in these trees, because the kernel generates their files when they are read.
    let isMute = path.hasPrefix("/sys/") || path.hasPrefix("/proc/")
    let interval = poll ?? (isMute ? ValueDeclaration.defaultPoll : nil)
    return .file(path: path, poll: aspect == .fifo ? nil : interval, aspect: aspect)
  }

  /// Reports named pipes that more than one value would read, because each line of a pipe reaches only one reader.
  private mutating func reportSharedPipes(_ values: [ReadValue]) {
    var readers: [String: ValueName] = [:]
    for value in values {
      guard let section = value.section, case .file(let path, _, .fifo)? = value.declaration?.source else { continue }
      if let first = readers[path] {
        report(
          "'\(first)' reads this named pipe, and a line of it goes to one reader alone (of = \"\(first)\"?)",
          at: "fifo", of: section)
      } else {
        readers[path] = value.name
      }
    }
  }

  // MARK: Derived values

  /// Reads `equals`, or `above` and `below`; `nil` if there are none, or if anything about them is wrong.
  ///
  /// `kinds` has the types of all declared values, `nil` for those whose type is wrong.
  private mutating func readComparison(_ value: ReadValue, _ kinds: [ValueName: ValueKind?]) -> Comparison? {
    guard let section = value.section else { return nil }
    let given = Self.comparisonKeys.filter { section[$0] != nil }
    guard !given.isEmpty else { return nil }
    guard let base = value.base else {
      if section["of"] == nil, !value.meant.contains("of") {
        for key in given { report("needs an 'of' beside it, the value that it is about", at: key, of: section) }
      }
      return nil
    }
    if given.count > 1, given[0] == "equals" {
      report("'equals' and '\(given[1])' exclude each other", at: given[1], of: section)
      return nil
    }
    // What is extracted from a content is a text, and may be a number.
    let isExtracted = section["json"] != nil || section["match"] != nil
    guard let kind = isExtracted ? .text : kinds[base] ?? .text else { return nil }
    if given[0] == "equals" {
      return read("equals", of: section) { try $0.contents([kind]) }?.first.map { .equals($0) }
    }
    if kind != .number, !isExtracted {
      report("compares numbers, and '\(base)' is of type \"\(kind.rawValue)\"", at: given[0], of: section)
      return nil
    }
    let errorsBefore = errorCount
    let above = read("above", of: section) { try $0.number() }
    let below = read("below", of: section) { try $0.number() }
    if let above, let below, above >= below {
      report("no number lies above \(above.shortestText) and below \(below.shortestText)", at: "below", of: section)
    }
    return errorCount == errorsBefore ? .lies(above: above, below: below) : nil
  }

  /// Reports each cycle once, where the first of its values is declared.
  private mutating func reportCycles(_ values: [ReadValue]) {
    let read = Dictionary(values.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var seen: Set<ValueName> = []
    for value in values {
      var way: [ValueName] = []
      var next: ValueName? = value.name
      while let name = next, seen.insert(name).inserted {
        way.append(name)
        next = read[name]?.base
      }
      // A cycle ends at a value of this walk; one that an earlier walk has seen is no new cycle.
      guard let again = next, let start = way.firstIndex(of: again), let section = read[again]?.section else {
        continue
      }
      let cycle = (way[start...] + [again]).map(\.description).joined(separator: " → ")
      report("a value cannot follow from itself: \(cycle)", at: "of", of: section)
    }
  }
}

extension FileAspect {
  /// The type of its contents, unless the configuration gives one.
  fileprivate var kind: ValueKind {
    switch self {
    case .content, .lines, .fifo: .text
    case .count: .number
    case .exists: .bool
    }
  }
}
