import SoundTrigger

extension ConfigurationReader {
  /// What a trigger plays, and where that is written.
  struct ReadSounds {
    var choice: SoundChoice
    var places: [String: TOMLPlace] = [:]
  }

  /// Reads `sound` or `sounds`; `nil` if anything about them is wrong.
  mutating func readSounds(_ section: Section, _ kind: ValueKind?, _ meant: Set<String>) -> ReadSounds? {
    switch (item("sound", of: section), item("sounds", of: section)) {
    case (nil, nil):
      if meant.isDisjoint(with: ["sound", "sounds"]) {
        report("'sound' or 'sounds' is missing", at: section.place, section.path)
      }
      return nil
    case (let single?, nil):
      return singleSound(single).map { ReadSounds(choice: .sound($0), places: [$0: single.node.place]) }
    case (nil, let several?):
      return table(several).flatMap { readSoundTable($0, kind) }
    case (let single?, let several?):
      let second = max(single.node.place, several.node.place) == single.node.place ? single : several
      report("'sound' and 'sounds' exclude each other", second)
      _ = singleSound(single)
      _ = table(several).flatMap { readSoundTable($0, kind) }
      return nil
    }
  }

  private mutating func singleSound(_ item: Item) -> String? {
    if case .array = item.node.value {
      report("a list of sounds \(Self.unsupported)", item)
      return nil
    }
    return soundName(item)
  }

  private mutating func readSoundTable(_ section: Section, _ kind: ValueKind?) -> ReadSounds? {
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
      } else if let kind {
        guard let value = content(entry.key, kind, at: entry.keyPlace, item.path) else { continue }
        if let earlier = keys.updateValue(entry, forKey: value) {
          report(
            "is the same value as \(QuotedText.single(earlier.key)) (line \(earlier.keyPlace.line))",
            at: entry.keyPlace, item.path)
        }
        table[value] = sound
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
    guard let text = name(item) else { return nil }
    guard text.utf8.contains(UInt8(ascii: "/")) else { return text }
    do {
      return try paths.file(text)
    } catch {
      report(error.message, item, suggestion: error.suggestion)
      return nil
    }
  }
}
