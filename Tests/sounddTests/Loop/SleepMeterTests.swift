import Glibc
import SoundTrigger
import Testing

@testable import soundd

struct SleepMeterTests {
  /// Readings around `boot` with the machine having slept for `asleep`, each half taking `before` and `after`.
  private func reading(_ boot: Int64, asleep: Int64, before: Int64 = 0, after: Int64 = 0) -> SleepMeter.Reading {
    SleepMeter.Reading(
      before: Instant(nanoseconds: boot - asleep - before), boot: Instant(nanoseconds: boot),
      after: Instant(nanoseconds: boot - asleep + after))
  }

  @Test func `sleep is told once`() {
    var meter = SleepMeter(reading(1000, asleep: 300))
    #expect(meter.update(reading(2000, asleep: 300)) == .zero)
    #expect(meter.update(reading(9000, asleep: 5300)) == .nanoseconds(5000))
    #expect(meter.update(reading(9500, asleep: 5300)) == .zero)
  }

  @Test func `what the readings take is never told as sleep`() {
    var generator = SystemRandomNumberGenerator()
    var boot: Int64 = 0
    func next(_ asleep: Int64) -> SleepMeter.Reading {
      boot += 10_000
      return reading(
        boot, asleep: asleep, before: .random(in: 0...500, using: &generator),
        after: .random(in: 0...500, using: &generator))
    }
    var meter = SleepMeter(next(0))
    for _ in 0..<1000 { #expect(meter.update(next(0)) == .zero) }
    var asleep: Int64 = 0
    var told = Duration.zero
    for _ in 0..<1000 {
      asleep += 100_000
      let slept = meter.update(next(asleep))
      #expect(slept <= .nanoseconds(100_000) && slept >= .nanoseconds(99_000))
      told += slept
    }
    #expect(told <= .nanoseconds(asleep))
  }

  @Test func `the loop counts by the clock that sleep counts in, and converts to the audio thread's`() throws {
    func clock(_ id: clockid_t) -> Int64 {
      var time = timespec()
      clock_gettime(id, &time)
      return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
    let (boot, monotonic) = (clock(CLOCK_BOOTTIME), clock(CLOCK_MONOTONIC))
    let loop = try EventLoop()
    try loop.runOnce(timeout: .zero)
    #expect((boot...clock(CLOCK_BOOTTIME)).contains(loop.now.nanoseconds))
    #expect((monotonic...clock(CLOCK_MONOTONIC)).contains(loop.monotonicNow.nanoseconds))
    #expect(loop.timeAsleep == .zero)
  }
}
