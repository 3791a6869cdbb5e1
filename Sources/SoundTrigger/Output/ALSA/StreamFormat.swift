/// The result of the negotiation with a device.
package struct StreamFormat: Equatable, Sendable {
  package var format: SampleFormat
  /// Frames per second.
  package var rate: Int
  package var channels: Int
  /// Frames in a period, as ALSA calls it.
  package var periodFrames: Int
  /// Frames the device holds.
  package var bufferFrames: Int
  /// Whether frames are written straight into the device's memory.
  package var isMapped: Bool
  /// The kind of device behind the name.
  package var kind = Kind.other
  /// Whether it is a card whose name says HDMI.
  package var isHDMI = false
  /// Whether a sound server plays it.
  package var needsServer = false
  /// Whether the device plays on through its memory, which we may write to, when nothing is left to play.
  package var runsOn = false
  /// By how many frames the device's position may move at once.
  package var stepFrames = 0
  /// How many frames are written ahead where they cannot be taken back: the configured latency.
  package var shortFrames = 480

  package enum Kind: Sendable {
    /// A card of this machine. While it is open, other programs may be unable to use it.
    case card
    /// PipeWire's ALSA plugin. It reads frames from our memory when it needs them, so they can be changed until then.
    case pipewire
    /// Anything else, such as another sound server's plugin, which may take everything at once.
    case other

    /// Whether written frames may be changed until they are played.
    @_noLocks package func mayRewind() -> Bool {
      switch self {
      case .card, .pipewire: true
      case .other: false
      }
    }
  }

  /// Bytes in a frame.
  @_noLocks func frameBytes() -> Int { channels &* format.width() }

  /// Bytes in the device's buffer.
  @_noLocks func ringBytes() -> Int { bufferFrames &* frameBytes() }
}
