import CLinux
import SoundTrigger

/// Finds out how long the machine has slept: by how much CLOCK_BOOTTIME has run ahead of CLOCK_MONOTONIC.
///
/// The two clocks cannot be read at the same moment. The result is never too long; it is too short by the time that the
/// readings took, usually microseconds.
struct SleepMeter {
  /// CLOCK_BOOTTIME, and CLOCK_MONOTONIC just before and just after.
  struct Reading: Equatable {
    var before: Instant
    var boot: Instant
    var after: Instant

    static func now() -> Reading {
      let before = clinux_monotonic()
      let boot = clinux_boottime()
      return Reading(
        before: Instant(nanoseconds: before), boot: Instant(nanoseconds: boot),
        after: Instant(nanoseconds: clinux_monotonic()))
    }
  }

  /// The most that the clocks may have been apart at the last reading.
  private var known: Duration

  init(_ reading: Reading) { known = reading.before.duration(to: reading.boot) }

  /// Takes a reading; returns how long the machine has slept since the one before.
  mutating func update(_ reading: Reading) -> Duration {
    let slept = reading.after.duration(to: reading.boot) - known
    if slept <= .zero { return .zero }
    known = reading.before.duration(to: reading.boot)
    return slept
  }
}
