import SoundTrigger

/// Values that commands and feeds set.
extension Pipeline {
  /// Applies a line of a feed; `nil`: it was too long. Throws why it is refused: then no part of it is applied.
  func apply(_ line: Span<UInt8>?, of feed: FeedDeclaration, at now: Instant) throws {
    let parsed = try FeedLine(line)
    guard let line else { return }
    expire(at: now)
    switch parsed {
    case .assignment(let name, let value):
      let whole = try Self.whole(line.extracting(name), of: feed)
      try assign(whole.span, line.extracting(value), by: feed.name, at: now)
    case .object(let range): try assign(object: line.extracting(range), by: feed, at: now)
    case .blank: break
    }
  }

  /// The name of a value from a name that a feed prints.
  static func whole(_ name: Span<UInt8>, of feed: FeedDeclaration) throws(AssignmentRefusal) -> [UInt8] {
    var whole: [UInt8] = []
    do throws(NameEscape.Refusal) {
      try NameEscape.append(name, beneath: feed.prefix, to: &whole)
    } catch {
      throw .name(Excerpt.quoting(name), error)
    }
    return whole
  }

  /// The feed's program has started: what it reports first may be old.
  func started(_ feed: FeedDeclaration) {
    let names = conductor.engine.definitions.compactMap(\.cancel).filter(feed.owns)
    unreported.formUnion(names.compactMap { store.id(of: $0) })
  }

  /// Receives that values were updated: the first report of one for `cancel` is no change.
  func dropFirstChanges(of values: some Sequence<ValueID>) {
    if unreported.isEmpty { return }
    for value in values where unreported.remove(value) != nil {
      conductor.changes.removeAll { $0.value == value && !$0.isAppearance }
    }
  }

  /// Counts a content that was too long to come here. Returns the refusal.
  func refuseTooMuch(_ value: ValueID, at now: Instant) -> ValueRefusal {
    noteRefusal(store.refuse(.tooMuch, of: value), value, at: now)
    return .tooMuch
  }

  /// Receives that the command or feed of these values works again, or does not: then they are stale.
  func sourceChanged(of values: [ValueID], works: Bool, at now: Instant) {
    for value in values where expectations.note(sourceWorks: works, of: value) {
      if works {
        conductor.engine.reported(value, at: now)
      } else {
        conductor.engine.becameStale(value, last: store.value(of: value), at: now)
      }
    }
    conductor.hasHappened = true
    perform(at: now)
  }
}
