/// A length of time that a trigger waits, more than 0.
struct Interval: Sendable {
  private let nanoseconds: Int64

  /// `nil` if there is nothing to wait for.
  init?(_ duration: Duration?) {
    guard let nanoseconds = duration?.nanoseconds, nanoseconds > 0 else { return nil }
    self.nanoseconds = nanoseconds
  }

  var duration: Duration { .nanoseconds(nanoseconds) }

  /// Its end; one that time does not reach ends with time.
  func end(from start: Instant) -> Instant {
    let (sum, overflow) = start.nanoseconds.addingReportingOverflow(nanoseconds)
    return Instant(nanoseconds: overflow ? .max : sum)
  }
}
