/// When to try a device again that is missing or has broken. Pure: it is told the time and says when.
package struct DeviceBackoff: Equatable, Sendable {
  /// The first pause; each further one is twice as long.
  private static let shortest = Duration.seconds(1)
  private static let longest = Duration.seconds(30)
  /// A device that has played for so long was a good one: its loss is news, not one more failure.
  private static let proof = Duration.seconds(10)

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
    if let openedAt, openedAt.duration(to: now) >= Self.proof {
      pause = Self.shortest
      return now
    }
    triedAt = now
    defer { pause = min(pause * 2, Self.longest) }
    return now.advanced(by: pause)
  }

  /// Whether something that is to be heard may try it at once: not if that was done a moment ago.
  package func mayTry(at now: Instant) -> Bool {
    guard let triedAt else { return true }
    return triedAt.duration(to: now) >= Self.shortest
  }
}
