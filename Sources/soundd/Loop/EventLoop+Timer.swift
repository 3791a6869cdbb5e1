import SoundTrigger

extension EventLoop {
  /// Calls its handler once at a given time; it may be scheduled again and again.
  final class Timer {
    fileprivate enum State {
      /// Neither scheduled nor due.
      case idle
      /// In the heap, at this place.
      case scheduled(Int)
      /// Removed from the heap in this turn, and about to fire.
      case due
    }

    fileprivate var state = State.idle
    /// When it fires, or fired last.
    fileprivate(set) var deadline = Instant(nanoseconds: 0)
    private let handler: () -> Void

    init(_ handler: @escaping () -> Void) { self.handler = handler }

    /// Whether it is going to fire.
    var isScheduled: Bool {
      if case .idle = state { false } else { true }
    }

    func fireIfDue() {
      guard case .due = state else { return }
      state = .idle
      handler()
    }
  }

  /// Timers by deadline: a binary heap in which each timer knows its place.
  struct TimerHeap {
    private var heap: [Timer] = []

    /// The earliest deadline.
    var first: Instant? { heap.first?.deadline }

    mutating func insert(_ timer: Timer, at deadline: Instant) {
      if case .scheduled(let place) = timer.state {
        timer.deadline = deadline
        siftDown(siftUp(place))
        return
      }
      timer.deadline = deadline
      heap.append(timer)
      timer.state = .scheduled(heap.count - 1)
      _ = siftUp(heap.count - 1)
    }

    mutating func remove(_ timer: Timer) {
      if case .scheduled(let place) = timer.state { removeAt(place) }
      timer.state = .idle
    }

    /// Moves timers whose deadline is not after `now` into `due`, the earliest first, until there are `limit`.
    mutating func removeDue(_ now: Instant, into due: inout [Timer], limit: Int = .max) {
      while due.count < limit, let timer = heap.first, timer.deadline <= now {
        removeAt(0)
        timer.state = .due
        due.append(timer)
      }
    }

    /// Schedules a due timer again at its old deadline, unless it was cancelled meanwhile.
    mutating func putBack(_ timer: Timer) {
      guard case .due = timer.state else { return }
      timer.state = .idle
      insert(timer, at: timer.deadline)
    }

    private mutating func removeAt(_ place: Int) {
      let last = heap.count - 1
      if place != last { swap(place, last) }
      heap.removeLast()
      if place < heap.count { siftDown(siftUp(place)) }
    }

    private mutating func swap(_ a: Int, _ b: Int) {
      heap.swapAt(a, b)
      heap[a].state = .scheduled(a)
      heap[b].state = .scheduled(b)
    }

    /// Returns the new place of the timer.
    private mutating func siftUp(_ start: Int) -> Int {
      var place = start
      while place > 0, heap[place].deadline < heap[(place - 1) / 2].deadline {
        swap(place, (place - 1) / 2)
        place = (place - 1) / 2
      }
      return place
    }

    private mutating func siftDown(_ start: Int) {
      var place = start
      while true {
        var least = place
        for child in [2 * place + 1, 2 * place + 2]
        where child < heap.count && heap[child].deadline < heap[least].deadline { least = child }
        if least == place { return }
        swap(place, least)
        place = least
      }
    }
  }
}
