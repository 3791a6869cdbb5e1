import SoundTrigger
import Testing

struct ExpectationsTests {
  /// Expectations in whole seconds.
  private final class Rig {
    var expectations = Expectations()

    init(_ intervals: [Int: Int], at now: Int = 0) { replace(intervals, at: now) }

    func replace(_ intervals: [Int: Int], at now: Int) {
      for (value, interval) in intervals {
        expectations.expect(ValueID(index: value), every: .seconds(interval), at: Self.instant(now))
      }
      expectations.keepOnly(Set(intervals.keys.map { ValueID(index: $0) }))
    }

    /// Returns whether it was stale.
    func update(_ value: Int, at now: Int) -> Bool {
      expectations.noteUpdate(of: ValueID(index: value), at: Self.instant(now))
    }

    /// What became stale, and when.
    func advance(to now: Int) -> [[Int]] {
      var due: [[Int]] = []
      while let (value, event, at) = expectations.popDue(until: Self.instant(now)) {
        #expect(event == .stale)
        due.append([value.index, Int(at.nanoseconds / 1_000_000_000)])
      }
      return due
    }

    func wake(at now: Int) { expectations.woke(at: Self.instant(now)) }

    /// Continues an earlier run. Returns whether the value is stale.
    func restore(_ value: Int, reportedAt time: Int, wasStale: Bool = false, at now: Int) -> Bool {
      let report = Expectations.Report(time: Self.instant(time), isStale: wasStale)
      return expectations.restore(report, of: ValueID(index: value), at: Self.instant(now))
    }

    /// Returns whether it was stale and is not any more.
    func find(_ value: Int, writtenAt time: Int, at now: Int) -> Bool {
      expectations.noteContent(writtenAt: Self.instant(time), of: ValueID(index: value), at: Self.instant(now))
    }

    static func instant(_ seconds: Int) -> Instant { Instant(nanoseconds: Int64(seconds) * 1_000_000_000) }
  }

  @Test func `a value is stale when its interval has passed, and only once`() {
    let rig = Rig([3: 60])
    #expect(rig.expectations.nextDeadline == Rig.instant(60))
    #expect(rig.advance(to: 59).isEmpty)
    #expect(!rig.expectations.isStale(ValueID(index: 3)))
    #expect(rig.advance(to: 60) == [[3, 60]])
    #expect(rig.expectations.isStale(ValueID(index: 3)))
    #expect(rig.expectations.nextDeadline == nil)
    #expect(rig.advance(to: 1000).isEmpty)
  }

  @Test func `an update puts it off, and wakes nobody before`() {
    let rig = Rig([0: 60])
    for second in [10, 30, 50] { #expect(!rig.update(0, at: second)) }
    // The deadline that was set is looked at once, and moves.
    #expect(rig.advance(to: 60).isEmpty)
    #expect(rig.expectations.nextDeadline == Rig.instant(110))
    #expect(rig.advance(to: 200) == [[0, 110]])
  }

  @Test func `an update of a stale value begins anew`() {
    let rig = Rig([0: 10])
    _ = rig.advance(to: 10)
    #expect(rig.update(0, at: 25))
    #expect(!rig.expectations.isStale(ValueID(index: 0)))
    #expect(!rig.update(0, at: 26))
    #expect(rig.advance(to: 100) == [[0, 36]])
  }

  @Test func `several become stale in the order of time, at once in the order of their declaration`() {
    let rig = Rig([0: 30, 1: 10, 2: 20, 4: 10])
    _ = rig.update(1, at: 5)
    #expect(rig.advance(to: 100) == [[4, 10], [1, 15], [2, 20], [0, 30]])
  }

  @Test func `a value that never reports is missed from when it is first known`() {
    let rig = Rig([0: 10, 1: 20])
    #expect(rig.expectations.nextDeadline == Rig.instant(10))
    #expect(rig.advance(to: 15) == [[0, 10]])
    // A reload leaves the other one as it is.
    rig.replace([1: 20], at: 15)
    #expect(rig.advance(to: 3000) == [[1, 20]])
  }

  @Test func `values that nobody expects are never stale`() {
    let rig = Rig([1: 10])
    for other in [0, 2, 1000] {
      #expect(!rig.expectations.expects(ValueID(index: other)))
      #expect(!rig.expectations.isStale(ValueID(index: other)))
      #expect(!rig.update(other, at: 5))
    }
    #expect(rig.expectations.expects(ValueID(index: 1)))
  }

  // MARK: Time that soundd did not see

  @Test func `time asleep counts, and what is overdue at a waking has as long again, at most an hour`() {
    let rig = Rig([0: 60, 1: 60, 2: 90_000])
    _ = rig.update(1, at: 990)
    rig.wake(at: 1000)
    // One that is not overdue waits for the rest of its time alone.
    #expect(rig.advance(to: 1059) == [[1, 1050]])
    #expect(rig.advance(to: 1060) == [[0, 1060]])
    rig.wake(at: 100_000)
    #expect(rig.advance(to: 103_599).isEmpty)
    #expect(rig.advance(to: 103_600) == [[2, 103_600]])
  }

  @Test func `an update in that time ends it, and the next interval is a whole one`() {
    let rig = Rig([0: 60])
    rig.wake(at: 1000)
    #expect(!rig.update(0, at: 1059))
    #expect(rig.advance(to: 1118).isEmpty)
    #expect(rig.advance(to: 1119) == [[0, 1119]])
  }

  @Test func `sleep does not wake what was stale before`() {
    let rig = Rig([0: 10])
    _ = rig.advance(to: 10)
    rig.wake(at: 100)
    #expect(rig.expectations.isStale(ValueID(index: 0)))
    #expect(rig.expectations.nextDeadline == nil)
  }

  @Test(arguments: [
    // Not overdue: the rest of its time. Overdue: its interval again, at most an hour.
    (every: 600, reported: 700, start: 1000, stale: 1300), (600, 100, 1000, 1600), (90_000, 10, 200_000, 203_600),
    // The clock was set back meanwhile.
    (600, 5000, 1000, 1600),
  ])
  func `over a restart the time goes on from the last update`(every: Int, reported: Int, start: Int, stale: Int) {
    let rig = Rig([0: every], at: start)
    #expect(!rig.restore(0, reportedAt: reported, at: start))
    #expect(rig.advance(to: stale - 1).isEmpty)
    #expect(rig.advance(to: stale) == [[0, stale]])
  }

  /// A machine that runs at certain times. Returns when the value became stale.
  private func stale(every: Int, reports: [Int], runs: [ClosedRange<Int>]) -> [Int] {
    var stale: [Int] = []
    var saved = (time: runs[0].lowerBound, isStale: false)
    for run in runs {
      let rig = Rig([0: every], at: run.lowerBound)
      _ = rig.restore(0, reportedAt: saved.time, wasStale: saved.isStale, at: run.lowerBound)
      for time in reports where run.contains(time) {
        stale += rig.advance(to: time).map { $0[1] }
        _ = rig.update(0, at: time)
      }
      stale += rig.advance(to: run.upperBound).map { $0[1] }
      let report = rig.expectations.reports[0].report
      saved = (Int(report.time.nanoseconds / 1_000_000_000), report.isStale)
    }
    return stale
  }

  private static let hour = 3600

  @Test func `a job that runs each hour is not missed because the machine was off over night`() {
    let reports = (0...40).map { $0 * Self.hour }
    // Off from 18:00 to 8:05.
    let runs = [0...18 * Self.hour, 32 * Self.hour + 300...40 * Self.hour]
    #expect(stale(every: 70 * 60, reports: reports, runs: runs).isEmpty)
  }

  @Test func `a heartbeat is not missed because of an upgrade of two minutes`() {
    let reports = (0...100).map { $0 * 30 }
    #expect(stale(every: 60, reports: reports, runs: [0...600, 720...3000]).isEmpty)
  }

  @Test func `a daily job that stops is missed on a machine that runs eight hours a day, and one that runs is not`() {
    // From 9:00 to 17:00 on ten days; the job runs at noon, for the last time on the fourth.
    let runs = (0..<10).map { (24 * $0 + 9) * Self.hour...(24 * $0 + 17) * Self.hour }
    let reports = (0..<4).map { (24 * $0 + 12) * Self.hour }
    #expect(stale(every: 25 * Self.hour, reports: reports, runs: runs) == [(24 * 4 + 13) * Self.hour])
  }

  @Test func `what was stale at the end of the last run is stale, until it reports`() {
    let rig = Rig([0: 60], at: 1000)
    #expect(rig.restore(0, reportedAt: 100, wasStale: true, at: 1000))
    #expect(rig.advance(to: 5000).isEmpty)
    #expect(!rig.find(0, writtenAt: 100, at: 5000))
    #expect(rig.find(0, writtenAt: 4990, at: 5000))
    #expect(rig.advance(to: 6000) == [[0, 5050]])
  }

  @Test func `a file that was written long ago was reported then`() {
    let rig = Rig([0: 60, 1: 60], at: 1000)
    #expect(!rig.find(0, writtenAt: 100, at: 1000) && !rig.find(1, writtenAt: 970, at: 1000))
    #expect(rig.advance(to: 1030) == [[1, 1030]])
    #expect(rig.advance(to: 1060) == [[0, 1060]])
  }

  @Test func `what outlives soundd are the times of the last updates`() {
    let rig = Rig([0: 60, 1: 10])
    _ = rig.update(0, at: 30)
    _ = rig.advance(to: 50)
    let reports = rig.expectations.reports.sorted { $0.value.index < $1.value.index }.map(\.report)
    #expect(
      reports == [.init(time: Rig.instant(30), isStale: false), .init(time: Rig.instant(0), isStale: true)])
  }

  @Test func `a reload keeps what stayed the same and begins the rest`() {
    let rig = Rig([0: 60, 1: 60, 2: 60, 3: 10, 4: 10])
    _ = rig.advance(to: 20)
    rig.replace([0: 60, 1: 30, 3: 10, 4: 99, 5: 7], at: 20)
    #expect(!rig.expectations.expects(ValueID(index: 2)))
    // Stale is stale, whatever the interval: only an update ends it.
    #expect(rig.expectations.isStale(ValueID(index: 3)) && rig.expectations.isStale(ValueID(index: 4)))
    #expect(rig.advance(to: 1000) == [[5, 27], [1, 50], [0, 60]])
    #expect(rig.update(4, at: 1000))
    #expect(rig.advance(to: 2000) == [[4, 1099]])
  }

  @Test func `random updates, sleeps and steps do what a plain list does`() {
    var generator = SplitMix64(seed: 5)
    for _ in 0..<40 {
      let intervals = Dictionary(uniqueKeysWithValues: (0..<6).map { ($0, Int.random(in: 1...20, using: &generator)) })
      let rig = Rig(intervals)
      /// When each becomes stale; `nil`: it is.
      var plain: [Int: Int?] = intervals.mapValues { $0 }
      var now = 0
      var last: [Int: Int] = [:]
      for _ in 0..<300 {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0:
          let length = Int.random(in: 1...50, using: &generator)
          now += length
          rig.wake(at: now)
          for (value, interval) in intervals where last[value, default: 0] + interval <= now {
            if plain[value] != .some(nil) { plain[value] = now + min(3600, interval) }
          }
        case 1...5:
          let value = Int.random(in: 0..<6, using: &generator)
          #expect(rig.update(value, at: now) == (plain[value] == .some(nil)))
          (plain[value], last[value]) = (now + (intervals[value] ?? 0), now)
        default:
          now += Int.random(in: 0...8, using: &generator)
          let due = plain.compactMap { value, at in at.flatMap { $0 <= now ? [value, $0] : nil } }
          #expect(rig.advance(to: now) == due.sorted { ($0[1], $0[0]) < ($1[1], $1[0]) })
          for pair in due { plain[pair[0]] = .some(nil) }
        }
      }
    }
  }
}
