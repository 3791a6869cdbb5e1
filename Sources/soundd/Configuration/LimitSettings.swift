/// What `[limits]` says: how much may be held at once.
struct LimitSettings: Equatable, Sendable {
  /// What `values` may be.
  static let valueCounts = 1...16_777_216
  /// What `voices` may be.
  static let voiceCounts = 1...4096
  /// What `sound_seconds` may be.
  static let soundLengths = 1...86_400

  /// The most values, declared or not.
  var values = 65_536
  /// The most sounds that run at the same time.
  var voices = 256
  /// The longest sound that is loaded, in seconds.
  var soundSeconds = 300
}
