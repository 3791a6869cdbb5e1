/// The values with an `expect_every`, and which values are stale: those, and values whose command or feed does not work.
///
/// Reads no clock: the caller passes the time.
package struct Expectations: Sendable {
  private struct Entry: Sendable {
    var value: ValueID
    var interval: Duration
    /// When the value becomes stale if no update comes before; `nil` before the first update: what never came is not missed.
    var deadline: Instant?
    var isStale = false
  }

  private var entries: [Entry] = []
  /// The index of each value's entry.
  private var indices: [ValueID: Int] = [:]
  /// The values whose source does not work.
  private var orphans: Set<ValueID> = []
  /// The earliest time at which a value may become stale. It may be too early, because updates do not move it.
  package private(set) var nextDeadline: Instant?

  package init() {}

  /// Whether no value has an `expect_every`. Stored, because each update asks, and a computed property would copy all of this.
  package private(set) var isEmpty = true

  /// Notes whether the source of a value works. Returns whether the value is stale, or not stale any more, only because of that.
  package mutating func note(sourceWorks works: Bool, of value: ValueID) -> Bool {
    let isNew = works ? orphans.remove(value) != nil : orphans.insert(value).inserted
    return isNew && indices[value].map { entries[$0].isStale } != true
  }

  /// Whether the value has an `expect_every`.
  package func expects(_ value: ValueID) -> Bool { indices[value] != nil || orphans.contains(value) }

  package func isStale(_ value: ValueID) -> Bool {
    orphans.contains(value) || indices[value].map { entries[$0].isStale } ?? false
  }

  /// Replaces the intervals, after a reload.
  ///
  /// A stale value stays stale if it still has an interval. An interval that stays the same continues; any other begins now,
  /// if `hasContent`, else with the first update.
  package mutating func replace(
    _ intervals: [(value: ValueID, interval: Duration, hasContent: Bool)], at now: Instant
  ) {
    if intervals.elementsEqual(entries, by: { $0.value == $1.value && $0.interval == $1.interval }) { return }
    var next = Expectations()
    next.orphans = orphans
    for (value, interval, hasContent) in intervals {
      var entry = Entry(value: value, interval: interval, deadline: hasContent ? now.advanced(by: interval) : nil)
      if let index = indices[value] {
        entry.isStale = entries[index].isStale
        if entries[index].interval == interval { entry = entries[index] }
      }
      next.indices[value] = next.entries.count
      next.entries.append(entry)
    }
    next.nextDeadline = next.earliest
    next.isEmpty = next.entries.isEmpty
    self = next
  }

  /// The values that became stale until now, and when, in the order of time.
  ///
  /// Several that become stale at the same time come in the order of the declarations.
  package mutating func becomeStale(until now: Instant) -> [(value: ValueID, at: Instant)] {
    guard let nextDeadline, nextDeadline <= now else { return [] }
    let due = entries.indices.compactMap { index in
      entries[index].isStale ? nil : entries[index].deadline.flatMap { $0 <= now ? (at: $0, index: index) : nil }
    }
    for entry in due { entries[entry.index].isStale = true }
    self.nextDeadline = earliest
    return due.sorted { $0 < $1 }.map { (entries[$0.index].value, $0.at) }.filter { !orphans.contains($0.0) }
  }

  private var earliest: Instant? { entries.lazy.filter { !$0.isStale }.compactMap(\.deadline).min() }

  /// Receives an update of a value; returns whether the value was stale.
  package mutating func noteUpdate(of value: ValueID, at now: Instant) -> Bool {
    guard let index = indices[value] else { return false }
    let deadline = now.advanced(by: entries[index].interval)
    let wasStale = entries[index].isStale
    if wasStale || entries[index].deadline == nil { nextDeadline = Instant.earlier(nextDeadline, deadline) }
    (entries[index].deadline, entries[index].isStale) = (deadline, false)
    return wasStale && !orphans.contains(value)
  }

  /// Moves the deadlines by the time that the machine slept. Call it before any update that came later.
  package mutating func slept(for duration: Duration) {
    for index in entries.indices where !entries[index].isStale {
      entries[index].deadline = entries[index].deadline?.advanced(by: duration)
    }
    nextDeadline = earliest
  }
}
