/// A change as a trigger saw it, and its verdict.
package struct JudgedChange: Equatable, Sendable {
  /// The same for each verdict on the change, so that a later verdict can be matched with an earlier one. Counted from 1 over all
  /// triggers of an engine.
  package var id = 0
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

/// A verdict as it is made, for those who follow.
package struct TriggerVerdict: Equatable, Sendable {
  /// The trigger's name.
  package var trigger: String
  package var value: ValueName
  package var change: JudgedChange
  /// What a device accepted or refused, if it came to that.
  package var sound: String?
}

/// The last changes that a trigger saw, with their verdicts: a ring that grows to its size, because of thousands of members most
/// see few changes.
///
/// The last plays stay longer than other changes, so that a value that is reported each second does not push them out.
struct ChangeLog: Sendable {
  /// How many changes it keeps.
  static let capacity = 32
  /// So many of the last plays it keeps in any case.
  static let playCapacity = 8

  private struct Record: Sendable {
    var change: JudgedChange
    /// The number of the play that the change caused; 0 if it caused none. With an Optional each member of a pattern takes 16 bytes
    /// more.
    var play: UInt64 = 0

    @inline(__always)
    mutating func write(_ pending: PendingChange, _ verdict: Verdict, _ play: PlayID?) {
      change.id = pending.id
      change.at = pending.at
      (change.old, change.new) = pending.isLong ? pending.excerpts : (pending.old, pending.new)
      change.verdict = verdict
      change.watch = pending.watch
      self.play = play?.rawValue ?? 0
    }
  }

  private var records: [Record] = []
  /// How many records were ever written. The number of a record counts from 0.
  private var count = 0
  /// How many of the records have played.
  private var playedCount = 0
  /// Plays that are older than the records, oldest first. Those beyond `playCapacity` are shown no more.
  private var olderPlays: [JudgedChange] = []

  /// Writes a record over the oldest one, and returns its number.
  mutating func append(_ change: PendingChange, _ verdict: Verdict, play: PlayID? = nil) -> Int {
    // Written in place, because a copied record costs more than the rest of this function.
    let slot = count % Self.capacity
    if records.count < Self.capacity {
      records.append(Record(change: JudgedChange(at: change.at, old: nil, new: nil, verdict: verdict)))
    } else if records[slot].change.verdict.isPlay {
      playedCount -= 1
      if playedCount < Self.playCapacity { keepPlay(in: slot) }
    }
    records[slot].write(change, verdict, play)
    count += 1
    return count - 1
  }

  /// Keeps a play whose record is about to be overwritten. The next plays that it keeps need no memory of their own.
  private mutating func keepPlay(in slot: Int) {
    if olderPlays.isEmpty { olderPlays.reserveCapacity(Self.playCapacity) }
    if olderPlays.count == Self.playCapacity { olderPlays.removeFirst() }
    olderPlays.append(records[slot].change)
  }

  /// Replaces the verdict of a record. Returns false if another record was written over it.
  mutating func replaceVerdict(of number: Int, with verdict: Verdict, play: PlayID? = nil) -> Bool {
    guard number >= count - Self.capacity else { return false }
    records[number % Self.capacity].change.verdict = verdict
    records[number % Self.capacity].play = play?.rawValue ?? 0
    return true
  }

  /// Replaces the verdict `starting` of the change that caused a play. Returns the number of its record, if that had this verdict.
  mutating func replaceStarting(of play: PlayID, with verdict: Verdict) -> Int? {
    // Backwards, because it is most often one of the latest.
    for number in numbers.reversed() where records[number % Self.capacity].play == play.rawValue {
      let slot = number % Self.capacity
      guard records[slot].change.verdict == .starting else { return nil }
      records[slot].change.verdict = verdict
      if verdict.isPlay { playedCount += 1 }
      return number
    }
    return nil
  }

  /// The change of a record that is still there.
  subscript(number: Int) -> JudgedChange { records[number % Self.capacity].change }

  /// The latest change.
  var last: JudgedChange? { count == 0 ? nil : self[count - 1] }

  /// The changes, oldest first.
  var changes: [JudgedChange] {
    olderPlays.suffix(max(0, Self.playCapacity - playedCount)) + numbers.map { records[$0 % Self.capacity].change }
  }

  /// The numbers of the records that are there.
  private var numbers: Range<Int> { max(0, count - Self.capacity)..<count }
}
