import Testing

@testable import SoundTrigger

@Suite struct ConnectionBackoffTests {
  private func pauses(_ backoff: inout ConnectionBackoff, _ count: Int) -> [Duration] {
    var now = Instant(nanoseconds: 7_000_000_000)
    return (0..<count).map { _ in
      let next = backoff.failed(at: now)
      defer { now = next }
      return now.duration(to: next)
    }
  }

  @Test func `a missing daemon is tried after pauses that double up to five seconds`() {
    var backoff = ConnectionBackoff()
    #expect(
      pauses(&backoff, 8) == [100, 200, 400, 800, 1600, 3200, 5000, 5000].map { .milliseconds($0) })
  }

  @Test func `a daemon that goes after it has answered is tried soon`() {
    var backoff = ConnectionBackoff()
    _ = pauses(&backoff, 8)
    backoff.connected()
    #expect(pauses(&backoff, 2) == [.milliseconds(100), .milliseconds(200)])
  }
}
