import Synchronization
import TestSupport
import Testing

@testable import SoundTrigger

/// What a deadline costs, counted in comparisons: time would depend on the machine.
@Suite struct DeadlineHeapTests {
  private static let owners = 100_000
  /// Levels of a binary tree of so many.
  private static let levels = 17
  /// On each level two entries are compared with another at most, for equality and for order.
  private static let mostComparisons = 4 * (levels + 1)

  @Test func `a deadline among 100,000 is set, moved and removed with four comparisons a level at most`() {
    var random = TestRandom(state: 4)
    var heap = DeadlineHeap<CountedDeadline>(count: Self.owners)
    let counter = Counter()
    var most = 0
    func cost(_ change: () -> Void) {
      let before = counter.value
      change()
      most = max(most, counter.value - before)
    }
    for owner in 0..<Self.owners {
      // Each is the earliest so far: it has the whole way to go.
      cost { heap.set(CountedDeadline(-owner, counter), for: owner) }
    }
    #expect(most > Self.levels)
    for _ in 0..<(isQuick ? 2_000 : 20_000) {
      let owner = random.below(Self.owners)
      let deadline = CountedDeadline(random.below(2 * Self.owners) - Self.owners, counter)
      cost { heap.set(random.chance(30) ? nil : deadline, for: owner) }
    }
    for _ in 0..<(isQuick ? 2_000 : 20_000) {
      guard let owner = heap.first?.owner else { break }
      cost { heap.set(nil, for: owner) }
    }
    #expect(most <= Self.mostComparisons)
  }

  @Test func `deadlines come in their order, equal ones in the order of their owners`() {
    var random = TestRandom(state: 5)
    var heap = DeadlineHeap<CountedDeadline>(count: 500)
    let counter = Counter()
    var pending: [Int: Int] = [:]
    for _ in 0..<3_000 {
      let owner = random.below(500)
      pending[owner] = random.chance(30) ? nil : random.below(50)
      heap.set(pending[owner].map { CountedDeadline($0, counter) }, for: owner)
    }
    let expected = pending.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    var order: [Int] = []
    while let first = heap.first {
      order.append(first.owner)
      heap.set(nil, for: first.owner)
    }
    #expect(order == expected)
  }
}

private final class Counter: Sendable {
  private let comparisons = Atomic<Int>(0)

  var value: Int { comparisons.load(ordering: .relaxed) }

  func count() { comparisons.add(1, ordering: .relaxed) }
}

private struct CountedDeadline: Comparable, Sendable {
  private let time: Int
  private let counter: Counter

  init(_ time: Int, _ counter: Counter) {
    self.time = time
    self.counter = counter
  }

  static func == (left: Self, right: Self) -> Bool {
    left.counter.count()
    return left.time == right.time
  }

  static func < (left: Self, right: Self) -> Bool {
    left.counter.count()
    return left.time < right.time
  }
}
