/// At most one deadline for each owner, with the earliest at hand.
///
/// A binary heap that knows the place of each owner, so that it moves and removes a deadline in O(log n). Allocates nothing
/// after `init`. Equal deadlines come in the order of their owners.
struct DeadlineHeap<Deadline: Comparable & Sendable>: Sendable {
  private struct Entry: Sendable {
    var deadline: Deadline
    var owner: Int

    func precedes(_ other: Entry) -> Bool {
      deadline == other.deadline ? owner < other.owner : deadline < other.deadline
    }
  }

  private var heap: [Entry] = []
  /// The place of each owner in `heap`; -1 if it has no deadline.
  private var places: [Int]

  /// Reserves memory for the owners `0..<count`, which have no deadlines yet.
  init(count: Int) {
    places = Array(repeating: -1, count: count)
    heap.reserveCapacity(count)
  }

  /// The earliest deadline and its owner, in O(1).
  var first: (deadline: Deadline, owner: Int)? {
    heap.first.map { ($0.deadline, $0.owner) }
  }

  /// Sets an owner's deadline, or removes it.
  mutating func set(_ deadline: Deadline?, for owner: Int) {
    let place = places[owner]
    switch (deadline, place) {
    case (nil, -1): break
    case (nil, _): remove(at: place)
    case (let deadline?, -1):
      places[owner] = heap.count
      heap.append(Entry(deadline: deadline, owner: owner))
      siftUp(heap.count - 1)
    case (let deadline?, _):
      guard heap[place].deadline != deadline else { return }
      heap[place].deadline = deadline
      restore(place)
    }
  }

  private mutating func remove(at place: Int) {
    places[heap[place].owner] = -1
    let last = heap.removeLast()
    guard place < heap.count else { return }
    put(last, at: place)
    restore(place)
  }

  private mutating func put(_ entry: Entry, at place: Int) {
    heap[place] = entry
    places[entry.owner] = place
  }

  private mutating func restore(_ place: Int) {
    if place > 0, heap[place].precedes(heap[(place - 1) / 2]) { siftUp(place) } else { siftDown(place) }
  }

  private mutating func siftUp(_ start: Int) {
    let entry = heap[start]
    var place = start
    while place > 0 {
      let parent = (place - 1) / 2
      guard entry.precedes(heap[parent]) else { break }
      put(heap[parent], at: place)
      place = parent
    }
    put(entry, at: place)
  }

  private mutating func siftDown(_ start: Int) {
    let entry = heap[start]
    var place = start
    while true {
      var child = 2 * place + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
      guard heap[child].precedes(entry) else { break }
      put(heap[child], at: place)
      place = child
    }
    put(entry, at: place)
  }
}
