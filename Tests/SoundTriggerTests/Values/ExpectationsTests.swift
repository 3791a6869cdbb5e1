import SoundTrigger
import Testing

struct ExpectationsTests {
  /// Expectations in whole seconds.
  private final class Rig {
    var expectations = Expectations()

    init(_ intervals: [Int: Int], at now: Int = 0) { replace(intervals, at: now) }

    func replace(_ intervals: [Int: Int], at now: Int, hasContent: Bool = true) {
      for (value, interval) in intervals {
        expectations.expect(
          ValueID(index: value), every: .seconds(interval), hasContent: hasContent, at: Self.instant(now))
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

    func sleep(_ seconds: Int) { expectations.slept(for: .seconds(seconds)) }

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

  @Test func `what never came is not missed: the first update begins the interval`() {
    let rig = Rig([:])
    rig.replace([0: 10, 1: 20], at: 0, hasContent: false)
    #expect(rig.expectations.nextDeadline == nil)
    #expect(rig.advance(to: 1000).isEmpty)
    rig.sleep(10)
    #expect(!rig.update(0, at: 1000))
    #expect(rig.expectations.nextDeadline == Rig.instant(1010))
    #expect(rig.advance(to: 2000) == [[0, 1010]])
    // A reload leaves the other one as it is.
    rig.replace([1: 20], at: 2000, hasContent: false)
    #expect(rig.advance(to: 3000).isEmpty)
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

  @Test func `time asleep does not count`() {
    let rig = Rig([0: 60, 1: 60])
    _ = rig.update(1, at: 20)
    rig.sleep(1000)
    #expect(rig.expectations.nextDeadline == Rig.instant(1060))
    rig.sleep(500)
    #expect(rig.advance(to: 1559).isEmpty)
    // An update after the sleep knows of no sleep.
    _ = rig.update(1, at: 1570)
    #expect(rig.advance(to: 1600) == [[0, 1560]])
    #expect(rig.advance(to: 2000) == [[1, 1630]])
  }

  @Test func `sleep does not wake what was stale before`() {
    let rig = Rig([0: 10])
    _ = rig.advance(to: 10)
    rig.sleep(100)
    #expect(rig.expectations.isStale(ValueID(index: 0)))
    #expect(rig.expectations.nextDeadline == nil)
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
      for _ in 0..<300 {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0:
          let length = Int.random(in: 1...50, using: &generator)
          now += length
          rig.sleep(length)
          plain = plain.mapValues { $0.map { $0 + length } }
        case 1...5:
          let value = Int.random(in: 0..<6, using: &generator)
          #expect(rig.update(value, at: now) == (plain[value] == .some(nil)))
          plain[value] = now + (intervals[value] ?? 0)
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
