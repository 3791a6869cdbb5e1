/// A loop: a sound that a trigger repeats while its condition lasts.
struct LoopState: Sendable {
  enum Phase: Equatable, Sendable {
    /// Its sound runs, or waits for a device.
    case sounding(PlayID)
    /// Between two repetitions (`loop_every`).
    case pausing
    /// The throttle holds it back until `resume`.
    case throttled
    /// The profile does not admit it.
    case silenced
    /// It lost its voice, or no voice was free. It restarts when one is, not before `resume`.
    case crowded
    /// Its sound is not loaded.
    case broken
  }

  var choice: SoundChoice.Selection
  /// The change that began it, or that chose its present sound.
  var cause: PendingChange
  /// Whether the verdict on `cause` is known: the sound was heard.
  var isHeard = false
  var phase: Phase
  /// When it is repeated next; `nil`: it sounds without a gap.
  var repetition: Instant?
  /// When it gives up.
  var limit: Instant?
  /// When a throttled loop begins, or a crowded one may try again.
  var resume: Instant?
  /// When it last restarted after it had lost its voice.
  var lastRestart: Instant?

  /// The earliest of its deadlines.
  var deadline: Instant? { Instant.earlier(limit, Instant.earlier(repetition, resume)) }
}
