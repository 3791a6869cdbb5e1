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
  /// Whether the device plays on through its memory, which we may write to, when nothing is left to play.
  package var runsOn = false
  /// By how many frames the device's position may move at once.
  package var stepFrames = 0
  /// How many frames are written ahead where they cannot be taken back: the configured latency.
  package var shortFrames = 480

  package enum Kind: CaseIterable, Sendable {
    /// A card of this machine. While it is open, other programs may be unable to use it.
    case card
    /// A card whose memory programs share through ALSA (dmix, dshare). While it is open, programs that want the card itself cannot
    /// use it.
    case sharedCard
    /// PipeWire's ALSA plugin. It reads frames from our memory when it needs them, so they can be changed until then.
    case pipewire
    /// PulseAudio's plugin, also in front of PipeWire. It sends written frames to the server at once.
    case pulse
    /// JACK's plugin.
    case jack
    /// Anything else, such as `null`, which takes everything at once.
    case other

    /// Whether written frames may be changed until they are played.
    @_noLocks package func mayRewind() -> Bool {
      switch self {
      case .card, .pipewire: true
      case .sharedCard, .pulse, .jack, .other: false
      }
    }

    /// Whether a device that is prepared costs nothing until it is started.
    ///
    /// PulseAudio's plugin connects a stream when it is prepared (snd_pcm_prepare), and the server plays silence on it. Stopped
    /// (snd_pcm_drop), the stream is corked, and the sink may sleep.
    @_noLocks func restsPrepared() -> Bool {
      switch self {
      case .pulse: false
      case .card, .sharedCard, .pipewire, .jack, .other: true
      }
    }

    /// Whether it must play silence before it is stopped.
    ///
    /// JACK's plugin leaves its last period in the ports, and JACK repeats it. dmix, dshare and PipeWire behind PulseAudio's plugin count
    /// frames as played some milliseconds before they are.
    @_noLocks func endsWithSilence() -> Bool { !mayRewind() }

    /// Whether it may take any number of frames at once and play none of them, as ALSA's `null` and `file` do.
    @_noLocks func mayRunFreely() -> Bool {
      switch self {
      case .other: true
      case .card, .sharedCard, .pipewire, .pulse, .jack: false
      }
    }

    /// Whether its delay (snd_pcm_delay) always includes what follows our buffer.
    @_noLocks func knowsDelay() -> Bool {
      switch self {
      case .pulse, .jack: false
      case .card, .sharedCard, .pipewire, .other: true
      }
    }

    /// How long the device stays open by itself while nothing plays; `nil`: always.
    ///
    /// Other programs may want a card. Before the sink of PulseAudio sleeps, after 5 s, its plugin wakes soundd up now and then; in front
    /// of PipeWire it never stops doing so.
    package var idleTime: Duration? {
      switch self {
      case .card, .sharedCard: .seconds(30)
      case .pulse: .seconds(5)
      case .pipewire, .jack, .other: nil
      }
    }
  }

  /// Whether PipeWire or PulseAudio plays it.
  package var needsServer: Bool { kind == .pipewire || kind == .pulse }

  /// Bytes in a frame.
  @_noLocks func frameBytes() -> Int { channels &* format.width() }

  /// Bytes in the device's buffer.
  @_noLocks func ringBytes() -> Int { bufferFrames &* frameBytes() }
}
