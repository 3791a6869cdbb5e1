/// How a trigger's sounds are played.
package struct PlaySettings: Hashable, Sendable {
  /// The longest `fadeIn` and `fadeOut`.
  package static let longestFade = Duration.seconds(60)

  /// A factor, 0 to 1.
  package var volume: Double
  /// -1 (left) to 1 (right).
  package var pan: Double
  /// Whether each member of a rule has a pan and a pitch of its own, by its name, which are added.
  package var spread = false
  /// In semitones: how much higher the sound is.
  package var pitch: Float = 0
  /// How long a sound takes to reach its volume.
  package var fadeIn: Duration
  /// How long it takes to fall silent if it is stopped before its end.
  package var fadeOut: Duration
  package var importance: Importance

  package init(
    volume: Double = 1, pan: Double = 0, fadeIn: Duration = .zero, fadeOut: Duration = .milliseconds(10),
    importance: Importance = .normal
  ) {
    self.volume = volume
    self.pan = pan
    self.fadeIn = fadeIn
    self.fadeOut = fadeOut
    self.importance = importance
  }

  /// If voices run out, the mixer steals from the least important sound.
  ///
  /// The raw value is the configuration's word for it.
  package enum Importance: String, CaseIterable, Sendable {
    case low, normal, high, critical

    /// The greater, the more important.
    package var rank: UInt8 {
      switch self {
      case .low: 0
      case .normal: 1
      case .high: 2
      case .critical: 3
      }
    }
  }
}

/// Which sounds play, as on a phone. The greater, the fewer.
///
/// The raw value is the configuration's and the socket's word for it.
package enum Profile: String, CaseIterable, Comparable, Sendable {
  /// Everything.
  case full
  /// Sounds of high or critical importance.
  case quiet
  /// Sounds of critical importance alone.
  case silent

  package static func < (left: Profile, right: Profile) -> Bool { left.strictness < right.strictness }

  private var strictness: Int { self == .full ? 0 : self == .quiet ? 1 : 2 }

  /// Whether a sound of this importance plays.
  package func admits(_ importance: PlaySettings.Importance) -> Bool {
    switch self {
    case .full: true
    case .quiet: importance.rank >= PlaySettings.Importance.high.rank
    case .silent: importance == .critical
    }
  }
}
