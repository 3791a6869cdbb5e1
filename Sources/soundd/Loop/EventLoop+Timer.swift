import SoundTrigger

extension EventLoop {
  /// Calls its handler once at a given time; it may be scheduled again and again.
  final class Timer {
    /// Its number among the scheduled timers; `nil` if it is not scheduled.
    fileprivate var number: Int?
    /// When it fires, or fired last.
    fileprivate(set) var deadline = Instant(nanoseconds: 0)
    /// The number of its latest insertion, among those of all timers.
    fileprivate(set) var insertion = 0
    let handler: () -> Void

    init(_ handler: @escaping () -> Void) { self.handler = handler }

    /// Whether it is going to fire.
    var isScheduled: Bool { number != nil }
  }

  /// The scheduled timers, by deadline, and by insertion if their deadlines are equal.
  struct ScheduledTimers {
    private var deadlines = DeadlineHeap()
    /// The timers by their numbers; `nil` where a number is free.
    private var timers: [Timer?] = []
    private var freeNumbers: [Int] = []
    /// How many insertions there have been.
    private(set) var insertions = 0

    /// The timer with the earliest deadline.
    var first: Timer? { deadlines.first.flatMap { timers[$0.owner] } }

    /// Schedules a timer, or moves it if it is scheduled already.
    mutating func insert(_ timer: Timer, at deadline: Instant) {
      insertions += 1
      timer.deadline = deadline
      timer.insertion = insertions
      let number = timer.number ?? add(timer)
      deadlines.set(deadline, order: insertions, for: number)
    }

    private mutating func add(_ timer: Timer) -> Int {
      let number = freeNumbers.popLast() ?? timers.count
      if number == timers.count {
        timers.append(nil)
        deadlines.addOwner()
      }
      timers[number] = timer
      timer.number = number
      return number
    }

    mutating func remove(_ timer: Timer) {
      guard let number = timer.number else { return }
      deadlines.set(nil, order: 0, for: number)
      timers[number] = nil
      timer.number = nil
      freeNumbers.append(number)
    }
  }
}
