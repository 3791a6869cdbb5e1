import SoundTrigger
import Testing

@testable import soundd

/// Instants are given in milliseconds.
struct ClockDifferenceTests {
  private func instant(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  @Test func `a moment has the same civil time as long as the clock is only led`() {
    var clock = ClockDifference(instant: instant(1000), civil: 500_000)
    #expect(clock.civil(of: instant(250)) == 499_250)
    for drift in [-1000, -3, 0, 7, 1000] as [Int64] {
      clock.update(instant: instant(61_000), civil: 560_000 + drift)
      #expect(clock.civil(of: instant(250)) == 499_250)
    }
  }

  @Test func `when the clock is set, moments move with it`() {
    var clock = ClockDifference(instant: instant(1000), civil: 500_000)
    clock.update(instant: instant(2000), civil: 502_001)
    #expect(clock.civil(of: instant(1000)) == 501_001)
    clock.update(instant: instant(2000), civil: 0)
    #expect(clock.civil(of: instant(1000)) == -1000)
  }

  /// A hundred years before one second.
  private static let longAgo: Int64 = -3_155_759_999_000
  private static let earlier: [(Int64, Int64)] = [
    (499_000, 0), (500_000, 1000), (0, -499_000),
    // The clock was set back by a minute, by ages: it was just now.
    (560_000, 1000), (.max, 1000),
    // It showed 1869, or nonsense.
    (-3_187_296_000_000, longAgo), (.min, longAgo),
  ]

  @Test(arguments: earlier)
  func `what happened in an earlier run never lies ahead`(civil: Int64, expected: Int64) {
    let clock = ClockDifference(instant: instant(1000), civil: 500_000)
    #expect(clock.instant(of: civil, notAfter: instant(1000)) == instant(expected))
  }
}
