@testable import SoundTrigger

/// What a trigger of the naive model has done.
struct NaiveCounters {
  var changes = 0
  var played = 0
  var dropped = 0
  var lastPlay: Int64?
  var lastVerdict: Verdict?
  var lastStop: Stop?
}

/// The last changes of one trigger as the naive model judged them.
struct NaiveRecords {
  /// A change that is judged, and the record of it.
  struct Entry {
    /// The number of its record; `nil` if it has none.
    var number: Int?
    var change: JudgedChange
    /// The contents as they are, however long.
    var full: (old: Value?, new: Value?)
    /// The play that it should cause.
    var play: Int?

    init(at now: Int64, old: Value?, new: Value?, watch: Int) {
      change = JudgedChange(
        at: Instant(nanoseconds: now), old: old.map(truncated), new: new.map(truncated), verdict: .appeared,
        watch: watch)
      full = (old, new)
    }
  }

  private static let most = 32
  private static let mostPlays = 8

  /// Every change that was ever judged.
  private var all: [Entry] = []
  private var written = 0

  /// The latest.
  var entries: [Entry] { Array(all.suffix(Self.most)) }

  /// The latest, and older ones if they are among the last plays.
  var changes: [JudgedChange] {
    let plays = all.indices.filter { all[$0].change.verdict == .played || all[$0].change.verdict == .muted }
    let older = plays.suffix(Self.mostPlays).filter { $0 < all.count - Self.most }
    return older.map { all[$0].change } + entries.map(\.change)
  }

  /// Records a verdict, in a new record if the change has none or the old one is forgotten.
  mutating func write(_ entry: Entry, _ verdict: Verdict, play: Int? = nil) -> Entry {
    var entry = entry
    let place = all.lastIndex { $0.number == entry.number && $0.number != nil }
    if let place, place >= all.count - Self.most {
      all[place].change.verdict = verdict
      all[place].play = play
      return entry
    }
    written += 1
    entry.number = written
    var record = entry
    record.change.verdict = verdict
    record.play = play
    all.append(record)
    return entry
  }

  /// Says what became of a play that was starting.
  mutating func settle(_ play: Int, _ verdict: Verdict) {
    for place in all.indices.suffix(Self.most) where all[place].play == play && all[place].change.verdict == .starting {
      all[place].change.verdict = verdict
    }
  }
}

/// Contents as the records keep them.
private func truncated(_ value: Value) -> Value {
  switch value {
  case .text(let bytes) where bytes.count > 128: .text(Array(bytes.array.prefix(128)))
  case .json(let bytes) where bytes.count > 128: .json(Array(bytes.array.prefix(128)))
  default: value
  }
}
