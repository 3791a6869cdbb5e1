import SoundTrigger

/// How far the civil clock is ahead of the event loop's, as long as nobody sets it.
///
/// The two cannot be read at the same moment, and the civil one is led. So that a moment has the same civil time whenever
/// it is asked for, a difference is kept until it is wrong by more than a second.
struct ClockDifference: Equatable {
  /// In milliseconds.
  private var difference: Int64

  /// `instant` and `civil`, in milliseconds of UTC since 1970, were read at about the same time.
  init(instant: Instant, civil: Int64) { difference = civil - instant.nanoseconds / 1_000_000 }

  /// By the clocks.
  init(at instant: Instant) { self.init(instant: instant, civil: Timestamp.now().milliseconds) }

  /// Takes another reading.
  mutating func look(instant: Instant, civil: Int64) {
    let other = ClockDifference(instant: instant, civil: civil)
    if abs(other.difference - difference) > 1000 { self = other }
  }

  mutating func look(at instant: Instant) { look(instant: instant, civil: Timestamp.now().milliseconds) }

  /// Milliseconds of UTC since 1970.
  func civil(of instant: Instant) -> Int64 { instant.nanoseconds / 1_000_000 + difference }

  /// When something happened, by what the civil clock showed then; `now` if that lies ahead, for then the clock was set
  /// back, and a hundred years ago at the most.
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
