import TestSupport
import Testing

@testable import SoundTrigger

struct ResourceLimitTests {
  private static let none = ResourceLimit.unlimited

  /// rtkit's README: RLIMIT_RTTIME must not be greater than RTTimeUSecMax, 200 ms by default.
  @Test(
    arguments: [
      // soft, hard, ceiling: new soft, new hard
      (none, none, none, 100_000, none), (none, none, 200_000, 100_000, 200_000),
      (200_000, 200_000, none, 100_000, 200_000),
      (150_000, 200_000, 200_000, 100_000, 200_000), (60_000, 200_000, none, 60_000, 200_000),
      (none, 50_000, 200_000, 25_000, 50_000), (20_000, none, 50_000, 20_000, 50_000),
      (1_100_000, none, none, 100_000, none),
      (0, 0, none, 0, 0),
    ] as [(UInt64, UInt64, UInt64, UInt64, UInt64)])
  func `the time that a real-time thread may run is only ever shortened`(
    soft: UInt64, hard: UInt64, ceiling: UInt64, newSoft: UInt64, newHard: UInt64
  ) {
    let tightened = ResourceLimit(soft: soft, hard: hard).tightened(ceiling: ceiling)
    #expect(tightened == ResourceLimit(soft: newSoft, hard: newHard))
    #expect(tightened.tightened(ceiling: ceiling) == tightened)
  }

  @Test func `the limits are those that the kernel tells`() throws {
    let text = try textOfFile("/proc/self/limits")
    for (name, kind) in [
      ("Max locked memory", ResourceLimit.Kind.lockedMemory), ("Max realtime priority", .realTimePriority),
    ] {
      let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name) })
      let words = line.dropFirst(name.count).split(separator: " ")
      let limit = ResourceLimit(kind)
      for (word, value) in zip(words, [limit.soft, limit.hard]) {
        #expect(word == "unlimited" ? value == ResourceLimit.unlimited : UInt64(word) == value)
      }
    }
  }
}
