import SoundTrigger

extension EventLoop {
  /// Calls its handler once at a given time; it may be scheduled again and again.
  final class Timer {
    /// Its place in the heap; `nil` if it is not scheduled.
    fileprivate var place: Int?
    /// When it fires, or fired last.
    fileprivate(set) var deadline = Instant(nanoseconds: 0)
    /// Which of all insertions into the heap was its latest.
    fileprivate(set) var insertion = 0
    let handler: () -> Void

    init(_ handler: @escaping () -> Void) { self.handler = handler }

    /// Whether it is going to fire.
    var isScheduled: Bool { place != nil }

    fileprivate func precedes(_ other: Timer) -> Bool {
      (deadline, insertion) < (other.deadline, other.insertion)
    }
  }

  /// Timers by deadline, and by insertion if their deadlines are equal: a binary heap in which each timer knows its
  /// place.
  struct TimerHeap {
    private var heap: [Timer] = []
    /// How many insertions there have been.
    private(set) var insertions = 0

    /// The timer with the earliest deadline.
    var first: Timer? { heap.first }

    /// Inserts a timer, or moves it if it is in the heap already.
    mutating func insert(_ timer: Timer, at deadline: Instant) {
      insertions += 1
      timer.deadline = deadline
      timer.insertion = insertions
      let place = timer.place ?? heap.count
      if timer.place == nil { heap.append(timer) }
      timer.place = place
      siftDown(siftUp(place))
    }

    mutating func remove(_ timer: Timer) {
      guard let place = timer.place else { return }
      timer.place = nil
      let last = heap.removeLast()
      if last === timer { return }
      heap[place] = last
      last.place = place
      siftDown(siftUp(place))
    }

    private mutating func swap(_ a: Int, _ b: Int) {
      heap.swapAt(a, b)
      heap[a].place = a
      heap[b].place = b
    }

    /// Returns the new place of the timer.
    private mutating func siftUp(_ start: Int) -> Int {
      var place = start
      while place > 0, heap[place].precedes(heap[(place - 1) / 2]) {
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
        where child < heap.count && heap[child].precedes(heap[least]) { least = child }
        if least == place { return }
        swap(place, least)
        place = least
      }
    }
  }
}
