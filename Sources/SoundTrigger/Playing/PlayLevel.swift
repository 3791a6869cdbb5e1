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
}
