import SoundTrigger

/// Alarms, and the values that silence triggers.
extension ConfigurationReader {
  /// The keys that only an alarm has.
  private static let alarmKeys = ["loop_limit", "latch", "off_delay", "realarm", "escalate"]

  /// Reads how an alarm sounds; `nil` if the trigger has neither `loop` nor `loop_every`.
  mutating func readLoop(_ section: Item, _ meant: Set<String>) -> TriggerDefinition.Loop? {
    let errorsBefore = errorCount
    let isLooping = read("loop", of: section) { try $0.bool() }
    let loop = TriggerDefinition.Loop(
      every: section["loop_every"].map { items($0, "duration") }?.compactMap { read($0) { try $0.duration() } } ?? [],
      limit: duration("loop_limit", of: section), latch: read("latch", of: section) { try $0.bool() } ?? false,
      offDelay: duration("off_delay", of: section), realarm: duration("realarm", of: section),
      escalation: section["escalate"].map { items($0, "step") }?.compactMap { readStep($0) } ?? [])
    if errorCount > errorsBefore { return nil }
    if isLooping ?? (section["loop"] == nil && section["loop_every"] != nil) { return loop }
    // A `loop` that is wrong or misspelt is reported already.
    if isLooping == nil, section["loop"] != nil || !meant.isDisjoint(with: ["loop", "loop_every"]) { return nil }
    for key in ["loop_every"] + Self.alarmKeys where key != "latch" || loop.latch {
      report("needs loop = true", at: key, of: section)
    }
    return nil
  }

  /// Reads a step of `escalate`; `nil` if anything is wrong with it.
  private mutating func readStep(_ item: Item) -> TriggerDefinition.Escalation? {
    let errorsBefore = errorCount
    guard let step = table(item) else { return nil }
    let meant = checkKeys(of: step, ["after", "volume", "sound", "importance"])
    if step["after"] == nil, !meant.contains("after") { report("'after' is missing", step) }
    let escalation = TriggerDefinition.Escalation(
      after: duration("after", of: step) ?? .zero, volume: read("volume", of: step) { try $0.volume() },
      sound: step["sound"].flatMap { soundName($0) },
      importance: read("importance", of: step) { try $0.word(PlaySettings.Importance.self) })
    return errorCount == errorsBefore ? escalation : nil
  }

  /// Reads all `[group.NAME]`.
  mutating func readGroups(of top: Item) -> [String: TriggerDefinition.Group] {
    guard let groups = table("group", of: top) else { return [:] }
    var found: [String: TriggerDefinition.Group] = [:]
    for entry in groups.entries {
      guard let section = table(Item(node: entry.node, path: groups.path.key(entry.key))) else { continue }
      checkKeys(of: section, Self.groupKeys)
      var group = TriggerDefinition.Group(name: entry.key)
      group.within =
        read("within", of: section) { try $0.duration(in: TriggerDefinition.Group.windows) } ?? group.within
      group.sound = section["sound"].flatMap { soundName($0) }
      found[entry.key] = group
    }
    return found
  }

  /// Reads one value or a list of values that silence something while one of them is true.
  mutating func readGates(_ key: String, of section: Item) -> [ValueName] {
    guard let item = section[key] else { return [] }
    var names: [ValueName] = []
    for item in items(item, "value") {
      guard let name = readName(item) else { continue }
      if names.contains(name) { report("\(Excerpt.quoting(name.description)) is in the list already", item) }
      names.append(name)
    }
    return names
  }
}
