/// Holds the one content of every value, and decides whether an update changes it.
///
/// Belongs to one thread. An update that changes nothing allocates nothing once the value has content.
package final class ValueStore {
  /// The values. One property, because Swift checks each access to a property of a class at run time.
  var table: Table
  /// The values that have lost their content since the last call of `takeLost`, by index.
  var lost: Set<Int> = []
  /// The contents that clients have set and that the new declarations of their values may take.
  var carried: [(value: ValueID, content: [UInt8])] = []
  /// Contents of declared values are carried that came at this time or later.
  var carriesSince: Instant?
  /// Holds the members of a transaction while they are applied.
  var members: [ResolvedMember] = []

  /// An empty store.
  package init(limit: Int = 65_536) { table = Table(limit: limit) }

  /// The maximum number of names.
  package var limit: Int { table.limit }

  /// The search budget of each transaction.
  package var searchLimit: SearchBudget {
    get { table.searchLimit }
    set { table.searchLimit = newValue }
  }

  /// The rest of the present transaction's search budget.
  package var searches: SearchBudget { table.searches }

  /// Begins a transaction that updates no value by itself, such as a reload.
  package func beginTransaction() { table.searches = table.searchLimit }

  /// The number of refused updates, of all values.
  package var refusedCount: Int { table.refusedCount }

  /// Applies a content that arrived for a value of this store. This begins a transaction.
  ///
  /// Appends the change or appearance, if it is one. An event is a change whatever its content. `old` is always the content
  /// accepted last.
  package func update(
    _ id: ValueID, content: Span<UInt8>, at now: Instant, into changes: inout [Change]
  ) -> UpdateOutcome {
    table.searches = table.searchLimit
    return table.update(id.index, content: content, at: now, into: &changes)
  }

  /// Applies `NAME=CONTENT`, as a client or this feed sends it: looks the value up, or declares it, and updates it.
  ///
  /// Throws as `idDeclaringIfNeeded` does.
  package func assign(
    _ name: Span<UInt8>, content: Span<UInt8>, by feed: String? = nil, at now: Instant, into changes: inout [Change]
  ) throws(ValueStoreError) -> (value: ValueID, outcome: UpdateOutcome) {
    try table.assign(name, content: content, by: feed, at: now, into: &changes)
  }

  /// Counts the refusal of a content that never reached the store; the value keeps its own.
  package func refuse(_ refusal: ValueRefusal, of id: ValueID) -> UpdateOutcome {
    table.refuse(refusal, index: id.index)
  }

  /// Applies a content of any length that was gathered in chunks, by an accumulator that trims as the value does. This begins a
  /// transaction.
  package func update(
    _ id: ValueID, content: borrowing ContentAccumulator, at now: Instant, into changes: inout [Change]
  ) -> UpdateOutcome {
    beginTransaction()
    guard let fingerprint = content.fingerprint else {
      let text = content.prefix.span.extracting(0..<content.contentLength)
      return table.update(id.index, text: text, at: now, into: &changes)
    }
    return table.update(id.index, fingerprint: fingerprint, at: now, into: &changes)
  }
}

// MARK: Updates

extension ValueStore {
  /// The values by name and index, and what applies an update to one of them.
  struct Table {
    /// The maximum number of names.
    let limit: Int
    /// By the index of the `ValueID`. A new name first takes the index of a removed one.
    var entries: [Entry] = []
    /// The index of each name, by the hash of the name. If that key is taken, the name has the next free one. A dictionary of
    /// the names themselves takes 165 instructions more for each line, or 360 if the key is a `ValueName`.
    var indices: [UInt64: Int] = [:]
    let secret = Secret()
    var refusedCount = 0
    /// The bytes that the contents of all values take.
    var contentBytes = 0
    /// The bytes up to which undeclared values may grow.
    var room = Int.max
    /// The feeds and their prefixes; no prefix contains another.
    var feeds: [(prefix: String, name: String)] = []
    var patterns = Patterns()
    /// The indices of names that were removed.
    var freeIndices: [Int] = []
    /// The rest of the present transaction's search budget.
    var searches = SearchBudget.transaction
    /// The search budget of the next transaction.
    var searchLimit = SearchBudget.transaction
    /// The contents of the last run, of values that have had none since.
    var lastContents: [ValueName: SavedContent] = [:]
    private var parser = ValueParser()
    /// Holds an extracted text without its escapes.
    private var unescaped: [UInt8] = []

    init(limit: Int) { self.limit = limit }
  }

  /// The random numbers in the hashes of the names. Without them, clients could choose many names with the same hash.
  struct Secret {
    let start = UInt64.random(in: 0 ... .max)
    let factor = UInt64.random(in: 0 ... .max) | 1
  }
}

extension ValueStore.Table {
  @inline(__always)
  mutating func assign(
    _ name: Span<UInt8>, content: Span<UInt8>, by feed: String?, at now: Instant, into changes: inout [Change]
  ) throws(ValueStoreError) -> (value: ValueID, outcome: UpdateOutcome) {
    searches = searchLimit
    if content.count > ByteString.inlineLength { try checkRoom(for: content, in: name) }
    guard let index = index(of: name) else {
      return try assignNew(name, content: content, by: feed, at: now, into: &changes)
    }
    try checkMaySet(index, by: feed)
    // Not `update(_:content:…)`, which Swift does not inline here: the call would take 40 instructions.
    let text = ContentText.range(in: content, trim: entries[index].declaration.trim)
    return (ValueID(index: index), update(index, text: content.extracting(text), at: now, into: &changes))
  }

  /// Declares a name and applies its first content. If the value does not take the content, the name is removed again.
  @inline(never)
  private mutating func assignNew(
    _ name: Span<UInt8>, content: Span<UInt8>, by feed: String?, at now: Instant, into changes: inout [Change]
  ) throws(ValueStoreError) -> (value: ValueID, outcome: UpdateOutcome) {
    let index = try indexDeclaringIfNeeded(name, by: feed)
    let outcome = update(index, content: content, at: now, into: &changes)
    if entries[index].value == nil {
      remove(index)
      if case .refused(let refusal) = outcome {
        throw .refused(name: entries[index].name.description, refusal)
      }
    }
    return (ValueID(index: index), outcome)
  }

  @inline(__always)
  mutating func update(
    _ index: Int, content: Span<UInt8>, at now: Instant, into changes: inout [Change]
  ) -> UpdateOutcome {
    let text = ContentText.range(in: content, trim: entries[index].declaration.trim)
    return update(index, text: content.extracting(text), at: now, into: &changes)
  }

  /// Applies the text of a content.
  @inline(__always)
  mutating func update(
    _ index: Int, text content: Span<UInt8>, at now: Instant, into changes: inout [Change]
  ) -> UpdateOutcome {
    if entries[index].acceptRepetition(of: content, at: now) { return .unchanged }
    let value: Value
    do throws(ValueRefusal) {
      guard let result = try read(content, index: index) else {
        entries[index].foundNothing()
        return .ignored
      }
      value = result
    } catch {
      return refuse(error, index: index)
    }
    keep(content, of: value, index: index)
    let outcome = store(value, index: index, at: now, into: &changes)
    // Most contents are short, and need no memory of their own. The canonical form of a document may be longer than its text.
    if content.count > ByteString.inlineLength || entries[index].contentBytes > 0
      || entries[index].declaration.kind == .json
    {
      countContent(index)
    }
    return outcome
  }

  /// Applies a content that is too long to keep.
  mutating func update(
    _ index: Int, fingerprint: Fingerprint, at now: Instant, into changes: inout [Change]
  ) -> UpdateOutcome {
    if entries[index].declaration.reading != nil {
      return refuse(.tooLongToExtract(length: fingerprint.length), index: index)
    }
    let kind = entries[index].declaration.kind
    guard kind == .text || kind == .event else {
      return refuse(.tooLong(length: fingerprint.length, kind: kind), index: index)
    }
    entries[index].bytes = nil
    let outcome = store(.fingerprint(fingerprint), index: index, at: now, into: &changes)
    countContent(index)
    return outcome
  }

  /// Reads a content as a value, after extraction; `nil` if `match` finds nothing.
  ///
  /// If it equals the present value, the result shares that value's memory.
  mutating func read(_ content: Span<UInt8>, index: Int) throws(ValueRefusal) -> Value? {
    let kind = entries[index].declaration.kind
    guard let reading = entries[index].declaration.reading else {
      // A number or a bool shares no memory, and a text that equals the present one has been accepted as a repetition.
      let known = kind == .event || kind == .json ? entries[index].value : nil
      return try parser.parse(content, as: kind, known: known)
    }
    var location = Extraction.Location(isUnescaped: false, range: 0..<content.count)
    if let extraction = reading.extraction {
      let found: Extraction.Location?
      do throws(ValueRefusal) {
        found = try extraction.find(in: content, scratch: &unescaped, within: &searches)
      } catch {
        guard reading.comparison != nil, error.isAbsence else { throw error }
        found = nil
      }
      // A comparison with something that is not there does not hold.
      guard let found else { return reading.comparison == nil ? nil : .bool(false) }
      location = found
    }
    // A second reference, so that the span does not depend on the store. Nothing writes it meanwhile.
    let unescaped = unescaped
    let text = (location.isUnescaped ? unescaped.span : content).extracting(location.range)
    guard let comparison = reading.comparison else {
      return try parser.parse(text, as: kind, known: entries[index].value)
    }
    return .bool(try comparison.holds(forText: text))
  }

  /// Counts a refusal; the value keeps its content.
  mutating func refuse(_ refusal: ValueRefusal, index: Int) -> UpdateOutcome {
    refusedCount &+= 1
    entries[index].refusals &+= 1
    entries[index].lastRefusal = refusal
    entries[index].foundNothing()
    return .refused(refusal)
  }

  /// Keeps a content. A text without extraction shares these bytes with its value.
  mutating func keep(_ content: Span<UInt8>, of value: Value, index: Int) {
    switch value {
    case .text(let bytes) where entries[index].declaration.reading == nil: entries[index].bytes = bytes
    case .fingerprint: entries[index].bytes = nil
    case .text, .number, .bool, .json:
      if entries[index].bytes == nil {
        entries[index].bytes = ByteString(content)
      } else {
        entries[index].bytes?.set(to: content)
      }
    }
  }

  /// Makes this the value's content, and compares it with the one before.
  mutating func store(
    _ value: Value, index: Int, at now: Instant, into changes: inout [Change]
  ) -> UpdateOutcome {
    switch entries[index].replaceContent(with: value, at: now) {
    case .nothing: return begin(value, index: index, at: now, into: &changes)
    case .equal: return .unchanged
    case .other(let old):
      changes.append(Change(value: ValueID(index: index), old: old, new: value))
      return .changed
    }
  }

  /// Makes this the value's first content.
  private mutating func begin(
    _ value: Value, index: Int, at now: Instant, into changes: inout [Change]
  ) -> UpdateOutcome {
    entries[index].value = value
    entries[index].changedAt = now
    let id = ValueID(index: index)
    let name = entries[index].name
    // `nil` if the last content of the last run is unknown.
    let last = lastContents.isEmpty ? nil : lastContents.removeValue(forKey: name)
    let isAsBefore = last.map { $0.equals(value, as: entries[index].declaration.kind) }
    let isChange = entries[index].firstContentIsChange && isAsBefore != true
    changes.append(
      Change(
        value: id, old: isChange ? nil : value, new: value, isAppearance: !isChange,
        // A newcomer's first word is news.
        differsFromLastRun: isAsBefore.map { !$0 } ?? patterns.match(name), saved: isAsBefore == false ? last : nil))
    if isChange { return .changed }
    return .appeared
  }
}

// MARK: The last run

extension ValueStore {
  /// A value's content for the state file; `nil` if the value has had none in this run or the last.
  package func savedContent(of id: ValueID) -> SavedContent? {
    let entry = table.entries[id.index]
    return entry.value.map { SavedContent($0, as: entry.declaration.kind) } ?? table.lastContents[entry.name]
  }

  /// The content of the last run, of a value that has had none since.
  package func lastContent(of name: ValueName) -> SavedContent? { table.lastContents[name] }

  /// Restores the content that a value had at the end of the last run. The store need not know the name yet.
  ///
  /// The first content of the value is compared with it. Does nothing if the value has content already.
  package func restore(_ content: SavedContent, of name: ValueName) {
    if let id = id(of: name), table.entries[id.index].value != nil { return }
    table.lastContents[name] = content
  }
}

// MARK: Queries

extension ValueStore {
  /// The number of names.
  package var count: Int { table.count }

  /// Each `ValueID` has one of these indices. Those of removed names are free, see `isPresent`.
  package var indices: Range<Int> { table.entries.indices }

  /// All values, in the order of their indices.
  package var ids: some Sequence<ValueID> {
    indices.lazy.map { ValueID(index: $0) }.filter { [self] in isPresent($0) }
  }

  /// Whether there is a value with this ID.
  package func isPresent(_ id: ValueID) -> Bool {
    indices.contains(id.index) && !table.entries[id.index].isFree
  }

  package func name(of id: ValueID) -> ValueName { table.entries[id.index].name }

  /// The values that have refused updates, in the order of the store.
  package var refusing: [ValueID] { ids.filter { table.entries[$0.index].refusals > 0 } }

  package func kind(of id: ValueID) -> ValueKind { table.entries[id.index].declaration.kind }

  package func source(of id: ValueID) -> ValueSource { table.entries[id.index].declaration.source }

  /// The time of the last accepted update, whether or not it changed the value; `nil` before the first.
  package func lastUpdate(of id: ValueID) -> Instant? {
    table.entries[id.index].updates > 0 ? table.entries[id.index].updatedAt : nil
  }

  /// The content as it is compared; `nil` before the first.
  package func value(of id: ValueID) -> Value? { table.entries[id.index].value }

  /// The value with its counters, for people and programs to read.
  package func snapshot(of id: ValueID) -> ValueSnapshot {
    let entry = table.entries[id.index]
    let text: String? =
      switch (entry.value, entry.bytes) {
      case (nil, _): nil
      case (.fingerprint(let fingerprint)?, _): fingerprint.description
      case (_, let bytes?) where entry.declaration.reading == nil && !entry.declaration.source.isDerived:
        String(decoding: bytes.array, as: UTF8.self)
      case (let value?, _): value.text
      }
    return ValueSnapshot(
      name: entry.name, kind: entry.declaration.kind, source: entry.declaration.source, isDeclared: entry.isDeclared,
      text: text,
      updates: entry.updates, refusals: entry.refusals, lastRefusal: entry.lastRefusal, changedAt: entry.changedAt,
      updatedAt: lastUpdate(of: id))
  }
}
