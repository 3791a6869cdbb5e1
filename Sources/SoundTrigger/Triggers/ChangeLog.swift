/// The last changes that a trigger saw, and what became of them.
///
/// A ring that is made at the first change; writing into it allocates nothing. Contents are shared with the values, save
/// for long ones: what is kept of those is copied to a place of its own, so that the log does not hold on to the rest.
struct ChangeLog: Sendable {
  /// How many changes it keeps.
  static let capacity = 32
  /// How many bytes of a content it keeps.
  static let contentLength = Value.toldLength

  private struct Record: Sendable {
    var at: Instant
    var watch: Int
    /// Empty if it was cut.
    var old: Value
    var new: Value
    var verdict: Verdict
    var oldIsCut: Bool
    var newIsCut: Bool
  }

  private var records: [Record] = []
  /// What is left of long contents, `contentLength` bytes for the old and the new one of each record; made for the first.
  private var cuts: [UInt8] = []
  /// How many records were ever written; a record's number counts from 0.
  private var count = 0

  /// Writes a record over the oldest one, and returns its number.
  mutating func append(_ change: PendingChange, _ verdict: Verdict) -> Int {
    let place = count % Self.capacity
    let oldIsCut = cut(change.old, to: 2 * place)
    let newIsCut = cut(change.new, to: 2 * place + 1)
    let record = Record(
      at: change.at, watch: change.watch, old: oldIsCut ? Self.empty(change.old) : change.old,
      new: newIsCut ? Self.empty(change.new) : change.new, verdict: verdict, oldIsCut: oldIsCut, newIsCut: newIsCut)
    if records.count < Self.capacity {
      if records.isEmpty { records.reserveCapacity(Self.capacity) }
      records.append(record)
    } else {
      records[place] = record
    }
    count += 1
    return count - 1
  }

  /// Replaces the verdict of a record; false if others were written over it.
  mutating func replaceVerdict(of number: Int, with verdict: Verdict) -> Bool {
    guard number >= count - Self.capacity else { return false }
    records[number % Self.capacity].verdict = verdict
    return true
  }

  /// The number of the latest record; -1: there is none.
  var latest: Int { count - 1 }

  /// The number of the latest change until then that played.
  func latestPlay(until time: Instant) -> Int? {
    (max(0, count - Self.capacity)..<count).last { number in
      let record = records[number % Self.capacity]
      return record.at <= time && record.verdict.isPlay
    }
  }

  /// The changes, oldest first.
  var changes: [JudgedChange] {
    (max(0, count - Self.capacity)..<count).map(change)
  }

  private func change(_ number: Int) -> JudgedChange {
    let place = number % Self.capacity
    let record = records[place]
    return JudgedChange(
      at: record.at, old: record.oldIsCut ? cut(record.old, at: 2 * place) : record.old,
      new: record.newIsCut ? cut(record.new, at: 2 * place + 1) : record.new, verdict: record.verdict,
      watch: record.watch)
  }

  /// Keeps the beginning of a content that is too long for the log; tells whether it is.
  private mutating func cut(_ value: Value, to place: Int) -> Bool {
    switch value {
    case .text(let bytes), .json(let bytes):
      if bytes.count <= Self.contentLength { return false }
      keep(bytes, at: place)
      return true
    case .number, .bool, .fingerprint: return false
    }
  }

  private static func empty(_ value: Value) -> Value {
    if case .json = value { .json([]) } else { .text([]) }
  }

  private mutating func keep(_ bytes: ByteString, at place: Int) {
    if cuts.isEmpty { cuts = Array(repeating: 0, count: 2 * Self.capacity * Self.contentLength) }
    let start = place * Self.contentLength
    bytes.withSpan { bytes in
      for index in 0..<Self.contentLength { cuts[start + index] = bytes[index] }
    }
  }

  private func cut(_ value: Value, at place: Int) -> Value {
    let start = place * Self.contentLength
    let bytes = Array(cuts[start..<start + Self.contentLength])
    return if case .json = value { .json(bytes) } else { .text(bytes) }
  }
}
