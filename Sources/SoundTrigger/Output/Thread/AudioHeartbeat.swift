/// Compares the audio thread's turns at two looks, because a device that blocks stops it. Pure: the caller passes the
/// thread's counters in.
///
/// `BlockedDeviceWatch` and the service manager's watchdog look at different times, so each has one.
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
