import SoundTrigger

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
      report("expected \(VolumeText.expected), found \(QuotedText.single(text))", item)
    default: reportType(item, expected: VolumeText.expected)
    }
    return nil
  }
}
