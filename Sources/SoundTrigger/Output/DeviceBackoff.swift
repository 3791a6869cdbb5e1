/// When to try a device again that is missing or has broken. Pure: times come in, the time of the next attempt comes out.
package struct DeviceBackoff: Equatable, Sendable {
  /// The first pause; each further one is twice as long.
  private static let shortest = Duration.seconds(1)
  private static let longest = Duration.seconds(30)
  /// After a loss, a device that has played for so long is tried again at once.
  private static let provenAfter = Duration.seconds(10)

  private var pause = Self.shortest
  private var openedAt: Instant?
  private var triedAt: Instant?

  package init() {}

  /// The device was opened.
  package mutating func opened(at now: Instant) {
    openedAt = now
    triedAt = now
  }

  /// The device could not be opened, or broke; returns when to try it again.
  package mutating func failed(at now: Instant) -> Instant {
    defer { openedAt = nil }
    if let openedAt, openedAt.duration(to: now) >= Self.provenAfter {
      pause = Self.shortest
      return now
    }
    triedAt = now
    defer { pause = min(pause * 2, Self.longest) }
    return now.advanced(by: pause)
  }

  /// Whether a sound that is about to start may try the device at once: not within a second of the last attempt.
  package func mayTry(at now: Instant) -> Bool {
    guard let triedAt else { return true }
    return triedAt.duration(to: now) >= Self.shortest
  }
}
