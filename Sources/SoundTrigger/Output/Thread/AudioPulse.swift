/// Judges from time to time whether the audio thread still works: a device that blocks holds it in one place. Pure: what the thread
/// shows comes in.
struct AudioPulse {
  /// How many turns the thread had made at the last look; `nil` if it was at rest.
  private var lastTurns: Int?

  /// Whether the thread has made a turn since the last look, or is or was at rest: then nothing was asked of it.
  ///
  /// The caller wakes the thread at each look at which it is not at rest.
  mutating func isAlive(turns: Int, isResting: Bool) -> Bool {
    defer { lastTurns = isResting ? nil : turns }
    return isResting || turns != lastTurns
  }
}

/// Finds out within a second that the audio thread is stuck in a call to its device. Pure: times come in.
///
/// It looks only while something plays.
struct AudioWatch {
  enum Finding: Equatable {
    /// It works, or nothing is asked of it, or it is too early to tell.
    case fine
    /// It made no turn since the last look: wake it, because it may have slept.
    case silent
    /// It made no turn, though it was woken: it is stuck.
    case stuck
  }

  /// Until the next look while all is well, and after a look at which the thread was silent.
  private static let pause = Duration.milliseconds(250)
  private static let doubt = Duration.milliseconds(500)

  private var pulse = AudioPulse()
  private var wasSilent = false
  /// When to look; `nil`: nothing plays.
  private(set) var nextLook: Instant?

  /// A sound is about to start.
  mutating func begin(at now: Instant) {
    if nextLook == nil { nextLook = now.advanced(by: Self.pause) }
  }

  /// There is another audio thread or another device, or none.
  mutating func end() { self = AudioWatch() }

  /// At `nextLook` or later. A process that was stopped looks too late, so two looks must agree.
  mutating func look(turns: Int, isResting: Bool, at now: Instant) -> Finding {
    let isAlive = pulse.isAlive(turns: turns, isResting: isResting)
    defer { wasSilent = !isAlive }
    nextLook = isResting ? nil : now.advanced(by: isAlive ? Self.pause : Self.doubt)
    return isAlive ? .fine : wasSilent ? .stuck : .silent
  }
}
