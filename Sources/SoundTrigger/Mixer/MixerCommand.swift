import CMixer

/// What the control side asks of the mixer. Plain bytes: copied through a queue, nothing to retain.
struct MixerCommand {
  enum Kind: UInt8 {
    /// Begin a voice.
    case start
    /// Let a voice that loops come to its end.
    case endLoop
    /// Fade a voice out in `frames`.
    case stop
    /// Fade every voice out in `frames`.
    case stopAll
    /// Bring a voice's gain to `gain` in `frames`.
    case setGain
    /// Bring the master gain to `gain.left` in `frames`.
    case setMasterGain
  }

  var kind: Kind
  var importance: UInt8 = 1
  var loops = false
  /// Which voice: chosen by the control side, unique among those alive.
  var voice: UInt32 = 0
  /// `start`: the clip's first frame; it stays valid until the voice is retired.
  var source: UnsafePointer<Float>? = nil
  /// `start`: the clip's length. Otherwise the length of the fade. In frames.
  var frames: Int32 = 0
  /// `start`: how many frames from the beginning of the next block the first frame is heard.
  var offset: Int32 = 0
  /// `start`: length of the fade-in, in frames.
  var fadeIn: Int32 = 0
  var gain = cmixer_gain(left: 1, right: 1)
  /// `start`: when the cause arrived, in nanoseconds of CLOCK_MONOTONIC; 0 if nobody asks.
  var arrival: Int64 = 0
}
