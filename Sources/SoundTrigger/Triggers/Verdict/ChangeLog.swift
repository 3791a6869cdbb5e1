/// A change as a trigger saw it, and its verdict.
package struct JudgedChange: Equatable, Sendable {
  /// When the change came.
  package var at: Instant
  /// The content before; `nil` if there was none. Long contents are truncated.
  package var old: Value?
  /// The content since; `nil` if the value never had any, and became stale.
  package var new: Value?
  package var verdict: Verdict
  /// Which of the trigger's values changed, as its index in `TriggerDefinition.values`.
  package var watch = 0
}

/// The last changes that a trigger saw, with their verdicts: a ring that is made at the first change.
struct ChangeLog: Sendable {
  /// How many changes it keeps.
  static let capacity = 32

  private struct Record: Sendable {
    var change: JudgedChange
    /// The play that the change caused, if it did.
    var play: PlayID?
  }

  private var records: [Record] = []
  /// How many records were ever written. The number of a record counts from 0.
  private var count = 0

  /// Writes a record over the oldest one, and returns its number.
  mutating func append(_ change: PendingChange, _ verdict: Verdict, play: PlayID? = nil) -> Int {
    if records.count < Self.capacity {
      if records.isEmpty { records.reserveCapacity(Self.capacity) }
      records.append(Record(change: JudgedChange(at: change.at, old: nil, new: nil, verdict: verdict)))
    }
    // Written in place, because a copied record costs more than the rest of this function.
    let slot = count % Self.capacity
    records[slot].change.at = change.at
    records[slot].change.old = change.isLong ? change.old?.truncated : change.old
    records[slot].change.new = change.isLong ? change.new?.truncated : change.new
    records[slot].change.verdict = verdict
    records[slot].change.watch = change.watch
    records[slot].play = play
    count += 1
    return count - 1
  }

  /// Replaces the verdict of a record. Returns false if another record was written over it.
  mutating func replaceVerdict(of number: Int, with verdict: Verdict, play: PlayID? = nil) -> Bool {
    guard number >= count - Self.capacity else { return false }
    records[number % Self.capacity].change.verdict = verdict
    records[number % Self.capacity].play = play
    return true
  }

  /// Replaces the verdict `starting` of the change that caused a play, if its record is still there.
  mutating func replaceStarting(of play: PlayID, with verdict: Verdict) {
    // Backwards, because it is most often one of the latest.
    for number in numbers.reversed() where records[number % Self.capacity].play == play {
      let slot = number % Self.capacity
      if records[slot].change.verdict == .starting { records[slot].change.verdict = verdict }
      return
    }
  }

  /// The changes, oldest first.
  var changes: [JudgedChange] { numbers.map { records[$0 % Self.capacity].change } }

  /// The numbers of the records that are there.
  private var numbers: Range<Int> { max(0, count - Self.capacity)..<count }
}
