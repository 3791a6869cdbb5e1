/// The one truth per name: what every value is, and whether an update changes it.
///
/// Belongs to one thread. An update that changes nothing allocates nothing once its value has content.
package final class ValueStore {
  /// How many names the store takes.
  package let limit: Int

  // Checking for overlapping accesses at run time would cost more than the comparison of a short content. None can
  // overlap: the store belongs to one thread, and it calls nobody back while it holds one of these.
  @exclusivity(unchecked) var names = NameTable()
  /// What every update touches, by the index of the value.
  @exclusivity(unchecked) var slots = Column<Slot>()
  /// The rest, by the same index.
  @exclusivity(unchecked) var records: [Record] = []
  @exclusivity(unchecked) var parser = ValueParser()
  /// A text that was unescaped to be looked at.
  @exclusivity(unchecked) var scratch: [UInt8] = []
  /// A content as text, for values that are derived from it.
  @exclusivity(unchecked) var baseText: [UInt8] = []
  /// What the contents were when soundd last stopped, of the values that have had none since.
  @exclusivity(unchecked) var lastDigests: [ValueName: SIMD8<UInt32>] = [:]
  /// The values whose declaration is another one than when `takeReread` was called last, by their indices.
  @exclusivity(unchecked) var redeclared: Set<Int> = []
  /// Those whose content is another one because of that.
  @exclusivity(unchecked) var reread: Set<Int> = []
  /// Counts transactions, so that one finds out which values it has met.
  @exclusivity(unchecked) var transactionNumber = 0
  private let seed = ByteKey.Seed()

  struct Slot: BitwiseCopyable {
    /// The key of the content; `.none` if there is none, or only a fingerprint of it.
    var key = ByteKey.none
    var updates = 0
    var updatedAt = Instant(nanoseconds: 0)
    var kind: ValueKind
    var trim: Bool
    /// Whether clients may set it.
    var isFedByClients: Bool
    /// Whether what comes has just happened, and is not found to have happened once.
    var bringsNews: Bool
    /// Whether somebody has to be told of every update, also of one that changes nothing.
    var isWatchedOver = false

    /// Whether an update concerns nothing but the value and its triggers.
    var isPlain: Bool { isFedByClients && !isWatchedOver }
  }

  struct Record {
    var source: ValueSource
    var isDeclared: Bool
    /// What is taken out of its contents, and what is asked of that; `nil`: they are taken as they come.
    var reading: Reading?
    /// The last accepted content, before anything was taken out of it; empty for a fingerprint.
    var bytes = ByteString()
    /// That content as it is compared; `nil` before the first.
    var value: Value?
    var changedAt: Instant?
    var refusals = 0
    var lastRefusal: ValueRefusal?
    /// The last transaction that set the value, and which of its members did so last.
    var transaction = (number: 0, member: 0)
  }

  /// How the contents of some values become what they are; apart from the record, for most have none.
  final class Reading {
    let extraction: Extraction?
    let comparison: Comparison?

    /// `nil` if contents are to be taken as they come.
    init?(_ extraction: Extraction?, _ comparison: Comparison?) {
      if extraction == nil, comparison == nil { return nil }
      self.extraction = extraction
      self.comparison = comparison
    }
  }

  /// An empty store.
  package init(limit: Int = 65_536) { self.limit = limit }

  /// Takes a content that arrived for the value.
  ///
  /// Contents are compared by key or hash first, then exactly. An event is a change whatever its content. `old` is
  /// always the content accepted last.
  ///
  /// `id` has to be from this store.
  package func update(_ id: ValueID, content: Span<UInt8>, at now: Instant) -> UpdateOutcome {
    let index = id.index
    let content = slots[index].trim ? content.extracting(WhiteSpace.trimmedRange(of: content)) : content
    guard content.count <= Value.maximumLength else { return accept(content, key: .none, index: index, at: now) }
    let key = key(of: content)
    if slots[index].key == key, slots[index].kind != .event,
      key.isExact || records[index].bytes.holdsSameBytes(as: content)
    {
      slots[index].updates &+= 1
      slots[index].updatedAt = now
      return .unchanged
    }
    return accept(content, key: key, index: index, at: now)
  }

  /// Takes a content of any length that was gathered in chunks.
  ///
  /// The accumulator has to come from `makeAccumulator(for:)`, so that it trims as the value does.
  package func update(_ id: ValueID, content: borrowing ContentAccumulator, at now: Instant) -> UpdateOutcome {
    guard let fingerprint = content.fingerprint else {
      return update(id, content: content.prefix.span.extracting(0..<content.contentLength), at: now)
    }
    return accept(fingerprint, index: id.index, at: now)
  }

  /// Takes a content of which only the fingerprint is known.
  func accept(_ fingerprint: Fingerprint, index: Int, at now: Instant) -> UpdateOutcome {
    let kind = slots[index].kind
    if records[index].reading != nil { return refuse(.tooLongToExtract(length: fingerprint.length), index: index) }
    guard kind == .text || kind == .event else {
      return refuse(.tooLong(length: fingerprint.length, kind: kind), index: index)
    }
    records[index].bytes = ByteString()
    return store(.fingerprint(fingerprint), key: .none, index: index, at: now)
  }

  /// Has somebody be told of every update of these values, and of no others: runs stop before them.
  package func watchOver(_ ids: some Sequence<ValueID>) {
    for index in 0..<slots.count where slots[index].isWatchedOver { slots[index].isWatchedOver = false }
    for id in ids { slots[id.index].isWatchedOver = true }
  }

  /// An empty accumulator for contents of the value.
  package func makeAccumulator(for id: ValueID) -> ContentAccumulator {
    ContentAccumulator(trim: slots[id.index].trim)
  }

  func key(of content: Span<UInt8>) -> ByteKey { ByteKey(content, seed: seed) }

  /// Parses a content whose bytes differ from the ones before, and compares it.
  func accept(_ content: Span<UInt8>, key: ByteKey, index: Int, at now: Instant) -> UpdateOutcome {
    let value: Value
    do throws(ValueRefusal) {
      guard let read = try read(content, index: index) else { return .ignored }
      value = read
    } catch {
      return refuse(error, index: index)
    }
    keep(content, of: value, index: index)
    return store(value, key: key, index: index, at: now)
  }

  /// What a content is for a value; `nil`: its `match` finds nothing in it.
  ///
  /// Of contents that become the same value, they are the same in memory too.
  func read(_ content: Span<UInt8>, index: Int) throws(ValueRefusal) -> Value? {
    let kind = slots[index].kind
    guard let reading = records[index].reading else {
      // Of the other kinds another content is another value.
      let known = kind == .json || kind == .event ? records[index].value : nil
      return try parser.parse(content, as: kind, known: known)
    }
    let known = records[index].value
    var place = Extraction.Place(isUnescaped: false, range: 0..<content.count)
    if let extraction = reading.extraction {
      guard let found = try extraction.find(in: content, scratch: &scratch) else { return nil }
      place = found
    }
    // Another owner for as long as it is looked at: nothing writes it meanwhile.
    let unescaped = scratch
    let text = (place.isUnescaped ? unescaped.span : content).extracting(place.range)
    guard let comparison = reading.comparison else { return try parser.parse(text, as: kind, known: known) }
    return .bool(try comparison.holds(forText: text))
  }

  func refuse(_ refusal: ValueRefusal, index: Int) -> UpdateOutcome {
    records[index].refusals &+= 1
    records[index].lastRefusal = refusal
    return .refused(refusal)
  }

  /// Keeps the content's bytes; those of a text that is taken as it comes are shared with its value.
  func keep(_ content: Span<UInt8>, of value: Value, index: Int) {
    switch value {
    case .text(let bytes) where records[index].reading == nil: records[index].bytes = bytes
    case .fingerprint: records[index].bytes = ByteString()
    case .text, .number, .bool, .json:
      records[index].bytes.set(to: content)
    }
  }

  func store(_ value: consuming Value, key: ByteKey, index: Int, at now: Instant) -> UpdateOutcome {
    slots[index].key = key
    slots[index].updates &+= 1
    slots[index].updatedAt = now
    if records[index].value == value && slots[index].kind != .event { return .unchanged }
    // Exchanged, not copied: to count one more reference costs more than to compare.
    var old: Value? = value
    swap(&old, &records[index].value)
    records[index].changedAt = now
    if let old {
      return .changed(Change(value: ValueID(index: index), old: old, new: value))
    }
    // A client's first event has happened just now; what is found in a file may be as old as that.
    let isAppearance = !(slots[index].kind == .event && slots[index].bringsNews)
    let differs = !lastDigests.isEmpty && differsFromLastRun(value, index: index)
    let new = value
    return .changed(
      Change(
        value: ValueID(index: index), old: new, new: new, isAppearance: isAppearance, differsFromLastRun: differs,
        isFirst: true))
  }
}
