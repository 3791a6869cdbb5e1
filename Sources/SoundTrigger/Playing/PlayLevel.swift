/// How loud a user wants to hear a trigger or everything, beside the volume that the settings of a trigger have.
package struct PlayLevel: Equatable, Sendable {
  /// A factor, 0 to 1.
  package var volume: Double
  package var isMuted: Bool

  package init(volume: Double = 1, isMuted: Bool = false) {
    self.volume = volume
    self.isMuted = isMuted
  }

  /// The factor that is heard.
  package var gain: Double { isMuted ? 0 : volume }

  package var isAudible: Bool { Self.isAudible(gain) }

  /// Whether anybody hears a sound at this factor: it is louder than -60 dB.
  package static func isAudible(_ gain: Double) -> Bool { gain > 0.001 }
}

/// How loud everything is, and single plays beside that.
package struct PlayLevels {
  /// Lowers less important sounds while speech sounds.
  package struct Duck: Equatable {
    var gain: Double
    /// The importance of the speech.
    var importance: PlaySettings.Importance

    package init(gain: Double, importance: PlaySettings.Importance) {
      (self.gain, self.importance) = (gain, importance)
    }
  }

  var all = PlayLevel()
  /// Of triggers and rules; a trigger that is missing is at full level.
  var triggers: [String: PlayLevel] = [:] { didSet { isPlain = triggers.isEmpty && duck == nil } }
  var duck: Duck? { didSet { isPlain = triggers.isEmpty && duck == nil } }
  private var isPlain = true

  /// The factor of a play beside that of everything.
  @inline(__always)
  func gain(of play: Play) -> Double { isPlain ? 1 : ownGain(of: play) }

  private func ownGain(of play: Play) -> Double {
    let own = play.rule.flatMap { triggers[$0]?.gain } ?? 1
    guard let duck, !play.isAlarm, play.settings.importance.rank < duck.importance.rank else { return own }
    return own * duck.gain
  }
}
