/// When to connect again to a daemon that is missing or has gone. Pure: times come in, the time of the next attempt comes out.
struct ConnectionBackoff: Equatable, Sendable {
  /// The first pause; each further one is twice as long.
  private static let shortest = Duration.milliseconds(100)
  private static let longest = Duration.seconds(5)

  private var pause: Duration

  /// `pause` is the first one.
  init(pause: Duration = Self.shortest) { self.pause = pause }

  /// The daemon has answered.
  mutating func connected() { pause = Self.shortest }

  /// The daemon could not be reached, or the connection ended; returns when to try again.
  mutating func failed(at now: Instant) -> Instant {
    defer { pause = min(pause * 2, Self.longest) }
    return now.advanced(by: pause)
  }
}
