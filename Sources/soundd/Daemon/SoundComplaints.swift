import SoundTrigger

/// Messages about the sounds of triggers, each with the place in the configuration that names the sound.
extension LoadedSounds {
  /// What is wrong with the sounds of the triggers. `names` restricts it to some sounds.
  func complaints(_ configuration: Configuration, file: String?, about names: Set<String>? = nil) -> [String] {
    Self.messages(configuration, file: file, about: names) { problem(of: $0)?.description }
  }

  /// `FILE:LINE:COLUMN: trigger 'NAME': TEXT` for each sound of a trigger that has a text.
  static func messages(
    _ configuration: Configuration, file: String?, about names: Set<String>?, text: (String) -> String?
  ) -> [String] {
    var messages: [String] = []
    for trigger in configuration.triggers {
      for name in trigger.definition.sound.names where names?.contains(name) ?? true {
        guard let text = text(name) else { continue }
        let place = trigger.soundPlaces[name] ?? trigger.place
        let prefix = file.map { "\($0):\(place): " } ?? ""
        messages.append("\(prefix)trigger '\(trigger.definition.name)': \(text)")
      }
    }
    return messages
  }
}
