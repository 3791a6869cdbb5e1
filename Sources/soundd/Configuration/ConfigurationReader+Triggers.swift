import SoundTrigger

extension ConfigurationReader {
  /// Reads all `[[trigger]]`; `expected` are the values that may become stale.
  mutating func readTriggers(
    of top: Section, kinds: ValueKinds, expected: Set<ValueName>
  ) -> [TriggerDeclaration] {
    guard let item = item("trigger", of: top) else { return [] }
    guard case .array(let nodes) = item.node.value else {
      reportType(item, expected: "an array of tables, [[trigger]]")
      return []
    }
    var sections: [Section] = []
    for (index, node) in nodes.enumerated() {
      if let section = table(Item(node: node, path: item.path.item(index))) { sections.append(section) }
    }
    var names = TriggerNames()
    let given = sections.map { readName($0, &names) }
    var triggers: [TriggerDeclaration] = []
    for (section, name) in zip(sections, given) {
      guard var trigger = readTrigger(section, kinds, expected) else { continue }
      trigger.definition.name = name ?? names.generate(for: trigger.definition.values[0].description)
      triggers.append(trigger)
    }
    return triggers
  }

  /// The given name. All of these must be known before others are generated.
  private mutating func readName(_ section: Section, _ names: inout TriggerNames) -> String? {
    guard let item = item("name", of: section), let name = name(item) else { return nil }
    if let earlier = names.claim(name, at: item.node.place) {
      report("\(Excerpt.quoting(name)) is already the name of the trigger at line \(earlier.line)", item)
    }
    return name
  }

  /// The trigger, named after its value; `nil` if anything is wrong with it.
  private mutating func readTrigger(
    _ section: Section, _ kinds: ValueKinds, _ expected: Set<ValueName>
  ) -> TriggerDeclaration? {
    let errorsBefore = errorCount
    let meant = checkKeys(of: section, .trigger)
    let values = readWatchedValues(section, meant)
    let watched = Self.watched(values, kinds, expected)
    let watchedKinds = watched.map(\.kind)
    let sounds = readSounds(section, watchedKinds, meant)
    let errorsBeforeConditions = errorCount
    let when = word("when", of: section, as: TriggerDefinition.Direction.self)
    let from = readContents("from", of: section, watchedKinds)
    let to = readContents("to", of: section, watchedKinds)
    let threshold = readThreshold(section)
    let matches = pattern("matches", of: section)
    let hasConditions = errorCount == errorsBeforeConditions && meant.isDisjoint(with: Self.conditionKeys)
    // Leaves out what could not be read, so that it causes no further errors.
    var definition = TriggerDefinition(
      name: "", values: values, sound: sounds?.choice ?? .sound("none"), when: when ?? .change, from: from, to: to,
      threshold: threshold, matches: matches, initial: readInitial(section))
    definition.debounce = duration("debounce", of: section)
    definition.throttle = duration("throttle", of: section)
    definition.delay = duration("delay", of: section)
    definition.cancel = item("cancel", of: section).flatMap { valueName($0) }
    definition.overlap = word("overlap", of: section, as: TriggerDefinition.Overlap.self) ?? definition.overlap
    definition.loop = readLoop(section, meant)
    definition.fresh = duration("fresh", of: section) ?? definition.fresh
    definition.settings = readPlaySettings(section)
    guard let first = values.first, !watched.isEmpty else { return nil }
    definition.name = first.description
    for problem in definition.problems(watching: watched) where problem.key != "loop" || hasConditions {
      let item = item(problem.key, of: section)
      report(problem.message, at: item?.node.place ?? section.place, section.path.key(problem.key))
    }
    guard errorCount == errorsBefore, let sounds else { return nil }
    return TriggerDeclaration(definition: definition, place: section.place, soundPlaces: sounds.places)
  }

  /// The keys of the conditions that may hold for a while.
  private static let conditionKeys: Set = ["when", "to", "above", "below", "matches"]

  /// What is known of the values; empty if the type of one is not.
  private static func watched(
    _ values: [ValueName], _ kinds: ValueKinds, _ expected: Set<ValueName>
  ) -> [WatchedValue] {
    let watched = values.compactMap { name in
      kinds[name].map { WatchedValue(name, $0, isExpected: expected.contains(name)) }
    }
    return watched.count == values.count ? watched : []
  }

  /// Reads `value`: one value or a list of them; empty if anything is wrong with it.
  private mutating func readWatchedValues(_ section: Section, _ meant: Set<String>) -> [ValueName] {
    guard let item = item("value", of: section) else {
      if !meant.contains("value") { report("'value' is missing", at: section.place, section.path) }
      return []
    }
    guard case .array(let nodes) = item.node.value else { return valueName(item).map { [$0] } ?? [] }
    if nodes.isEmpty { report("expected at least one value, found an empty array", item) }
    var names: [ValueName] = []
    var known: Set<ValueName> = []
    for (index, node) in nodes.enumerated() {
      let item = Item(node: node, path: item.path.item(index))
      guard let name = valueName(item) else { continue }
      if !known.insert(name).inserted { report("\(Excerpt.quoting(name.description)) is in the list already", item) }
      names.append(name)
    }
    return names.count == nodes.count ? names : []
  }

  mutating func valueName(_ item: Item) -> ValueName? {
    guard case .string(let text) = item.node.value else {
      reportType(item, expected: "a string")
      return nil
    }
    if let name = ValueName(text) { return name }
    reportNoValueName(text, at: item.node.place, item.path)
    return nil
  }

  private mutating func readInitial(_ section: Section) -> TriggerDefinition.Initial {
    guard let item = item("initial", of: section) else { return .no }
    switch item.node.value {
    case .bool(let isGiven): return isGiven ? .yes : .no
    case .string("if-changed"): return .ifChanged
    case .string(let text):
      report(
        "expected \(Self.initialForms), found \(Excerpt.quoting(text))", item,
        suggestion: Suggestion.nearest(to: text, among: ["if-changed"]))
    default: reportType(item, expected: Self.initialForms)
    }
    return .no
  }

  private static let initialForms = "true, false or \"if-changed\""

  /// `nil` if there is none, or if a number of it is wrong.
  private mutating func readThreshold(_ section: Section) -> Threshold? {
    let errorsBefore = errorCount
    let above = number("above", of: section)
    let below = number("below", of: section)
    let hysteresis = number("hysteresis", of: section)
    guard errorCount == errorsBefore, above != nil || below != nil || hysteresis != nil else { return nil }
    return Threshold(above: above, below: below, hysteresis: hysteresis ?? 0)
  }

  private mutating func readLoop(_ section: Section, _ meant: Set<String>) -> TriggerDefinition.Loop? {
    let errorsBefore = errorCount
    let isLooping = bool("loop", of: section) ?? false
    let isUnclear = errorCount > errorsBefore || (section.table["loop"] == nil && meant.contains("loop"))
    let loop = TriggerDefinition.Loop(
      every: duration("loop_every", of: section), limit: duration("loop_limit", of: section))
    if isLooping { return loop }
    for (key, interval) in [("loop_every", loop.every), ("loop_limit", loop.limit)] where !isUnclear {
      if interval != nil, let item = item(key, of: section) { report("needs loop = true", item) }
    }
    return nil
  }
}

/// Gives every trigger a unique name.
struct TriggerNames {
  /// Names, and where the file gives them; `nil` for those generated here.
  private var taken: [String: TOMLPlace?] = [:]
  /// The next number to try, so that a thousand triggers of one value need no thousand searches.
  private var nextNumber: [String: Int] = [:]

  /// Reserves a name; returns where the file gave it before, if it did.
  mutating func claim(_ name: String, at place: TOMLPlace) -> TOMLPlace? {
    if let earlier = taken[name] { return earlier }
    taken.updateValue(place, forKey: name)
    return nil
  }

  /// Reserves the first free one of `value`, `value-2`, `value-3` … All given names must be reserved before.
  mutating func generate(for value: String) -> String {
    var number = nextNumber[value] ?? 1
    var name = number == 1 ? value : "\(value)-\(number)"
    while taken.keys.contains(name) {
      number += 1
      name = "\(value)-\(number)"
    }
    nextNumber[value] = number + 1
    taken.updateValue(nil, forKey: name)
    return name
  }
}
