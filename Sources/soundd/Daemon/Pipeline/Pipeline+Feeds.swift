import SoundTrigger
import SoundWire

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
    case .blank: if endSilence(by: feed.name, at: now) { perform(at: now) }
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
    for value in values { noteSource(of: value, works: works, at: now) }
    conductor.hasHappened = true
    perform(at: now)
  }

  private func noteSource(of value: ValueID, works: Bool, at now: Instant) {
    if !expectations.note(sourceWorks: works, of: value) { return }
    if works {
      conductor.engine.reported(value, at: now)
    } else {
      conductor.engine.becameStale(value, last: store.value(of: value), at: now)
    }
  }

  // MARK: Silent feeds

  /// The values of a feed.
  func values(of feed: FeedDeclaration) -> [ValueID] { store.ids.filter { feed.owns(store.name(of: $0)) } }

  /// Expects lines of the feeds of a configuration, whose values are declared.
  func expectLines(of feeds: [FeedDeclaration], at now: Instant) {
    for feed in silences.expect(feeds, at: now) {
      for value in values(of: feed) { noteSource(of: value, works: true, at: now) }
    }
    // There may be more values.
    for feed in silences.silent {
      for value in values(of: feed) { noteSource(of: value, works: false, at: now) }
    }
  }

  /// No line of a feed was accepted for too long.
  func becameSilent(_ feed: FeedDeclaration, at now: Instant) {
    for value in values(of: feed) { noteSource(of: value, works: false, at: now) }
    observer?.silenceChanged(of: feed.name)
  }

  /// Receives that a line of a feed was accepted, before anything is decided on it. On a timeline each line that sets a value
  /// beneath the prefix is one. Returns whether the feed was silent: then its values are stale no more.
  func endSilence(by feed: String?, of updated: some Sequence<ValueID> = [], at now: Instant) -> Bool {
    if silences.isEmpty { return false }
    let names =
      feed.map { [$0] } ?? (ignoresSources ? Set(updated.compactMap { silences.owner(of: store.name(of: $0)) }) : [])
    var wasSilent = false
    for name in names {
      guard let feed = silences.noteLine(of: name, at: now) else { continue }
      for value in values(of: feed) { noteSource(of: value, works: true, at: now) }
      observer?.silenceChanged(of: name)
      wasSilent = true
    }
    return wasSilent
  }
}
