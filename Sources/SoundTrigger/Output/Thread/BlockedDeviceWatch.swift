/// Notices within a second that the audio thread is stuck in a call to its device. Pure: times come in.
///
/// Looks only while something plays.
struct BlockedDeviceWatch {
  enum Finding: Equatable {
    /// The thread works or has no work, or it is too early to decide.
    case fine
    /// The thread has made no turn since the last look. Wake it, because it may have slept.
    case silent
    /// The thread has made no turn although it was woken, so it is stuck.
    case stuck
  }

  /// The time between two looks while the thread works.
  private static let pause = Duration.milliseconds(250)
  /// The time to the next look after one at which the thread had made no turn.
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
  mutating func end() { self = BlockedDeviceWatch() }

  /// Looks at the thread. Call it at `nextLook` or later. Two looks must agree, because a stopped process looks too late.
  mutating func look(turns: Int, isResting: Bool, at now: Instant) -> Finding {
    let isAlive = heartbeat.isAlive(turns: turns, isResting: isResting)
    defer { wasSilent = !isAlive }
    nextLook = isResting ? nil : now.advanced(by: isAlive ? Self.pause : Self.doubt)
    return isAlive ? .fine : wasSilent ? .stuck : .silent
  }
}
