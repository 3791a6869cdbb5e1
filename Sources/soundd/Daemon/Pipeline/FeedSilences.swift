import SoundTrigger

/// Decides which feeds with an `expect_every` are silent: no line of theirs was accepted for that long, though their programs
/// may run.
///
/// Reads no clock: the caller passes the time.
struct FeedSilences {
  private struct Entry {
    var feed: FeedDeclaration
    var every: Duration
    /// When the last line was accepted, or when the feed was declared.
    var lastLine: Instant
    /// What was overdue at a waking is silent only then.
    var graceEnd: Instant?
    var isSilent = false

    var deadline: Instant {
      let due = lastLine.advanced(by: every)
      return graceEnd.map { max($0, due) } ?? due
    }
  }

  /// The longest that an overdue feed may take after a waking.
  private static let longestGrace = Duration.seconds(3600)

  private var entries: [String: Entry] = [:]
  /// The earliest time at which a feed may be silent. Nothing is, if it is too early: lines do not move it.
  private(set) var nextDeadline: Instant?

  var isEmpty: Bool { entries.isEmpty }

  /// Replaces the feeds. A feed of the same name, prefix and command continues. Returns the silent feeds that end or are expected
  /// no more.
  mutating func expect(_ feeds: [FeedDeclaration], at now: Instant) -> [FeedDeclaration] {
    let old = entries
    entries = [:]
    for feed in feeds {
      guard let every = feed.expectEvery else { continue }
      var entry = Entry(feed: feed, every: every, lastLine: now)
      if let known = old[feed.name], known.feed.runsOn(as: feed) {
        entry = known
        (entry.feed, entry.every) = (feed, every)
        if entry.isSilent, entry.deadline > now { entry.isSilent = false }
      }
      entries[feed.name] = entry
    }
    findDeadline()
    return old.values.filter { $0.isSilent && entries[$0.feed.name]?.isSilent != true }.map(\.feed)
  }

  /// Receives that a line of a feed was accepted. Returns the feed if it was silent.
  mutating func noteLine(of feed: String, at now: Instant) -> FeedDeclaration? {
    guard let index = entries.index(forKey: feed) else { return nil }
    entries.values[index].lastLine = now
    if !entries.values[index].isSilent { return nil }
    entries.values[index].isSilent = false
    findDeadline()
    return entries.values[index].feed
  }

  /// Returns the first feed that becomes silent until now, and when.
  mutating func popDue(until now: Instant) -> (feed: FeedDeclaration, at: Instant)? {
    guard let nextDeadline, nextDeadline <= now else { return nil }
    let due = entries.values.filter { !$0.isSilent && $0.deadline <= now }
      .min { ($0.deadline, $0.feed.name) < ($1.deadline, $1.feed.name) }
    if let due { entries[due.feed.name]?.isSilent = true }
    findDeadline()
    return due.map { ($0.feed, $0.deadline) }
  }

  /// The machine woke up, or soundd listens again. A feed that is overdue has time to print a line.
  mutating func woke(at now: Instant) {
    for (name, entry) in entries where !entry.isSilent && entry.deadline <= now {
      entries[name]?.graceEnd = now.advanced(by: min(entry.every, Self.longestGrace))
    }
    findDeadline()
  }

  private mutating func findDeadline() {
    nextDeadline = entries.values.lazy.filter { !$0.isSilent }.map(\.deadline).min()
  }

  // MARK: Queries

  var silent: [FeedDeclaration] { entries.values.filter(\.isSilent).map(\.feed) }

  func isSilent(_ feed: String) -> Bool { entries[feed]?.isSilent ?? false }

  func expects(_ feed: String) -> Bool { entries[feed] != nil }

  /// The feed that a value belongs to, if it is expected to print lines.
  func owner(of value: ValueName) -> String? { entries.values.first { $0.feed.owns(value) }?.feed.name }

  /// When the last line of a silent feed was accepted, or its time began, and how often one was expected.
  func silence(of feed: String) -> (since: Instant, every: Duration)? {
    entries[feed].flatMap { $0.isSilent ? ($0.lastLine, $0.every) : nil }
  }
}
