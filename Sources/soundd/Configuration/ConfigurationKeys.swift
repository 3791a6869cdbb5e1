/// The keys that one table of the configuration may have.
struct ConfigurationKeys: Sendable {
  /// What this version reads.
  let supported: [String]
  /// What the configuration format has and this version does not: to be refused, never to be overlooked.
  let unsupported: [String]

  /// All keys, for suggestions.
  var all: [String] { supported + unsupported }

  static let top = ConfigurationKeys(
    supported: ["output", "limits", "profile", "value", "trigger", "sounds"], unsupported: [])
  static let output = ConfigurationKeys(
    supported: ["device", "rate", "channels", "latency", "keep_open"], unsupported: [])
  static let limits = ConfigurationKeys(supported: ["values", "voices", "sound_seconds"], unsupported: [])
  static let profile = ConfigurationKeys(supported: ["quiet_hours"], unsupported: [])
  static let sounds = ConfigurationKeys(supported: [], unsupported: ["theme"])
  static let value = ConfigurationKeys(
    supported: [
      "file", "lines", "count", "exists", "fifo", "poll", "of", "type", "trim", "json", "match", "equals", "above",
      "below", "expect_every",
    ],
    unsupported: [])
  static let trigger = ConfigurationKeys(
    supported: [
      "name", "value", "sound", "pick", "sounds", "when", "from", "to", "above", "below", "hysteresis", "matches",
      "initial", "debounce", "delay", "throttle", "cancel", "overlap", "loop", "loop_every", "loop_limit", "importance",
      "volume", "pan", "fade_in", "fade_out", "fresh",
    ],
    unsupported: [])
}
