import SoundTrigger

extension ConfigurationReader {
  /// Reads `[output]`.
  mutating func readOutput(of top: Section) -> OutputSettings {
    var settings = OutputSettings()
    guard let output = section("output", of: top) else { return settings }
    checkKeys(of: output, .output)
    settings.device = item("device", of: output).flatMap { name($0) } ?? settings.device
    settings.rate = integer("rate", of: output, in: OutputSettings.rates)
    settings.channels = integer("channels", of: output, in: OutputSettings.channelCounts) ?? settings.channels
    settings.latency = duration("latency", of: output, in: OutputSettings.latencies) ?? settings.latency
    settings.keepOpen = keepOpen(of: output) ?? settings.keepOpen
    return settings
  }

  /// A duration, `"always"` or `"never"`.
  private mutating func keepOpen(of output: Section) -> OutputSettings.KeepOpen? {
    guard let item = item("keep_open", of: output) else { return nil }
    switch item.node.value {
    case .string("always"): return .always
    case .string("never"): return .atMost(.zero)
    case .string(let text):
      if DurationText.duration(text) != nil {
        return duration("keep_open", of: output, in: OutputSettings.keepOpenTimes).map { .atMost($0) }
      }
      report("expected \(Self.keepOpenForms), found \(Excerpt.quoting(text))", item)
    default: reportType(item, expected: Self.keepOpenForms)
    }
    return nil
  }

  private static let keepOpenForms = "'always', 'never' or a duration such as \(DurationText.examples)"

  /// Reads `[profile]`.
  mutating func readQuietHours(of top: Section) -> QuietHours? {
    guard let profile = section("profile", of: top) else { return nil }
    checkKeys(of: profile, .profile)
    guard let item = item("quiet_hours", of: profile) else { return nil }
    guard case .string(let text) = item.node.value else {
      reportType(item, expected: "a string such as \"22:00-07:00\"")
      return nil
    }
    do throws(QuietHours.Problem) {
      return try QuietHours(text)
    } catch {
      report(error.message, item)
      return nil
    }
  }

  /// Reads `[limits]`.
  mutating func readLimits(of top: Section) -> LimitSettings {
    var settings = LimitSettings()
    guard let limits = section("limits", of: top) else { return settings }
    checkKeys(of: limits, .limits)
    settings.values = integer("values", of: limits, in: LimitSettings.valueCounts) ?? settings.values
    settings.voices = integer("voices", of: limits, in: LimitSettings.voiceCounts) ?? settings.voices
    settings.soundSeconds =
      integer("sound_seconds", of: limits, in: LimitSettings.soundLengths) ?? settings.soundSeconds
    return settings
  }
}
