import SoundTrigger
import SoundWire

extension ConfigurationReader {
  /// Warns of a trigger in a recipe's part and one elsewhere that sound for the same change of a value, by its name or by a pattern:
  /// often the recipe does what its user had written before. Within one file, two triggers are a choice of their writer.
  mutating func warnOfDoublesOfRecipes(
    _ triggers: [TriggerDeclaration], at sections: [Item], besides doubles: Set<TOMLLocation>
  ) {
    let recipes = Set(source.texts.compactMap { file, text in file.flatMap { Self.isRecipe($0, text) ? $0 : nil } })
    if recipes.isEmpty { return }
    for (index, trigger) in triggers.enumerated() where !doubles.contains(trigger.location) && !Self.speaks(trigger) {
      let double = triggers[..<index].first { other in
        other.location.file != trigger.location.file
          && [other, trigger].contains { $0.location.file.map(recipes.contains) ?? false } && !Self.speaks(other)
          && Self.subject(of: trigger.definition, and: other.definition) != nil
          && other.definition.overlaps(trigger.definition)
      }
      guard let double, index < sections.count else { continue }
      let (section, subject) = (sections[index], Self.subject(of: trigger.definition, and: double.definition) ?? "")
      warn(
        .double,
        "sounds for the same changes of '\(subject)' as the trigger at \(line(double.location, from: section)), so you "
          + "hear both: remove one of the two", at: trigger.location, section.path)
    }
  }

  /// Whether a part is what `soundd add` has written, or made from that.
  private static func isRecipe(_ file: String, _ text: [UInt8]) -> Bool {
    let name = FilePathText.name(of: file)
    return name.hasSuffix(".toml")
      && Recipe.isRecipe(String(decoding: text, as: UTF8.self), name: String(name.dropLast(5)))
  }

  /// Whether a trigger says something and plays no sound: words complete the sound of another trigger.
  private static func speaks(_ trigger: TriggerDeclaration) -> Bool { trigger.say?.isAlone ?? false }

  /// A name or a pattern of which both triggers watch values; `nil` if there is none.
  private static func subject(of trigger: TriggerDefinition, and other: TriggerDefinition) -> String? {
    let names = trigger.values.first { name in
      other.values.contains(name) || other.patterns.contains { $0.matches(name) }
    }
    if let names { return names.description }
    if let name = other.values.first(where: { name in trigger.patterns.contains { $0.matches(name) } }) {
      return name.description
    }
    return trigger.patterns.first { other.patterns.contains(where: $0.overlaps) }?.description
  }
}
