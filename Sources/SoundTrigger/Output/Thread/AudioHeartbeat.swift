/// Checks from time to time whether the audio thread still makes turns, because a device that blocks stops it. Pure: the
/// caller passes the thread's counters in.
struct AudioHeartbeat {
  /// How many turns the thread had made at the last look; `nil` if it was at rest.
  private var lastTurns: Int?

  /// Whether the thread has made a turn since the last look. Also true if it is or was at rest, because it then had no work.
  ///
  /// If the thread is not at rest, the caller wakes it at each look.
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
    /// It works or has no work, or it is too early to decide.
    case fine
    /// It has made no turn since the last look. Wake it, because it may have slept.
    case silent
    /// It has made no turn although it was woken, so it is stuck.
    case stuck
  }

  /// The time until the next look: if the thread works, and after a look at which it had made no turn.
  private static let pause = Duration.milliseconds(250)
  private static let doubt = Duration.milliseconds(500)

  private var heartbeat = AudioHeartbeat()
  private var wasSilent = false
  /// When to look next; `nil` while nothing plays.
  private(set) var nextLook: Instant?

  /// A sound is about to start.
  mutating func begin(at now: Instant) {
    if nextLook == nil { nextLook = now.advanced(by: Self.pause) }
  }

  /// The audio thread or the device was replaced or has ended.
  mutating func end() { self = AudioWatch() }

  /// Looks at the thread. Call it at `nextLook` or later. Two looks must agree, because a stopped process looks too late.
  mutating func look(turns: Int, isResting: Bool, at now: Instant) -> Finding {
    let isAlive = heartbeat.isAlive(turns: turns, isResting: isResting)
    defer { wasSilent = !isAlive }
    nextLook = isResting ? nil : now.advanced(by: isAlive ? Self.pause : Self.doubt)
    return isAlive ? .fine : wasSilent ? .stuck : .silent
  }
}
