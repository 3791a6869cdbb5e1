import SoundTrigger

/// The last changes of one trigger as the naive model judged them.
struct NaiveRecords {
  /// A record and its number, by which it is found again when a wait ends.
  struct Entry {
    var number: Int
    var change: JudgedChange
  }

  private static let most = 32
  private static let longestContent = 128

  private(set) var entries: [Entry] = []
  private var written = 0

  var changes: [JudgedChange] { entries.map(\.change) }

  /// Room for one more.
  mutating func append(at now: Int64, old: Value, new: Value, _ verdict: Verdict, watch: Int) -> Entry {
    written += 1
    let change = JudgedChange(
      at: .init(nanoseconds: now), old: Self.cut(old), new: Self.cut(new), verdict: verdict, watch: watch)
    let entry = Entry(number: written, change: change)
    append(entry)
    return entry
  }

  /// Says what became of a change that waited, in a record of its own if it has been pushed out meanwhile.
  @discardableResult mutating func conclude(_ entry: Entry, _ verdict: Verdict) -> Entry {
    if amend(entry, verdict) { return entry }
    written += 1
    var again = entry
    again.number = written
    again.change.verdict = verdict
    append(again)
    return again
  }

  /// Replaces a verdict if the record is still there.
  @discardableResult mutating func amend(_ entry: Entry, _ verdict: Verdict) -> Bool {
    // Most often it is one of the latest.
    guard let place = entries.lastIndex(where: { $0.number == entry.number }) else { return false }
    entries[place].change.verdict = verdict
    return true
  }

  /// Finds the newest record that says "played".
  func lastPlayed(until time: Int64) -> Entry? {
    entries.last { [.played, .muted].contains($0.change.verdict) && $0.change.at.nanoseconds <= time }
  }

  private mutating func append(_ entry: Entry) {
    entries.append(entry)
    if entries.count > Self.most { entries.removeFirst() }
  }

  static func cut(_ value: Value) -> Value {
    switch value {
    case .text(let bytes) where bytes.count > longestContent: .text(Array(bytes.array.prefix(longestContent)))
    case .json(let bytes) where bytes.count > longestContent: .json(Array(bytes.array.prefix(longestContent)))
    default: value
    }
  }
}
