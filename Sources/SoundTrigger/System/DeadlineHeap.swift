/// At most one deadline for each owner, with the earliest at hand.
///
/// A binary heap that knows the place of each owner, so that it moves and removes a deadline in O(log n). Allocates nothing
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
  /// The place of each owner in `heap`; -1 if it has no deadline.
  private var places: [Int]

  /// Reserves memory for the owners `0..<count`, which have no deadlines yet.
  package init(count: Int = 0) {
    places = Array(repeating: -1, count: count)
    heap.reserveCapacity(count)
  }

  /// Adds the next owner, without a deadline.
  package mutating func addOwner() { places.append(-1) }

  /// The earliest deadline and its owner, in O(1).
  package var first: (deadline: Instant, owner: Int)? {
    heap.first.map { ($0.deadline, $0.owner) }
  }

  /// Sets an owner's deadline, or removes it. Equal deadlines come by their `order`.
  package mutating func set(_ deadline: Instant?, order: Int, for owner: Int) {
    let place = places[owner]
    switch (deadline, place) {
    case (nil, -1): break
    case (nil, _): remove(at: place)
    case (let deadline?, -1):
      places[owner] = heap.count
      heap.append(Entry(deadline: deadline, order: order, owner: owner))
      restore(heap.count - 1)
    case (let deadline?, _):
      guard heap[place].deadline != deadline || heap[place].order != order else { return }
      heap[place].deadline = deadline
      heap[place].order = order
      restore(place)
    }
  }

  private mutating func remove(at place: Int) {
    swap(place, heap.count - 1)
    places[heap.removeLast().owner] = -1
    if place < heap.count { restore(place) }
  }

  private mutating func swap(_ place: Int, _ other: Int) {
    heap.swapAt(place, other)
    places[heap[place].owner] = place
    places[heap[other].owner] = other
  }

  /// Moves an entry up or down, to where it belongs.
  private mutating func restore(_ start: Int) {
    var place = start
    while place > 0, heap[place].precedes(heap[(place - 1) / 2]) {
      swap(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
    while 2 * place + 1 < heap.count {
      var child = 2 * place + 1
      if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
      guard heap[child].precedes(heap[place]) else { return }
      swap(place, child)
      place = child
    }
  }
}
