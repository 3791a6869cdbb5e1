import ArgumentParser
import SoundTrigger
import SoundWire

/// How a trigger's sound is played: the keys of a configuration as options.
struct PlaySettingsOptions: ParsableArguments {
  // A negative number is a value, not an option.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How loud: '-6 dB', or a factor of 0 to 1 (default: 0 dB).", valueName: "level"),
    transform: OptionText.volume)
  var volume: Double?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where: -1 (left) to 1 (right) (default: 0).", valueName: "number"))
  var pan: Double?
  @Option(
    help: ArgumentHelp("How long the sound fades in (default: 0 ms).", valueName: "time"),
    transform: OptionText.duration)
  var fadeIn: Duration?
  @Option(
    help: ArgumentHelp("How long it fades out when it is stopped (default: 10 ms).", valueName: "time"),
    transform: OptionText.duration)
  var fadeOut: Duration?
  @Option(help: "low, normal, high or critical: the least important sounds end first when too many play.")
  var importance = PlaySettings.Importance.normal

  var settings: PlaySettings {
    var settings = PlaySettings(importance: importance)
    settings.volume = volume ?? settings.volume
    settings.pan = pan ?? settings.pan
    settings.fadeIn = fadeIn ?? settings.fadeIn
    settings.fadeOut = fadeOut ?? settings.fadeOut
    return settings
  }
}

extension PlaySettings.Importance: ExpressibleByArgument {}

/// Texts of options that are written as in the configuration. The errors show how.
enum OptionText {
  @Sendable static func duration(_ text: String) throws -> Duration {
    if let duration = DurationText.duration(text) { return duration }
    let near = Suggestion.question(DurationText.suggestion(for: text))
    throw ValidationError("a time is \(DurationText.examples)\(near)")
  }

  /// A factor.
  @Sendable static func volume(_ text: String) throws -> Double {
    if let factor = VolumeText.factor(text) { return factor }
    throw ValidationError("expected \(VolumeText.expected)\(Suggestion.question(VolumeText.suggestion(for: text)))")
  }
}
