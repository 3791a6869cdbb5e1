import SoundTrigger

extension ConfigurationReader {
  /// What could be read of one `[value."PATTERN"]`.
  struct ReadPattern {
    var pattern: ValuePattern
    var section: Item
    /// `nil` if the type is wrong.
    var kind: ValueKind?
    /// `nil` if anything is wrong.
    var declaration: PatternDeclaration?
  }

  /// The keys of a value that a pattern may have.
  private static let patternKeys = ["type", "trim", "json", "match", "expect_every", "forget_after"]

  /// Reads all `[value."PATTERN"]`.
  mutating func readPatterns(of top: Item) -> [ReadPattern] {
    var read: [ReadPattern] = []
    guard let values = top["value"] else { return [] }
    let prefixes = prefixes
    for entry in values.entries where entry.isPattern {
      let path = values.path.key(entry.key)
      guard let pattern = self.read(Item(node: entry.keyNode, path: path), { try $0.valuePattern(prefixes) }),
        let section = table(Item(node: entry.node, path: path))
      else { continue }
      let rival = read.first { $0.pattern.prefix == pattern.prefix && $0.pattern.overlaps(pattern) }
      if let rival {
        report(
          "may name the same values as \"\(rival.pattern)\" at \(line(rival.section.node.location, from: section)), and "
            + "neither is more exact: the one with the longer text before its first '*' declares them",
          at: entry.keyLocation, path)
      }
      read.append(readPattern(pattern, section))
    }
    return read
  }

  private mutating func readPattern(_ pattern: ValuePattern, _ section: Item) -> ReadPattern {
    let errorsBefore = errorCount
    checkKeys(of: section, Self.valueKeys)
    for key in Self.valueKeys where !Self.patternKeys.contains(key) {
      report("has no place beside a pattern, whose members clients and feeds set", at: key, of: section)
    }
    let kind = section["type"] == nil ? .text : read("type", of: section) { try $0.word(ValueKind.self) }
    let extraction = readExtraction(section)
    let trim = read("trim", of: section) { try $0.bool() } ?? true
    let expectEvery = readExpectation(section)
    let forgetAfter = read("forget_after", of: section) { try $0.duration(in: ValueDeclaration.expectedIntervals) }
    if let expectEvery, let forgetAfter, forgetAfter <= expectEvery {
      report("must be longer than 'expect_every': nothing would ever be stale", at: "forget_after", of: section)
    }
    var read = ReadPattern(pattern: pattern, section: section, kind: kind)
    if errorCount == errorsBefore, let kind {
      read.declaration = PatternDeclaration(
        pattern: pattern, kind: kind, trim: trim, extraction: extraction, expectEvery: expectEvery,
        forgetAfter: forgetAfter)
    }
    return read
  }

  /// Reads `value`: a name, a pattern, or a list of them; `nil` if anything is wrong with it.
  mutating func readWatched(_ section: Item, _ meant: Set<String>) -> (names: [ValueName], patterns: [ValuePattern])? {
    guard let item = section["value"] else {
      if !meant.contains("value") { report("'value' is missing", section) }
      return nil
    }
    let errorsBefore = errorCount
    var (names, patterns): ([ValueName], [ValuePattern]) = ([], [])
    var known: Set<String> = []
    let prefixes = prefixes
    for item in items(item, "value") {
      if case .string(let text) = item.node.value, text.contains("*") {
        if let pattern = read(item, { try $0.valuePattern(prefixes) }) { patterns.append(pattern) }
      } else if let name = readName(item) {
        names.append(name)
      }
      if case .string(let text) = item.node.value, !known.insert(text).inserted {
        report("\(Excerpt.quoting(text)) is in the list already", item)
      }
    }
    return errorCount == errorsBefore ? (names, patterns) : nil
  }
}

extension [ConfigurationReader.ReadPattern] {
  /// What is known of the values that a trigger's pattern names; `nil` if their type is wrong.
  ///
  /// A declaration that is more exact than the pattern is about a part of its values only. It counts if there is no other.
  func watched(_ pattern: ValuePattern, _ feeds: [FeedDeclaration] = []) -> WatchedValue? {
    let length = pattern.prefix.count
    let declared = filter { $0.pattern.overlaps(pattern) }.map { ($0, $0.pattern.prefix.count) }
      .max { ($0.1 <= length ? 1 : 0, $0.1) < ($1.1 <= length ? 1 : 0, $1.1) }?.0
    let isFed = feeds.contains { $0.prefix.hasPrefix(pattern.prefix) || pattern.prefix.hasPrefix($0.prefix) }
    let isExpected = declared?.section["expect_every"] != nil || isFed
    let kind = declared.map(\.kind) ?? .text
    return kind.map { WatchedValue(pattern, $0, isExpected: isExpected) }
  }
}

extension TOMLTable.Entry {
  /// Whether it is the key of a pattern.
  var isPattern: Bool { key.contains("*") }
}
