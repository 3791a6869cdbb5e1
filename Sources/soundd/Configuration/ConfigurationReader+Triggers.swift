import SoundTrigger

extension ConfigurationReader {
  /// Reads all `[[trigger]]`.
  mutating func readTriggers(of top: Section, kinds: ValueKinds) -> [TriggerDeclaration] {
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
      guard var trigger = readTrigger(section, kinds) else { continue }
      trigger.definition.name = name ?? names.makeUp(for: trigger.definition.value.description)
      triggers.append(trigger)
    }
    return triggers
  }

  /// The name that was given; all of them must be known before any is made up.
  private mutating func readName(_ section: Section, _ names: inout TriggerNames) -> String? {
    guard let item = item("name", of: section), let name = name(item) else { return nil }
    if let earlier = names.claim(name, at: item.node.place) {
      report("\(QuotedText.single(name)) is already the name of the trigger at line \(earlier.line)", item)
    }
    return name
  }

  /// The trigger, with the value's name for its own; `nil` if anything is wrong with it.
  private mutating func readTrigger(_ section: Section, _ kinds: ValueKinds) -> TriggerDeclaration? {
    let errorsBefore = errorCount
    let meant = checkKeys(of: section, .trigger)
    let value = readWatchedValue(section, meant)
    let kind = value.flatMap { kinds[$0] }
    let sounds = readSounds(section, kind, meant)
    let when = word("when", of: section, as: TriggerDefinition.Direction.self, unsupported: ["stale"])
    let from = readContents("from", of: section, kind)
    let to = readContents("to", of: section, kind)
    let threshold = readThreshold(section)
    let initial = readInitial(section)
    let debounce = duration("debounce", of: section)
    let throttle = duration("throttle", of: section)
    let settings = readPlaySettings(section)
    guard let value else { return nil }
    // What could not be read is left out, so that nothing more is said of it.
    let definition = TriggerDefinition(
      name: value.description, value: value, sound: sounds?.choice ?? .sound("none"), when: when ?? .change, from: from,
      to: to,
      threshold: threshold, initial: initial, debounce: debounce, throttle: throttle, settings: settings)
    for problem in kind.map(definition.problems) ?? [] {
      let item = item(problem.key, of: section)
      report(problem.message, at: item?.node.place ?? section.place, section.path.key(problem.key))
    }
    guard errorCount == errorsBefore, let sounds else { return nil }
    return TriggerDeclaration(definition: definition, place: section.place, soundPlaces: sounds.places)
  }

  private mutating func readWatchedValue(_ section: Section, _ meant: Set<String>) -> ValueName? {
    guard let item = item("value", of: section) else {
      if !meant.contains("value") { report("'value' is missing", at: section.place, section.path) }
      return nil
    }
    switch item.node.value {
    case .string(let text):
      if let name = ValueName(text) { return name }
      reportNoValueName(text, at: item.node.place, item.path)
    case .array:
      report("a list of values \(Self.unsupported)", item)
    default:
      reportType(item, expected: "a string")
    }
    return nil
  }

  private mutating func readInitial(_ section: Section) -> Bool {
    if let item = item("initial", of: section), case .string("if-changed") = item.node.value {
      report("\"if-changed\" \(Self.unsupported)", item)
      return false
    }
    return bool("initial", of: section) ?? false
  }

  /// `nil` if there is none, or if a number of it is wrong.
  private mutating func readThreshold(_ section: Section) -> Threshold? {
    let errorsBefore = errorCount
    let above = number("above", of: section)
    let below = number("below", of: section)
    let hysteresis = number("hysteresis", of: section)
    guard errorCount == errorsBefore, above != nil || below != nil || hysteresis != nil else { return nil }
    return Threshold(above: above, below: below, hysteresis: hysteresis ?? 0)
  }
}
