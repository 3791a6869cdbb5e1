import SoundTrigger
import Testing

struct DerivationOrderTests {
  private func order(_ pairs: [(Int, Int)]) -> DerivationOrder {
    DerivationOrder(pairs.map { (ValueID(index: $0.0), ValueID(index: $0.1)) })
  }

  /// The values that are computed for an update of `root` if those in `silent` are not updated.
  private func visited(_ order: DerivationOrder, _ root: Int, silent: Set<Int> = []) -> [Int] {
    let range = order.steps(below: ValueID(index: root))
    var place = range.lowerBound
    var values: [Int] = []
    while place < range.upperBound {
      let step = order.steps[place]
      values.append(step.value.index)
      place = silent.contains(step.value.index) ? step.next : place + 1
    }
    return values
  }

  @Test func `each value comes after its base, and only below it`() {
    // 0 → 5 → 2, 0 → 1, 3 → 4; declared in any order.
    let order = order([(2, 5), (4, 3), (5, 0), (1, 0)])
    #expect(visited(order, 0) == [5, 2, 1])
    #expect(visited(order, 3) == [4])
    for other in [1, 2, 4, 5, 6, 1000] { #expect(visited(order, other).isEmpty) }
    #expect(order.steps.first { $0.value.index == 2 }?.base == ValueID(index: 5))
  }

  @Test func `what follows from a value that was not updated is left out`() {
    let order = order([(1, 0), (2, 1), (3, 2), (4, 1), (5, 0)])
    #expect(visited(order, 0) == [1, 2, 3, 4, 5])
    #expect(visited(order, 0, silent: [2]) == [1, 2, 4, 5])
    #expect(visited(order, 0, silent: [1]) == [1, 5])
    #expect(visited(order, 0, silent: [5, 3]) == [1, 2, 3, 4, 5])
  }

  @Test func `a chain may be as long as there are values`() {
    let order = order((1..<65_536).map { ($0, $0 - 1) })
    #expect(visited(order, 0) == Array(1..<65_536))
    #expect(visited(order, 0, silent: [1]) == [1])
  }

  @Test func `there may be none`() {
    #expect(visited(order([]), 0).isEmpty)
    #expect(visited(DerivationOrder(), 0).isEmpty)
  }

  @Test func `random forests are walked as a recursive walk does`() {
    var generator = SplitMix64(seed: 11)
    for _ in 0..<300 {
      let count = Int.random(in: 1...30, using: &generator)
      let pairs = (1...count).compactMap { value in
        Bool.random(using: &generator) ? (value, Int.random(in: 0..<value, using: &generator)) : nil
      }
      let order = order(pairs.shuffled(using: &generator))
      let silent = Set((0...count).filter { _ in Int.random(in: 0..<4, using: &generator) == 0 })
      func walk(_ value: Int) -> Set<Int> {
        pairs.filter { $0.1 == value }.reduce(into: []) { all, pair in
          all.insert(pair.0)
          if !silent.contains(pair.0) { all.formUnion(walk(pair.0)) }
        }
      }
      for root in 0...count where !pairs.contains(where: { $0.0 == root }) {
        let values = visited(order, root, silent: silent)
        #expect(Set(values) == walk(root) && values.count == Set(values).count)
      }
    }
  }
}
