import TestSupport
import Testing

@testable import SoundTrigger

@Suite struct DeviceClockTests {
  private static let second: Int64 = 1_000_000_000

  @Test func `before anything was seen a device is taken to keep its rate`() {
    var clock = DeviceClock(rate: 48_000)
    clock.start(frame: 0, at: 5 * Self.second)
    #expect(clock.time(of: 48_000) == 6 * Self.second)
    #expect(clock.frame(at: 5 * Self.second + Self.second / 2) == 24_000)
  }

  @Test(arguments: [47_950.0, 48_000.0, 48_035.0]) func `a true rate is learned in spite of jitter`(rate: Double) {
    var random = SplitMix64(seed: 11)
    var clock = DeviceClock(rate: 48_000)
    clock.start(frame: 0, at: 0)
    var worst: Int64 = 0
    for step in 1...2000 {
      // Every 20 ms the device tells its position, in steps of 64 frames and up to 1 ms late.
      let now = Int64(step) * 20_000_000
      let frame = Int(Double(now) / 1e9 * rate) / 64 * 64
      clock.saw(frame: frame, at: now + Int64.random(in: 0...1_000_000, using: &random))
      if step > 1500 {
        let truth = Int64(Double(frame + 4800) / rate * 1e9)
        worst = max(worst, abs(clock.time(of: frame + 4800) - truth))
      }
    }
    #expect(abs(clock.rate() - rate) < 5)
    // The steps and the lateness are late by 1.2 ms on average; what is left beside that is the filter's.
    #expect(worst < 2_000_000)
  }

  @Test(arguments: [64, 1024]) func `a device's step shows in its sightings`(step: Int) {
    var random = SplitMix64(seed: 5)
    var clock = DeviceClock(rate: 48_000)
    clock.start(frame: 0, at: 0)
    var now: Int64 = 0
    for _ in 0..<200 {
      now += Int64.random(in: 30_000_000...120_000_000, using: &random)
      clock.saw(frame: Int(Double(now) / 1e9 * 48_000) / step * step, at: now)
    }
    #expect(clock.step() > step / 2)
    #expect(clock.step() < step * 3 / 2)
  }

  @Test func `what a device does while it begins is believed as it is, and tells nothing of its step`() {
    var clock = DeviceClock(rate: 48_000)
    clock.start(frame: 0, at: 0)
    clock.saw(frame: 1024, at: 5_000_000)
    #expect(clock.time(of: 1024) == 5_000_000)
    clock.saw(frame: 1088, at: 27_000_000)
    #expect(clock.time(of: 1088) == 27_000_000)
    #expect(clock.step() == 0)
  }

  @Test func `a sighting that is far off begins anew there`() {
    var clock = DeviceClock(rate: 48_000)
    clock.start(frame: 0, at: 0)
    clock.saw(frame: 4800, at: 100_000_000)
    clock.saw(frame: 9600, at: 3 * Self.second)
    #expect(clock.time(of: 9600) == 3 * Self.second)
  }

  @Test func `a learned rate stays near the nominal one whatever is seen`() {
    var clock = DeviceClock(rate: 48_000)
    clock.start(frame: 0, at: 0)
    for step in 1...1000 { clock.saw(frame: step * 480, at: Int64(step) * 9_000_000) }
    #expect(clock.rate() < 48_500)
  }

  @Test func `a sighting of what was seen already changes nothing`() {
    var clock = DeviceClock(rate: 48_000)
    clock.start(frame: 0, at: 0)
    clock.saw(frame: 480, at: 10_000_000)
    let before = clock.time(of: 1000)
    clock.saw(frame: 480, at: 14_000_000)
    #expect(clock.time(of: 1000) == before)
  }
}

extension DeviceClock {
  /// Frames per second, as learned.
  fileprivate func rate() -> Double { Double(frame(at: 100_000_000_000) - frame(at: 0)) / 100 }
}
