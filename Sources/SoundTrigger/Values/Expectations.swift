/// Which values are to be updated how often, and which of them have become stale.
///
/// Reads no clock: it is told the time, and asks for the time of a value's last update when a deadline has come. An
/// update in time costs nothing here: the deadline that it moves is put off when it is reached, in O(log n).
package struct Expectations: Sendable {
  private struct Entry: Sendable {
    var value: ValueID
    var interval: Duration
    /// From when on it is waited for, if there was no update since.
    var start: Instant
    /// Time asleep that `start` or the update at that time did not know of.
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
  /// A deadline for each entry that is not stale; it may be earlier than it is by now. Equal ones come in the order of the
  /// declarations.
  private var deadlines = DeadlineHeap<Instant>(count: 0)
  private var staleCount = 0

  package init() {}

  /// When something may become stale, if nothing is updated before; found in O(1).
  package var nextDeadline: Instant? { deadlines.first?.deadline }

  /// Whether updates of a value are expected.
  package func expects(_ value: ValueID) -> Bool { place(of: value) != nil }

  package func isStale(_ value: ValueID) -> Bool { place(of: value).map { entries[$0].isStale } ?? false }

  /// Takes over other intervals.
  ///
  /// What is stale stays so while it is expected at all; an interval that stays the same goes on; any other begins now.
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

  /// The next value that has become stale until now, and when; to be called until it returns `nil`.
  ///
  /// `lastUpdate` tells when a value was last updated, `nil`: never.
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

  /// Takes in that a value was updated; returns whether it was stale.
  package mutating func noteUpdate(of value: ValueID, at now: Instant) -> Bool {
    guard staleCount > 0, let place = place(of: value), entries[place].isStale else { return false }
    entries[place].isStale = false
    staleCount -= 1
    entries[place].start = now
    entries[place].slept = .zero
    deadlines.set(entries[place].deadline(lastUpdate: nil), for: place)
    return true
  }

  /// Takes in that the machine slept, which does not count; to be called before any update that came after.
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
