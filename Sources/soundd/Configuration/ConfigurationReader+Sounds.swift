import SoundTrigger

extension ConfigurationReader {
  /// What a trigger plays, and the places of its sounds in the file.
  struct ReadSounds {
    var choice: SoundChoice
    var places: [String: TOMLPlace] = [:]
  }

  /// Reads `sound` and `pick`, or `sounds`; `nil` if anything about them is wrong.
  mutating func readSounds(_ section: Section, _ kinds: [ValueKind], _ meant: Set<String>) -> ReadSounds? {
    let errorsBefore = errorCount
    let single = item("sound", of: section)
    let several = item("sounds", of: section)
    var sounds: ReadSounds?
    if let single { sounds = readSound(single, section, meant) }
    if let several {
      sounds = table(several).flatMap { readSoundTable($0, kinds) }
      if let pick = item("pick", of: section), single == nil { report(Self.pickNeedsList, pick) }
    }
    if let single, let several {
      let second = max(single.node.place, several.node.place) == single.node.place ? single : several
      report("'sound' and 'sounds' exclude each other", second)
    } else if single == nil, several == nil, meant.isDisjoint(with: ["sound", "sounds"]) {
      report("'sound' or 'sounds' is missing", at: section.place, section.path)
    }
    return errorCount == errorsBefore ? sounds : nil
  }

  private static let pickNeedsList = "needs a list to pick from, such as sound = [\"press\", \"release\"]"

  /// Reads one sound, or a list and how to pick from it.
  private mutating func readSound(_ item: Item, _ section: Section, _ meant: Set<String>) -> ReadSounds? {
    guard case .array(let nodes) = item.node.value else {
      if let pick = self.item("pick", of: section) { report(Self.pickNeedsList, pick) }
      return soundName(item).map { ReadSounds(choice: .sound($0), places: [$0: item.node.place]) }
    }
    if nodes.isEmpty { report("expected at least one sound, found an empty array", item) }
    var names: [String] = []
    var places: [String: TOMLPlace] = [:]
    for (index, node) in nodes.enumerated() {
      guard let name = soundName(Item(node: node, path: item.path.item(index))) else { continue }
      names.append(name)
      if places[name] == nil { places[name] = node.place }
    }
    let pick = word("pick", of: section, as: SoundChoice.Pick.self)
    if section.table["pick"] == nil, !meant.contains("pick") {
      report("a list of sounds needs pick = \"random\" or pick = \"cycle\"", item)
    }
    return pick.map { ReadSounds(choice: .list(names, $0), places: places) }
  }

  private mutating func readSoundTable(_ section: Section, _ kinds: [ValueKind]) -> ReadSounds? {
    let errorsBefore = errorCount
    var table: [Value: String] = [:]
    var keys: [Value: TOMLTable.Entry] = [:]
    var otherwise: String?
    var places: [String: TOMLPlace] = [:]
    for entry in section.table.entries {
      let item = Item(node: entry.node, path: section.path.key(entry.key))
      let sound = soundName(item)
      if let sound, places[sound] == nil { places[sound] = entry.node.place }
      if entry.key == "*" {
        otherwise = sound
      } else if !kinds.isEmpty {
        let values = contents(entry.key, kinds, at: entry.keyPlace, item.path)
        if let earlier = values.lazy.compactMap({ keys[$0] }).first {
          report(
            "is the same value as \(Excerpt.quoting(earlier.key)) (line \(earlier.keyPlace.line))",
            at: entry.keyPlace, item.path)
        }
        for value in values {
          keys[value] = entry
          table[value] = sound
        }
      }
    }
    if section.table.entries.isEmpty {
      report("expected at least one sound, found an empty table", at: section.place, section.path)
    }
    guard errorCount == errorsBefore else { return nil }
    return ReadSounds(choice: .table(table, otherwise: otherwise), places: places)
  }

  /// The name of a sound, or the absolute path of one that was given as a path.
  private mutating func soundName(_ item: Item) -> String? {
    guard var text = name(item) else { return nil }
    if text.utf8.contains(UInt8(ascii: "/")) {
      do {
        text = try paths.file(text)
      } catch {
        report(error.message, item, suggestion: error.suggestion)
        return nil
      }
    }
    sounds.append(ConfigurationDraft.NamedSound(name: text, place: item.node.place, path: item.path))
    return text
  }
}

extension ConfigurationReader {
  /// Reads how a trigger's sounds are played; what is missing or wrong has its default.
  mutating func readPlaySettings(_ section: Section) -> PlaySettings {
    var settings = PlaySettings()
    settings.volume = volume("volume", of: section) ?? settings.volume
    settings.pan = number("pan", of: section) ?? settings.pan
    settings.fadeIn = duration("fade_in", of: section) ?? settings.fadeIn
    settings.fadeOut = duration("fade_out", of: section) ?? settings.fadeOut
    settings.importance = word("importance", of: section, as: PlaySettings.Importance.self) ?? settings.importance
    return settings
  }

  /// A level or a factor, as a factor; its range is not checked.
  private mutating func volume(_ key: String, of section: Section) -> Double? {
    guard let item = item(key, of: section) else { return nil }
    switch item.node.value {
    case .integer, .float: return number(item)
    case .string(let text):
      if let factor = VolumeText.factor(text) { return factor }
      report("expected \(VolumeText.expected), found \(Excerpt.quoting(text))", item)
    default: reportType(item, expected: VolumeText.expected)
    }
    return nil
  }
}
