import SoundTrigger

/// How far the civil clock is ahead of the event loop's, until the civil clock is set.
///
/// The two clocks cannot be read at the same moment, and the network adjusts the civil one. So that a moment always has the
/// same civil time, a difference is kept until it is wrong by more than a second.
struct ClockDifference: Equatable {
  /// In milliseconds.
  private var difference: Int64

  /// `instant` and `civil`, in milliseconds of UTC since 1970, were read at about the same time.
  init(instant: Instant, civil: Int64) { difference = civil - instant.nanoseconds / 1_000_000 }

  /// By the clocks.
  init(at instant: Instant) { self.init(instant: instant, civil: Timestamp.now().milliseconds) }

  /// Takes another reading into account.
  mutating func update(instant: Instant, civil: Int64) {
    let other = ClockDifference(instant: instant, civil: civil)
    if abs(other.difference - difference) > 1000 { self = other }
  }

  mutating func update(at instant: Instant) { update(instant: instant, civil: Timestamp.now().milliseconds) }

  /// Milliseconds of UTC since 1970.
  func civil(of instant: Instant) -> Int64 { instant.nanoseconds / 1_000_000 + difference }

  /// When something happened, by what the civil clock showed then.
  ///
  /// `now` if that lies ahead, because then the clock was set back; at most a hundred years ago.
  func instant(of civil: Int64, notAfter now: Instant) -> Instant {
    let (age, isTooOld) = self.civil(of: now).subtractingReportingOverflow(civil)
    let longest: Int64 = 36_525 * 86_400_000
    return now.advanced(by: .milliseconds(-(isTooOld ? longest : min(max(0, age), longest))))
  }
}

extension Timestamp {
  /// Since 1970.
  fileprivate var milliseconds: Int64 { seconds * 1000 + Int64(nanoseconds) / 1_000_000 }
}
