import SoundTrigger

extension ConfigurationReader {
  /// What could be read of one `[value.NAME]`.
  struct ReadValue {
    var name: ValueName
    /// `nil` if the type is wrong.
    var kind: ValueKind?
    /// `nil` if anything is wrong.
    var declaration: ValueDeclaration?
    /// `nil` if it is no table.
    var section: Section?
    /// The keys that unknown ones probably mean.
    var meant: Set<String> = []

    /// The value that this one is derived from.
    var base: ValueName?
    /// Whether it may become stale.
    var isExpected: Bool { section?.table["expect_every"] != nil }
  }

  /// Reads all `[value.NAME]`, at most `limit`.
  mutating func readValues(of top: Section, limit: Int) -> [ReadValue] {
    guard let values = section("value", of: top) else { return [] }
    if values.table.entries.count > limit {
      let first = values.table.entries[limit]
      report(
        "expected at most \(limit) values (limits.values), found \(values.table.entries.count)", at: first.keyPlace,
        values.path.key(first.key))
    }
    var read: [ReadValue] = values.table.entries.compactMap { entry in
      let item = Item(node: entry.node, path: values.path.key(entry.key))
      guard let name = ValueName(entry.key) else {
        reportNoValueName(entry.key, at: entry.keyPlace, item.path)
        return nil
      }
      guard let section = table(item) else { return ReadValue(name: name) }
      return readValue(name, section)
    }
    reportCycles(read)
    reportSharedPipes(read)
    let kinds = ValueKinds(read)
    for index in read.indices {
      let errorsBefore = errorCount
      let comparison = readComparison(read[index], kinds)
      if errorCount == errorsBefore { read[index].declaration?.comparison = comparison }
    }
    return read
  }

  mutating func reportNoValueName(_ text: String, at place: TOMLPlace, _ path: ConfigurationPath) {
    let longest = ValueName.maximumLength
    report(
      "expected a value's name (1 to \(longest) of A-Z a-z 0-9 _ . / : -, the first a letter, digit or _), "
        + "found \(Excerpt.quoting(text))", at: place, path)
  }

  private mutating func readValue(_ name: ValueName, _ section: Section) -> ReadValue {
    let errorsBefore = errorCount
    let meant = checkKeys(of: section, .value, tableHint: "; a value's name with dots needs quotes: [value.\"a.b\"]")
    let kind = readKind(section, of: aspect(section))
    let trim = bool("trim", of: section) ?? true
    let source = readSource(section, aspect(section))
    let extraction = Extraction(pointer: pointer("json", of: section), pattern: pattern("match", of: section))
    let expectEvery = duration("expect_every", of: section, in: ValueDeclaration.expectedIntervals)
    var value = ReadValue(name: name, kind: kind, section: section, meant: meant)
    if case .derived(let base) = source { value.base = base }
    if errorCount == errorsBefore, let kind {
      value.declaration = ValueDeclaration(
        name: name, kind: kind, trim: trim, source: source, extraction: extraction, expectEvery: expectEvery)
    }
    return value
  }

  /// The type; that of a comparison is `bool`.
  private mutating func readKind(_ section: Section, of aspect: FileAspect?) -> ValueKind? {
    let kind = section.table["type"] == nil ? nil : word("type", of: section, as: ValueKind.self)
    guard let key = Self.comparisonKeys.first(where: { section.table[$0] != nil }) else {
      if let kind, let aspect { check(kind, of: aspect, section) }
      return section.table["type"] == nil ? aspect?.kind ?? .text : kind
    }
    if let kind, kind != .bool, let item = item("type", of: section) {
      report("what '\(key)' tells is of type \"bool\"", item)
    }
    if let trim = item("trim", of: section) { report("has no effect on what '\(key)' tells", trim) }
    return .bool
  }

  private mutating func pointer(_ key: String, of section: Section) -> JSONPointer? {
    guard let item = item(key, of: section) else { return nil }
    guard case .string(let text) = item.node.value else {
      reportType(item, expected: "a string")
      return nil
    }
    do throws(JSONPointer.Problem) {
      return try JSONPointer(text)
    } catch {
      let place = source.place(ofByte: error.offset, in: text, at: item.node.place)
      report(
        "\(error.message), such as \"/a/b\", found \(Excerpt.quoting(text))", at: place ?? item.node.place, item.path)
      return nil
    }
  }
}

/// The types of all values whose type is known.
struct ValueKinds {
  private var kinds: [ValueName: ValueKind?] = [:]

  init(_ values: [ConfigurationReader.ReadValue]) {
    for value in values { kinds.updateValue(value.kind, forKey: value.name) }
  }

  /// The type of a value: `text` if it is not declared, `nil` if its declaration is wrong.
  subscript(_ name: ValueName) -> ValueKind? { kinds[name] ?? .text }
}

/// Values that are derived from others.
extension ConfigurationReader {
  /// The keys that make a value a comparison.
  static let comparisonKeys = ["equals", "above", "below"]

  /// Reads `equals`, or `above` and `below`; `nil` if there are none, or if anything about them is wrong.
  mutating func readComparison(_ value: ReadValue, _ kinds: ValueKinds) -> Comparison? {
    guard let section = value.section else { return nil }
    let given = Self.comparisonKeys.filter { section.table[$0] != nil }
    guard !given.isEmpty else { return nil }
    guard let base = value.base else {
      if section.table["of"] == nil, !value.meant.contains("of") {
        for key in given { report("needs an 'of' beside it, the value that it is about", at: section, key) }
      }
      return nil
    }
    if given.count > 1, given[0] == "equals" {
      report("'equals' and '\(given[1])' exclude each other", at: section, given[1])
      return nil
    }
    // What is extracted from a content is a text, and may be a number.
    let isExtracted = section.table["json"] != nil || section.table["match"] != nil
    guard let kind = isExtracted ? .text : kinds[base] else { return nil }
    if let item = item("equals", of: section) { return contents(item, [kind]).first.map { .equals($0) } }
    if kind != .number, !isExtracted {
      report("compares numbers, and '\(base)' is of type \"\(kind.rawValue)\"", at: section, given[0])
      return nil
    }
    let errorsBefore = errorCount
    let above = number("above", of: section)
    let below = number("below", of: section)
    if let above, let below, above >= below {
      report("no number lies above \(above.shortestText) and below \(below.shortestText)", at: section, "below")
    }
    return errorCount == errorsBefore ? .lies(above: above, below: below) : nil
  }

  /// Reports each cycle once, where the first of its values is declared.
  mutating func reportCycles(_ values: [ReadValue]) {
    let read = Dictionary(values.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var seen: Set<ValueName> = []
    for value in values {
      var way: [ValueName] = []
      var places: [ValueName: Int] = [:]
      var next: ValueName? = value.name
      while let name = next, seen.insert(name).inserted {
        places[name] = way.count
        way.append(name)
        next = read[name]?.base
      }
      // A cycle ends at a value of this walk; one that an earlier walk has seen is no new cycle.
      guard let again = next, let start = places[again], let section = read[again]?.section else { continue }
      let cycle = (way[start...] + [again]).map(\.description).joined(separator: " → ")
      report("a value cannot follow from itself: \(cycle)", at: section, "of")
    }
  }

  private mutating func report(_ message: String, at section: Section, _ key: String) {
    if let item = item(key, of: section) { report(message, item) }
  }
}
