/// The keys that one table of the configuration may have.
struct ConfigurationKeys: Sendable {
  /// What this version reads.
  let supported: [String]
  /// What the configuration format has and this version does not: to be refused, never to be overlooked.
  let unsupported: [String]

  /// All keys, for suggestions.
  var all: [String] { supported + unsupported }

  static let top = ConfigurationKeys(
    supported: ["output", "limits", "value", "trigger", "sounds"], unsupported: ["profile"])
  static let output = ConfigurationKeys(
    supported: ["device", "rate", "channels", "latency", "keep_open"], unsupported: [])
  static let limits = ConfigurationKeys(supported: ["values", "voices", "sound_seconds"], unsupported: [])
  static let sounds = ConfigurationKeys(supported: [], unsupported: ["theme"])
  static let value = ConfigurationKeys(
    supported: ["file", "poll", "type", "trim"],
    unsupported: [
      "lines", "count", "exists", "fifo", "of", "json", "match", "expect_every", "equals", "above", "below",
    ])
  static let trigger = ConfigurationKeys(
    supported: [
      "name", "value", "sound", "sounds", "when", "from", "to", "above", "below", "hysteresis", "initial", "debounce",
      "throttle", "importance", "volume", "pan", "fade_in", "fade_out",
    ],
    unsupported: [
      "delay", "cancel", "overlap", "loop", "loop_every", "loop_limit", "fresh", "matches", "pick",
    ])
}
