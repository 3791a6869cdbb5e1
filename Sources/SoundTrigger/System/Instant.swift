/// A point in time, in nanoseconds since an arbitrary start.
///
/// The daemon counts by CLOCK_BOOTTIME, `render` and the tests from zero. No decision reads a
/// clock: the caller passes the time.
package struct Instant: InstantProtocol, Hashable, Sendable, BitwiseCopyable {
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  package func advanced(by duration: Duration) -> Instant {
    Instant(nanoseconds: nanoseconds &+ duration.nanoseconds)
  }

  package func duration(to other: Instant) -> Duration { .nanoseconds(other.nanoseconds &- nanoseconds) }

  package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  /// The earlier of two times that may be missing.
  package static func earlier(_ left: Instant?, _ right: Instant?) -> Instant? {
    guard let left else { return right }
    return right.map { min(left, $0) } ?? left
  }
}

extension Duration {
  /// The whole duration in nanoseconds; one that does not fit 64 bits (292 years) is cut off there.
  package var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, overflowed) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflowed ? (seconds < 0 ? .min : .max) : sum
  }
}
