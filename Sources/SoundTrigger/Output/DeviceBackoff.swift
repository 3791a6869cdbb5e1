/// When to try a device again that is missing or has broken. Pure: times come in, the time of the next attempt comes out.
///
/// A pause is a quarter of the time since the device was lost, or since its sound server appeared. So a device that is back
/// soon is found soon, and one that is away for long costs little.
package struct DeviceBackoff: Equatable, Sendable {
  private static let shortest = Duration.milliseconds(250)
  private static let longest = Duration.seconds(30)
  /// After a loss, a device that was open for so long is tried again at once.
  private static let provenAfter = Duration.milliseconds(250)

  private var openedAt: Instant?
  private var triedAt: Instant?
  private var missingSince: Instant?

  package init() {}

  /// The device was opened.
  package mutating func opened(at now: Instant) {
    openedAt = now
    triedAt = now
  }

  /// The device could not be opened, or broke; returns when to try it again.
  package mutating func failed(at now: Instant) -> Instant {
    defer { openedAt = nil }
    if let openedAt, openedAt.duration(to: now) >= Self.provenAfter { return restart(at: now) }
    triedAt = now
    let since = missingSince ?? now
    missingSince = since
    return now.advanced(by: min(max(since.duration(to: now) / 4, Self.shortest), Self.longest))
  }

  /// Another time without the device begins: its sound server has just appeared. Returns when to try.
  package mutating func restart(at now: Instant) -> Instant {
    missingSince = now
    return now
  }

  /// Whether a sound that is about to start may try the device at once: not right after the last attempt.
  package func mayTry(at now: Instant) -> Bool {
    guard let triedAt else { return true }
    return triedAt.duration(to: now) >= Self.shortest
  }
}
