/// At most one deadline for each owner, with the earliest at hand.
///
/// A binary heap that knows the position of each owner, so that it moves and removes a deadline in O(log n). Allocates nothing
/// for the owners of `init`.
package struct DeadlineHeap: Sendable {
  private struct Entry: Sendable {
    var deadline: Instant
    var order: Int
    var owner: Int

    func precedes(_ other: Entry) -> Bool {
      deadline == other.deadline ? order < other.order : deadline < other.deadline
    }
  }

  private var heap: [Entry] = []
  /// The position of each owner in `heap`; -1 if it has no deadline.
  private var positions: [Int]

  /// Reserves memory for the owners `0..<count`, which have no deadlines yet.
  package init(count: Int = 0) {
    positions = Array(repeating: -1, count: count)
    heap.reserveCapacity(count)
  }

  /// Adds the next owner, without a deadline.
  package mutating func addOwner() { positions.append(-1) }

  /// The earliest deadline and its owner, in O(1).
  package var first: (deadline: Instant, owner: Int)? {
    heap.first.map { ($0.deadline, $0.owner) }
  }

  /// Sets an owner's deadline, or removes it. Equal deadlines come by their `order`.
  package mutating func set(_ deadline: Instant?, order: Int, for owner: Int) {
    let position = positions[owner]
    switch (deadline, position) {
    case (nil, -1): break
    case (nil, _): remove(at: position)
    case (let deadline?, -1):
      positions[owner] = heap.count
      heap.append(Entry(deadline: deadline, order: order, owner: owner))
      restore(heap.count - 1)
    case (let deadline?, _):
      guard heap[position].deadline != deadline || heap[position].order != order else { return }
      heap[position].deadline = deadline
      heap[position].order = order
      restore(position)
    }
  }

  private mutating func remove(at position: Int) {
    swap(position, heap.count - 1)
    positions[heap.removeLast().owner] = -1
    if position < heap.count { restore(position) }
  }

  private mutating func swap(_ position: Int, _ other: Int) {
    heap.swapAt(position, other)
    positions[heap[position].owner] = position
    positions[heap[other].owner] = other
  }

  /// Moves an entry up or down, to where it belongs.
  private mutating func restore(_ start: Int) {
    var position = start
    while position > 0, heap[position].precedes(heap[(position - 1) / 2]) {
      swap(position, (position - 1) / 2)
      position = (position - 1) / 2
    }
    while 2 * position + 1 < heap.count {
      var child = 2 * position + 1
      if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
      guard heap[child].precedes(heap[position]) else { return }
      swap(position, child)
      position = child
    }
  }
}
