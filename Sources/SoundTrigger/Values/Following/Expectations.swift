/// The values with an `expect_every`, and which of them are stale.
///
/// Reads no clock: the caller passes the time, and the time of a value's last update when a deadline passes. An update in
/// time costs nothing here, because its deadline is postponed only when it passes, in O(log n).
package struct Expectations: Sendable {
  private struct Entry: Sendable {
    var value: ValueID
    var interval: Duration
    /// The start of the interval if there was no update since.
    var start: Instant
    /// The time that the machine slept since `start`.
    var slept = Duration.zero
    var isStale = false

    /// When the value becomes stale if it was last updated then.
    func deadline(lastUpdate: Instant?) -> Instant {
      if let lastUpdate, lastUpdate > start { return lastUpdate.advanced(by: interval) }
      return start.advanced(by: interval + slept)
    }
  }

  private var entries: [Entry] = []
  /// The entry of each value by its index; -1: none.
  private var places: [Int] = []
  /// A deadline for each entry that is not stale. It may be too early, because updates do not move it. Equal deadlines pass
  /// in the order of the declarations.
  private var deadlines = DeadlineHeap<Instant>(count: 0)
  private var staleCount = 0

  package init() {}

  /// The earliest time at which a value may become stale; found in O(1).
  package var nextDeadline: Instant? { deadlines.first?.deadline }

  /// Whether the value has an `expect_every`.
  package func expects(_ value: ValueID) -> Bool { place(of: value) != nil }

  package func isStale(_ value: ValueID) -> Bool { place(of: value).map { entries[$0].isStale } ?? false }

  /// Replaces the intervals, after a reload.
  ///
  /// A stale value stays stale if it still has an interval. An interval that stays the same continues; any other begins now.
  package mutating func replace(_ intervals: [(value: ValueID, interval: Duration)], at now: Instant) {
    var next = Expectations()
    next.deadlines = DeadlineHeap(count: intervals.count)
    for (value, interval) in intervals {
      var entry = Entry(value: value, interval: interval, start: now)
      if let place = place(of: value) {
        entry.isStale = entries[place].isStale
        if entries[place].interval == interval { entry = entries[place] }
      }
      while next.places.count <= value.index { next.places.append(-1) }
      next.places[value.index] = next.entries.count
      next.entries.append(entry)
      if entry.isStale {
        next.staleCount += 1
      } else {
        next.deadlines.set(entry.deadline(lastUpdate: nil), for: next.entries.count - 1)
      }
    }
    self = next
  }

  /// The next value that became stale until now, and when. Call it until it returns `nil`.
  ///
  /// `lastUpdate` returns the time of a value's last update, `nil` if there was none.
  package mutating func nextStale(
    until now: Instant, lastUpdate: (ValueID) -> Instant?
  ) -> (value: ValueID, at: Instant)? {
    while let (time, place) = deadlines.first, time <= now {
      let entry = entries[place]
      let deadline = entry.deadline(lastUpdate: lastUpdate(entry.value))
      if deadline > time {
        deadlines.set(deadline, for: place)
        continue
      }
      entries[place].isStale = true
      staleCount += 1
      deadlines.set(nil, for: place)
      return (entry.value, time)
    }
    return nil
  }

  /// Notes an update of a value; returns whether the value was stale.
  package mutating func noteUpdate(of value: ValueID, at now: Instant) -> Bool {
    guard staleCount > 0, let place = place(of: value), entries[place].isStale else { return false }
    entries[place].isStale = false
    staleCount -= 1
    entries[place].start = now
    entries[place].slept = .zero
    deadlines.set(entries[place].deadline(lastUpdate: nil), for: place)
    return true
  }

  /// Moves the deadlines by the time that the machine slept. Call it before any update that came later.
  package mutating func slept(for duration: Duration, lastUpdate: (ValueID) -> Instant?) {
    for place in entries.indices where !entries[place].isStale {
      if let last = lastUpdate(entries[place].value), last > entries[place].start {
        entries[place].start = last
        entries[place].slept = .zero
      }
      entries[place].slept += duration
      deadlines.set(entries[place].deadline(lastUpdate: nil), for: place)
    }
  }

  private func place(of value: ValueID) -> Int? {
    value.index < places.count && places[value.index] >= 0 ? places[value.index] : nil
  }
}
