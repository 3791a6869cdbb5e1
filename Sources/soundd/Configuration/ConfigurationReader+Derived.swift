import SoundTrigger

/// Values that are derived from others.
extension ConfigurationReader {
  /// The keys of which one makes a value a comparison.
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
    // What is taken out of a content is a text, and may be a number.
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

  /// Reports the cycles, each once, where the first of its values is declared.
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
      // Back at a value of this very way; what was seen before belongs to another one.
      guard let again = next, let start = places[again], let section = read[again]?.section else { continue }
      let cycle = (way[start...] + [again]).map(\.description).joined(separator: " → ")
      report("a value cannot follow from itself: \(cycle)", at: section, "of")
    }
  }

  private mutating func report(_ message: String, at section: Section, _ key: String) {
    if let item = item(key, of: section) { report(message, item) }
  }
}
