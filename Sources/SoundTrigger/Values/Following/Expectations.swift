/// The values with an `expect_every` or a `forget_after`, and which values are stale: those that were not reported in time, and
/// those whose command or feed does not work.
///
/// The time counts from when the value is first known, and continues while soundd does not run or the machine sleeps. What is overdue
/// after such a gap has a grace, because its source may have been away, too.
///
/// Reads no clock: the caller passes the time.
package struct Expectations: Sendable {
  /// The longest grace of what is overdue at a start or after a sleep.
  package static let longestGrace = Duration.seconds(3600)

  /// What outlives soundd of a value.
  package struct Report: Equatable, Sendable {
    /// The last update or, before the first one, when the value was first known.
    package var time: Instant
    package var isStale: Bool

    package init(time: Instant, isStale: Bool) { (self.time, self.isStale) = (time, isStale) }
  }

  /// What becomes of a value that was not reported for long enough.
  package enum Event: Equatable, Sendable {
    case stale
    /// Its time is over: the caller calls `forget` or `postpone`.
    case forgotten
  }

  private struct Entry: Sendable {
    /// After how long without an update it is stale, and to be forgotten.
    var every: Duration?, forgetAfter: Duration?
    /// Before the first update: when the value was first known.
    var lastUpdate: Instant
    /// Until when the value is not stale, although it is overdue.
    var graceEnd: Instant?
    var isStale = false

    var deadline: Instant? {
      guard !isStale, let every else { return forgetAfter.map { lastUpdate.advanced(by: $0) } }
      let end = lastUpdate.advanced(by: every)
      return graceEnd.map { max(end, $0) } ?? end
    }

    /// Begins the grace if the value is overdue.
    mutating func excuse(at now: Instant) {
      guard let every, !isStale, lastUpdate.advanced(by: every) <= now else { return }
      graceEnd = now.advanced(by: min(every, Expectations.longestGrace))
    }
  }

  private var entries: [ValueID: Entry] = [:]
  /// By the index of the value. Updates do not move a deadline, so it may be too early.
  private var deadlines = DeadlineHeap()
  private var ownerCount = 0
  /// The values whose source does not work.
  private var orphans: Set<ValueID> = []

  package init() {}

  /// Whether no value has an `expect_every` or `forget_after`. Stored, because each update asks, and a computed property would
  /// copy all of this.
  package private(set) var isEmpty = true

  /// The earliest time at which something may be due. Nothing is, if it is too early. Stored for the same reason.
  package private(set) var nextDeadline: Instant?

  /// Notes whether the source of a value works. Returns whether the value is stale, or not stale any more, only because of that.
  package mutating func note(sourceWorks works: Bool, of value: ValueID) -> Bool {
    let isNew = works ? orphans.remove(value) != nil : orphans.insert(value).inserted
    return isNew && entries[value]?.isStale != true
  }

  /// Whether the value has an `expect_every`.
  package func expects(_ value: ValueID) -> Bool { entries[value]?.every != nil || orphans.contains(value) }

  package func isStale(_ value: ValueID) -> Bool { orphans.contains(value) || entries[value]?.isStale ?? false }

  /// Sets what is expected of a value. A stale value stays stale if it is still expected. What stays the same continues; anything else
  /// begins now.
  package mutating func expect(_ value: ValueID, every: Duration?, forgetAfter: Duration? = nil, at now: Instant) {
    if every == nil, forgetAfter == nil { return forget(value) }
    let old = entries[value]
    if let old, old.every == every, old.forgetAfter == forgetAfter { return }
    entries[value] = Entry(
      every: every, forgetAfter: forgetAfter, lastUpdate: now, isStale: every != nil && old?.isStale ?? false)
    isEmpty = false
    schedule(value)
  }

  /// Continues what an earlier run knew of an expected value, which had no update in this run. Returns whether the value is stale.
  package mutating func restore(_ report: Report, of value: ValueID, at now: Instant) -> Bool {
    entries[value]?.isStale = report.isStale
    setLastUpdate(of: value, to: report.time, at: now)
    return entries[value]?.isStale ?? false
  }

  /// Sets when a value was updated, which soundd did not see. A stale value stays stale if it is overdue, and any other one has its
  /// grace then.
  private mutating func setLastUpdate(of value: ValueID, to time: Instant, at now: Instant) {
    guard var entry = entries[value] else { return }
    entry.lastUpdate = min(time, now)
    entry.isStale = entry.isStale && entry.every.map { entry.lastUpdate.advanced(by: $0) <= now } ?? false
    entry.excuse(at: now)
    entries[value] = entry
    schedule(value)
  }

  /// What is to outlive soundd of each value with an `expect_every`.
  package var reports: [(value: ValueID, report: Report)] {
    entries.compactMap { value, entry in
      entry.every == nil ? nil : (value, Report(time: entry.lastUpdate, isStale: entry.isStale))
    }
  }

  /// Ends what is expected of all other values.
  package mutating func keepOnly(_ values: Set<ValueID>) {
    for value in entries.keys where !values.contains(value) { forget(value) }
  }

  /// Ends what is expected of a value.
  package mutating func forget(_ value: ValueID) {
    if entries.removeValue(forKey: value) == nil { return }
    schedule(value)
    isEmpty = entries.isEmpty
  }

  /// Lets a value that is due to be forgotten stay for a while.
  package mutating func postpone(_ value: ValueID, for time: Duration, at now: Instant) {
    guard let after = entries[value]?.forgetAfter else { return }
    entries[value]?.lastUpdate = now.advanced(by: min(time, after) - after)
    schedule(value)
  }

  /// Removes and returns the first thing that is due until now, and when it was. At one time, in the order of the store.
  package mutating func popDue(until now: Instant) -> (value: ValueID, event: Event, at: Instant)? {
    while let (due, index) = deadlines.first, due <= now {
      let value = ValueID(index: index)
      // An update may have moved it since.
      guard let deadline = entries[value]?.deadline, deadline <= due else {
        schedule(value)
        continue
      }
      if entries[value]?.isStale == true || entries[value]?.every == nil {
        setDeadline(nil, of: index)
        return (value, .forgotten, deadline)
      }
      entries[value]?.isStale = true
      schedule(value)
      if !orphans.contains(value) { return (value, .stale, deadline) }
    }
    return nil
  }

  /// Receives an update of a value; returns whether the value was stale.
  package mutating func noteUpdate(of value: ValueID, at now: Instant) -> Bool {
    guard let index = entries.index(forKey: value) else { return false }
    let wasStale = entries.values[index].isStale
    entries.values[index].lastUpdate = now
    entries.values[index].graceEnd = nil
    entries.values[index].isStale = false
    if wasStale { schedule(value) }
    return wasStale && !orphans.contains(value)
  }

  /// Receives that a content was found that was written before, at `time`. Returns whether the value was stale and is not any more.
  package mutating func noteContent(writtenAt time: Instant, of value: ValueID, at now: Instant) -> Bool {
    guard let wasStale = entries[value]?.isStale else { return false }
    setLastUpdate(of: value, to: time, at: now)
    return wasStale && entries[value]?.isStale == false && !orphans.contains(value)
  }

  /// Receives that soundd could not listen until now, because it had not begun or the machine slept: what is overdue has its grace.
  package mutating func woke(at now: Instant) {
    for value in Array(entries.keys) {
      entries[value]?.excuse(at: now)
      schedule(value)
    }
  }

  /// Puts a value where its deadline is.
  private mutating func schedule(_ value: ValueID) {
    while ownerCount <= value.index {
      deadlines.addOwner()
      ownerCount += 1
    }
    setDeadline(entries[value]?.deadline, of: value.index)
  }

  private mutating func setDeadline(_ deadline: Instant?, of index: Int) {
    deadlines.set(deadline, order: index, for: index)
    nextDeadline = deadlines.first?.deadline
  }
}
