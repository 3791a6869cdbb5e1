import SoundTrigger
import SoundWire

extension ConfigurationReader {
  /// Names are not compared beyond this many values: a program has written such a configuration, and programs make no
  /// typing errors.
  private static let mostNames = 1000

  /// Finds what is valid and can never sound. Call it if there are no errors.
  ///
  /// `triggers` are in the order of the file.
  mutating func findWarnings(
    _ triggers: [TriggerDefinition], _ values: [ReadValue], _ patterns: [ReadPattern], _ configuration: Configuration,
    of top: Item
  ) {
    if triggers.isEmpty {
      return warn(
        .noTrigger,
        "there is no [[trigger]], so no change plays a sound: add one, such as the examples of 'soundd init' have",
        at: top.node.location, top.path)
    }
    let names = values.map(\.name)
    let kinds = Dictionary(values.map { ($0.name, $0.kind) }) { first, _ in first }
    var meant: Set<String> = []
    if names.count <= Self.mostNames {
      meant = warnOfMisspeltNames(in: top, known: Set(names), values, patterns, configuration.feeds)
    }
    let used = Set(configuration.used)
    let rules = triggers.flatMap(\.patterns)
    var unused: [(section: Item, name: String)] = []
    for value in values where !used.contains(value.name) && !meant.contains(value.name.description) {
      guard let section = value.section, !rules.contains(where: { $0.matches(value.name) }) else { continue }
      unused.append((section, value.name.description))
    }
    for pattern in patterns
    where !rules.contains(where: pattern.pattern.overlaps) && !used.contains(where: pattern.pattern.matches) {
      unused.append((pattern.section, pattern.pattern.description))
    }
    for (section, name) in unused {
      warn(
        .unused,
        "no trigger uses this value, so it plays nothing: add a [[trigger]] with value = \"\(name)\", or remove it",
        at: section.node.location, section.path)
    }
    warnOfGatesNeverTrue(in: top, kinds, patterns)
    let written = top["trigger"]?.items ?? []
    let declarations = Dictionary(values.map { ($0.name, $0.declaration) }) { first, _ in first }
    let doubles = warnOfDoubles(triggers, at: written, declarations)
    if triggers.count <= Self.mostNames {
      let more = warnOfDoublesInParts(triggers, at: written, declarations, besides: doubles)
      warnOfDoublesOfRecipes(configuration.triggers, at: written, besides: doubles.union(more))
    }
    for (section, trigger) in zip(written, triggers) {
      if let item = section["loop_limit"], trigger.settings.importance == .critical, trigger.loop?.realarm == nil {
        warn(
          .givesUp,
          "at its limit this critical alarm counts as acknowledged, though nobody did that: add 'realarm' to hear it again",
          at: item.node.location, item.path)
      }
      guard let item = section["debounce"], let text = try? item.node.string(), trigger.threshold != nil else {
        continue
      }
      let isNumber = trigger.values.contains { kinds[$0] == .number }
      if !isNumber, !trigger.patterns.contains(where: { patterns.watched($0)?.kind == .number }) { continue }
      warn(
        .neverStill,
        "a jittering number is never still, so this may never play: to ignore short peaks, write delay = \"\(text)\"",
        at: item.node.location, item.path)
    }
  }

  /// Warns of undeclared names that are close to a declared one. Returns the declared names that they probably mean.
  private mutating func warnOfMisspeltNames(
    in top: Item, known: Set<ValueName>, _ values: [ReadValue], _ patterns: [ReadPattern], _ feeds: [FeedDeclaration]
  ) -> Set<String> {
    let uses =
      (top["trigger"]?.items ?? []).flatMap { section in
        ["value", "cancel", "unless"].flatMap { section[$0]?.items ?? [] }
      }
      + values.compactMap { $0.section?["of"] }
    let candidates = values.map(\.name.description)
    var meant: Set<String> = []
    for use in uses {
      guard let name = try? use.node.valueName(prefixes), !known.contains(name),
        !feeds.contains(where: { $0.owns(name) }),
        !patterns.contains(where: { $0.pattern.matches(name) }),
        let near = Suggestion.nearest(to: name.description, among: candidates)
      else { continue }
      meant.insert(near)
      let section = ConfigurationPath.top.key("value").key(name.description)
      warn(
        .undeclared, "nothing declares '\(name)', so only clients can set it; if that is right, add [\(section)]",
        at: use.node.location, use.path, suggestion: near)
    }
    return meant
  }

  /// Warns of gates that are never true, because of their types.
  private mutating func warnOfGatesNeverTrue(
    in top: Item, _ kinds: [ValueName: ValueKind?], _ patterns: [ReadPattern]
  ) {
    let gates =
      (top["trigger"]?.items ?? []).flatMap { $0["unless"]?.items ?? [] }
      + ["quiet_while", "silent_while"].flatMap { top["profile"]?[$0]?.items ?? [] }
    for gate in gates {
      guard let name = try? gate.node.valueName(prefixes) else { continue }
      let pattern = patterns.filter { $0.pattern.matches(name) }.max {
        $0.pattern.prefix.count < $1.pattern.prefix.count
      }
      guard let kind = kinds[name] ?? pattern?.kind ?? .text, kind == .json || kind == .event else { continue }
      warn(
        .neverTrue,
        "'\(name)' is of type \"\(kind.rawValue)\", which is never true, so it silences nothing: name a bool, a number or a "
          + "text, such as a value with of = \"\(name)\" and 'equals'",
        at: gate.node.location, gate.path)
    }
  }

  /// Warns of a trigger that differs from an earlier one in its name alone, if that: a recipe beside another one for the same
  /// file, for example. Returns the locations of these triggers.
  private mutating func warnOfDoubles(
    _ triggers: [TriggerDefinition], at sections: [Item], _ declarations: [ValueName: ValueDeclaration?]
  ) -> Set<TOMLLocation> {
    var doubles: Set<TOMLLocation> = []
    struct Play: Hashable {
      var origins: Set<Origin>
      var trigger: TriggerDefinition
    }
    var firsts: [Play: TOMLLocation] = [:]
    for (section, trigger) in zip(sections, triggers) {
      var shared = trigger.patterns.map { "'\($0)'" }
      let origins = trigger.values.map { name in
        guard var source = declarations[name] ?? nil, case .file(let path, _, let aspect) = source.source else {
          shared.append("'\(name)'")
          return Origin(name: name)
        }
        // Two values may read one file.
        shared.append(path)
        source.name = Self.anyName
        source.source = .file(path: path, poll: nil, aspect: aspect)
        if trigger.when != .stale { source.expectEvery = nil }
        return Origin(name: Self.anyName, source: source)
      }
      var alike = trigger
      (alike.name, alike.values) = ("", [])
      let play = Play(origins: Set(origins), trigger: alike)
      if let first = firsts[play] {
        doubles.insert(section.node.location)
        warn(
          .double,
          "plays the same for the same changes of \(shared.joined(separator: ", ")) as the trigger at \(line(first, from: section)), "
            + "so you hear both: remove one of the two",
          at: section.node.location, section.path)
      } else {
        firsts[play] = section.node.location
      }
    }
    return doubles
  }

  /// Warns of triggers in two files that sound for the same change of one path, or of one base, under two names: of a recipe and
  /// something older, for example. Returns the locations of these triggers.
  private mutating func warnOfDoublesInParts(
    _ triggers: [TriggerDefinition], at sections: [Item], _ declarations: [ValueName: ValueDeclaration?],
    besides doubles: Set<TOMLLocation>
  ) -> Set<TOMLLocation> {
    var found: Set<TOMLLocation> = []
    /// What decides when a value changes, and what a message calls it.
    func origin(_ name: ValueName) -> (Origin, subject: String) {
      guard var value = declarations[name] ?? nil else { return (Origin(name: name), "'\(name)'") }
      // A copy changes whenever its base does.
      if let base = value.base, value.extraction == nil, value.comparison == nil { return origin(base) }
      guard case .file(let path, _, let aspect) = value.source else { return (Origin(name: name), "'\(name)'") }
      value.source = .file(path: path, poll: nil, aspect: aspect)
      (value.name, value.kind, value.trim, value.expectEvery) = (Self.anyName, .text, true, nil)
      return (Origin(name: Self.anyName, source: value), path)
    }
    var earlier: [Origin: [(name: ValueName, trigger: TriggerDefinition, location: TOMLLocation)]] = [:]
    for (section, trigger) in zip(sections, triggers) where !doubles.contains(section.node.location) {
      let location = section.node.location
      for name in trigger.values {
        let (origin, subject) = origin(name)
        let double = earlier[origin]?.first {
          $0.name != name && $0.location.file != location.file && $0.trigger.mayPlay(with: trigger)
        }
        earlier[origin, default: []].append((name, trigger, location))
        guard let double else { continue }
        warn(
          .double,
          "sounds for the same changes of \(subject) as the trigger at \(line(double.location, from: section)), so you hear "
            + "both: remove one of the two", at: location, section.path)
        found.insert(location)
        break
      }
    }
    return found
  }

  /// Where the changes of a value come from.
  private struct Origin: Hashable {
    var name: ValueName
    var source: ValueDeclaration?
  }

  private static let anyName = ValueName(literal: "any")

  /// Where the paths and commands of these values stand.
  func locations(ofPathsIn values: [ReadValue]) -> [ValueName: TOMLLocation] {
    var locations: [ValueName: TOMLLocation] = [:]
    for value in values {
      switch value.declaration?.source {
      case .file(_, _, let aspect): locations[value.name] = value.section?[aspect.rawValue]?.node.location
      case .command: locations[value.name] = value.section?["command"]?.node.location
      case .client, .feed, .derived, nil: break
      }
    }
    return locations
  }
}
