import SoundTrigger

extension ConfigurationReader {
  /// What came of one `[value.NAME]`.
  struct ReadValue {
    var name: ValueName
    /// `nil` if the type is wrong.
    var kind: ValueKind?
    /// `nil` if anything is wrong.
    var declaration: ValueDeclaration?
    /// `nil` if it is no table.
    var section: Section?
    /// Keys that were probably meant.
    var meant: Set<String> = []

    /// The value that this one is derived from.
    var base: ValueName?
    /// Whether it may become stale.
    var isExpected: Bool { section?.table["expect_every"] != nil }
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
        + "found \(QuotedText.single(text))", at: place, path)
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
        "\(error.message), such as \"/a/b\", found \(QuotedText.single(text))", at: place ?? item.node.place, item.path)
      return nil
    }
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
