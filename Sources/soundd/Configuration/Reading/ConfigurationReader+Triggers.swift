import Glibc
import SoundTrigger

extension ConfigurationReader {
  static let triggerKeys = [
    "name", "value", "sound", "pick", "sounds", "when", "from", "to", "above", "below", "hysteresis", "matches",
    "initial", "debounce", "delay", "throttle", "cancel", "overlap", "loop", "loop_every", "loop_limit", "latch",
    "off_delay", "realarm", "escalate", "unless", "group", "importance", "volume", "pan", "map", "say", "spread",
    "fade_in",
    "fade_out", "fresh",
  ]
  /// The keys of the conditions that may hold for a while.
  private static let conditionKeys: Set = ["when", "to", "above", "below", "matches"]

  /// Reads all `[[trigger]]`; `values` are those that the file declares.
  mutating func readTriggers(
    of top: Item, _ values: [ReadValue], _ patterns: [ReadPattern] = [], feeds: [FeedDeclaration] = []
  ) -> [TriggerDeclaration] {
    let sections = tables("trigger", of: top)
    let groups = readGroups(of: top)
    // All given names must be known before others are generated.
    let names = readNames(of: sections)
    var taken = Set(names.compactMap { $0 })
    var numbers: [String: Int] = [:]
    let watched = Dictionary(values.map { ($0.name, $0.watched) }) { first, _ in first }
    // What nothing declares is text, and may be a feed's.
    let known = { (name: ValueName) -> WatchedValue? in
      if let declared = watched[name] { return declared }
      let isFed = feeds.contains { $0.owns(name) }
      return patterns.watched(ValuePattern(exactly: name)).map {
        WatchedValue(name, $0.kind, isExpected: $0.isExpected || isFed)
      }
    }
    let knownPattern = { (pattern: ValuePattern) -> WatchedValue? in patterns.watched(pattern, feeds) }
    return zip(sections, names).compactMap { section, name in
      guard var trigger = readTrigger(section, known, knownPattern, groups) else { return nil }
      let value = trigger.definition.name
      // Otherwise the first free one of `value`, `value-2`, `value-3` …
      var free = name
      while free == nil {
        let number = (numbers[value] ?? 0) + 1
        numbers[value] = number
        let next = number == 1 ? value : "\(value)-\(number)"
        if taken.insert(next).inserted { free = next }
      }
      trigger.definition.name = free ?? value
      return trigger
    }
  }

  /// The name that each trigger is given; `nil` if it has none of its own.
  private mutating func readNames(of sections: [Item]) -> [String?] {
    var locations: [String: TOMLLocation] = [:]
    return sections.map { section in
      guard let item = section["name"], let name = read(item, { try $0.triggerName() }) else { return nil }
      if let earlier = locations[name] {
        report("\(Excerpt.quoting(name)) is already the name of the trigger at \(line(earlier, from: item))", item)
      } else {
        locations[name] = item.node.location
      }
      return name
    }
  }

  /// The trigger, named after its value; `nil` if anything is wrong with it.
  ///
  /// `known` returns what is known of a value, `nil` if its type is wrong.
  private mutating func readTrigger(
    _ section: Item, _ known: (ValueName) -> WatchedValue?, _ knownPattern: (ValuePattern) -> WatchedValue?,
    _ groups: [String: TriggerDefinition.Group]
  ) -> TriggerDeclaration? {
    let errorsBefore = errorCount
    let soundsBefore = sounds.count
    let meant = checkKeys(of: section, Self.triggerKeys)
    let (values, patterns) = readWatched(section, meant) ?? ([], [])
    // Empty if the type of one is not known.
    var watched = values.compactMap(known) + patterns.compactMap(knownPattern)
    if watched.count < values.count + patterns.count { watched = [] }
    let kinds = watched.map(\.kind)
    let say = readSay(section)
    let choice = readSounds(section, kinds, meant) ?? say.map { .sound($0.sound) }
    let errorsBeforeConditions = errorCount
    let source = source
    // Leaves out what could not be read, so that it causes no further errors.
    var definition = TriggerDefinition(
      name: (try? section["value"]?.items.first?.node.string()) ?? "", values: values, sound: choice ?? .sound("none"),
      when: read("when", of: section) { try $0.word(TriggerDefinition.Direction.self) } ?? .change,
      from: readContents("from", of: section, kinds), to: readContents("to", of: section, kinds),
      threshold: readThreshold(section), matches: read("matches", of: section) { try $0.pattern(source) })
    let hasConditions = errorCount == errorsBeforeConditions && meant.isDisjoint(with: Self.conditionKeys)
    definition.patterns = patterns
    definition.timing.debounce = duration("debounce", of: section)
    definition.timing.throttle = duration("throttle", of: section)
    definition.timing.delay = duration("delay", of: section)
    definition.cancel = section["cancel"].flatMap { readName($0) }
    definition.unless = readGates("unless", of: section)
    definition.group = readGroup(section, groups)
    if say?.isAlone == true, let group = definition.group, group.sound == nil {
      report(
        "[group.\(group.name)] needs a 'sound', because what it holds back is not spoken", at: "group", of: section)
    }
    definition.timing.overlap =
      read("overlap", of: section) { try $0.word(TriggerDefinition.Overlap.self) } ?? definition.timing.overlap
    definition.loop = readLoop(section, meant)
    if say?.isAlone == true, definition.loop != nil {
      report("an alarm needs a 'sound' beside it, because it speaks only once", at: "say", of: section)
    }
    definition.initial = definition.initial(wish: read("initial", of: section) { try $0.initial() })
    definition.timing.fresh = duration("fresh", of: section) ?? definition.timing.fresh
    definition.settings = readPlaySettings(section)
    definition.mappings = readMappings(section)
    if watched.isEmpty { return nil }
    for problem in definition.problems(watching: watched) {
      // What is misspelt may be what is missing.
      if problem.key == "loop", !hasConditions { continue }
      if problem.key == "hysteresis", !meant.isDisjoint(with: ["above", "below"]) { continue }
      // `loop_every` makes an alarm, too.
      let key = problem.key == "loop" && section["loop"] == nil ? "loop_every" : problem.key
      report(problem.message, at: section[key]?.node.location ?? section.node.location, section.path.key(key))
    }
    guard errorCount == errorsBefore else { return nil }
    let locations = Dictionary(sounds[soundsBefore...].map { ($0.name, $0.location) }) { first, _ in first }
    return TriggerDeclaration(
      definition: definition, location: section.node.location, say: say, soundLocations: locations)
  }

  private mutating func readGroup(
    _ section: Item, _ groups: [String: TriggerDefinition.Group]
  ) -> TriggerDefinition.Group? {
    guard let name = read("group", of: section, { try $0.string("the name of a [group.NAME]") }) else { return nil }
    if let item = section["group"], groups[name] == nil {
      let near = Suggestion.nearest(to: name, among: groups.keys.sorted())
      report("there is no [group.\(name)]", at: item.node.location, item.path, suggestion: near)
    }
    return groups[name]
  }

  mutating func duration(_ key: String, of section: Item) -> Duration? {
    read(key, of: section) { try $0.duration() }
  }

  // MARK: Conditions

  /// Reads `from` or `to`: one content or a list, as contents of each of these kinds that they fit.
  ///
  /// Empty if there are no kinds, or if anything is wrong with the list.
  private mutating func readContents(_ key: String, of section: Item, _ kinds: [ValueKind]) -> [Value] {
    guard !kinds.isEmpty, let item = section[key] else { return [] }
    let errorsBefore = errorCount
    let contents = items(item, "value").flatMap { read($0) { try $0.contents(kinds) } ?? [] }
    return errorCount == errorsBefore ? contents : []
  }

  /// `nil` if there is none, or if a number of it is wrong.
  private mutating func readThreshold(_ section: Item) -> Threshold? {
    let errorsBefore = errorCount
    let above = read("above", of: section) { try $0.number() }
    let below = read("below", of: section) { try $0.number() }
    let hysteresis = read("hysteresis", of: section) { try $0.number() }
    guard errorCount == errorsBefore, above != nil || below != nil || hysteresis != nil else { return nil }
    return Threshold(above: above, below: below, hysteresis: hysteresis ?? 0)
  }

  // MARK: Sounds

  /// Reads `sound` and `pick`, or `sounds`; `nil` if anything about them is wrong.
  private mutating func readSounds(_ section: Item, _ kinds: [ValueKind], _ meant: Set<String>) -> SoundChoice? {
    let errorsBefore = errorCount
    let (single, several) = (section["sound"], section["sounds"])
    var choice: SoundChoice?
    if let single { choice = readSound(single, section) }
    if let several {
      choice = table(several).map { readSoundTable($0, kinds) }
      if single == nil { report(Self.pickNeedsList, at: "pick", of: section) }
    }
    if let single, let several {
      report(
        "'sound' and 'sounds' exclude each other", single.node.location > several.node.location ? single : several)
    } else if single == nil, several == nil, section["say"] == nil, meant.isDisjoint(with: ["sound", "sounds", "say"]) {
      report("'sound', 'sounds' or 'say' is missing", section)
    }
    return errorCount == errorsBefore ? choice : nil
  }

  private static let pickNeedsList = "needs a list to pick from, such as sound = [\"press\", \"release\"]"

  /// Reads one sound, or a list and how to pick from it.
  private mutating func readSound(_ item: Item, _ section: Item) -> SoundChoice? {
    let names = items(item, "sound").compactMap { soundName($0) }
    guard case .array = item.node.value else {
      report(Self.pickNeedsList, at: "pick", of: section)
      return names.first.map { .sound($0) }
    }
    let pick = read("pick", of: section) { try $0.word(SoundChoice.Pick.self) }
    return .list(names, pick ?? .random)
  }

  private mutating func readSoundTable(_ section: Item, _ kinds: [ValueKind]) -> SoundChoice {
    var table: [Value: String] = [:]
    var keys: [Value: TOMLTable.Entry] = [:]
    var otherwise: String?
    for entry in section.entries {
      let path = section.path.key(entry.key)
      let sound = soundName(Item(node: entry.node, path: path))
      if entry.key == "*" {
        otherwise = sound
      } else if !kinds.isEmpty {
        let key = Item(node: entry.keyNode, path: path)
        let values = read(key) { try $0.contents(kinds) } ?? []
        if let earlier = values.lazy.compactMap({ keys[$0] }).first {
          report("is the same value as \(Excerpt.quoting(earlier.key)) (line \(earlier.keyLocation.line))", key)
        }
        for value in values {
          keys[value] = entry
          table[value] = sound
        }
      }
    }
    if section.entries.isEmpty { report("expected at least one sound, found an empty table", section) }
    return .table(table, otherwise: otherwise)
  }

  /// The name of a sound, or the absolute path of one that was given as a path.
  mutating func soundName(_ item: Item) -> String? {
    let paths = paths
    let name = read(item) { node in
      let text = try node.name()
      if text.hasPrefix(Tone.prefix), Tone(text) == nil {
        throw SettingProblem("expected a tone as \(Tone.form), found \(Excerpt.quoting(text))")
      }
      if text.hasPrefix(SoundPack.prefix), SoundPack.parts(of: text) == nil {
        throw SettingProblem("expected \"pack:NAME/CATEGORY\", found \(Excerpt.quoting(text))")
      }
      if text.hasPrefix(Speech.prefix) {
        throw SettingProblem("expected a sound, found \(Excerpt.quoting(text)); to speak, write say = \"...\" instead")
      }
      return SoundLocator.isPath(text) ? try paths.file(text) : text
    }
    guard let name else { return nil }
    sounds.append(ConfigurationDraft.NamedSound(name: name, location: item.node.location, path: item.path))
    return name
  }

  private mutating func readSay(_ section: Item) -> SpeechText? {
    guard let item = section["say"] else { return nil }
    let isAlone = section["sound"] == nil && section["sounds"] == nil
    let template = read(item) { node in
      let text = try node.string()
      if let problem = SpeechText.problem(text) { throw SettingProblem(problem) }
      return text
    }
    guard let template else { return nil }
    let say = SpeechText(template: template, isAlone: isAlone)
    sounds.append(ConfigurationDraft.NamedSound(name: say.sound, location: item.node.location, path: item.path))
    return say
  }

  /// Reads how a trigger's sounds are played; what is missing or wrong has its default.
  private mutating func readPlaySettings(_ section: Item) -> PlaySettings {
    var settings = PlaySettings()
    settings.volume = read("volume", of: section) { try $0.volume() } ?? settings.volume
    settings.spread = read("spread", of: section) { try $0.bool() } ?? settings.spread
    settings.pan = read("pan", of: section) { try $0.number() } ?? settings.pan
    settings.fadeIn = duration("fade_in", of: section) ?? settings.fadeIn
    settings.fadeOut = duration("fade_out", of: section) ?? settings.fadeOut
    settings.importance =
      read("importance", of: section) { try $0.word(PlaySettings.Importance.self) } ?? settings.importance
    return settings
  }

  private mutating func readMappings(_ section: Item) -> [Mapping] {
    guard let map = table("map", of: section) else { return [] }
    checkKeys(of: map, Mapping.Target.allCases.map(\.rawValue))
    return Mapping.Target.allCases.compactMap { target in
      guard let part = table(target.rawValue, of: map) else { return nil }
      checkKeys(of: part, ["from", "to", "of", "curve"])
      for key in ["from", "to"] where part[key] == nil { report("'\(key)' is missing", part) }
      let from = read("from", of: part) { try $0.ends { node throws(SettingProblem) in try node.number() } }
      let to = read("to", of: part) { node in
        try node.ends { end throws(SettingProblem) in
          switch target {
          case .pitch: try end.semitones()
          case .volume: max(Mapping.silence, 20 * log10(try end.volume()))
          case .pan: try end.number()
          }
        }
      }
      let source = read("of", of: part) { try $0.word(Mapping.Source.self) } ?? .value
      let curve = read("curve", of: part) { try $0.word(Mapping.Curve.self) } ?? .linear
      guard let from, let to else { return nil }
      return Mapping(target, from: from, to: to, of: source, curve: curve)
    }
  }
}
