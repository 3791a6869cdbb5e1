import Testing

@testable import SoundTrigger

@Suite struct DeadlineHeapTests {
  @Test func `deadlines come in their order, equal ones in the order of their owners`() {
    var random = TestRandom(state: 5)
    for count in [1, 2, 17, 500] {
      var heap = DeadlineHeap(count: count / 2)
      for _ in count / 2..<count { heap.addOwner() }
      var pending: [Int: Int] = [:]
      for _ in 0..<6 * count {
        let owner = random.below(count)
        pending[owner] = random.chance(30) ? nil : random.below(50)
        heap.set(pending[owner].map { Instant(Int64($0)) }, order: owner, for: owner)
        #expect(heap.first?.deadline == pending.values.min().map { Instant(Int64($0)) })
      }
      let expected = pending.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
      var order: [Int] = []
      while let first = heap.first {
        order.append(first.owner)
        heap.set(nil, order: 0, for: first.owner)
      }
      #expect(order == expected)
    }
  }

  @Test func `an owner that comes later in its order comes after its equals`() {
    var heap = DeadlineHeap(count: 2)
    heap.set(Instant(7), order: 1, for: 0)
    heap.set(Instant(7), order: 2, for: 1)
    heap.set(Instant(7), order: 3, for: 0)
    #expect(heap.first?.owner == 1)
  }
}
