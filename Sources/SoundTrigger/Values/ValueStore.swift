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
  }

  struct Record {
    var source: ValueSource
    var isDeclared: Bool
    /// The last accepted content; empty for a fingerprint.
    var bytes: [UInt8] = []
    /// That content as it is compared; `nil` before the first.
    var value: Value?
    var changedAt: Instant?
    var refusals = 0
    var lastRefusal: ValueRefusal?
    /// The last transaction that set the value, and which of its members did so last.
    var transaction = (number: 0, member: 0)
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
    let kind = slots[id.index].kind
    guard kind == .text || kind == .event else {
      return refuse(.tooLong(length: fingerprint.length, kind: kind), index: id.index)
    }
    records[id.index].bytes = []
    return store(.fingerprint(fingerprint), key: .none, index: id.index, at: now)
  }

  /// An empty accumulator for contents of the value.
  package func makeAccumulator(for id: ValueID) -> ContentAccumulator {
    ContentAccumulator(trim: slots[id.index].trim)
  }

  func key(of content: Span<UInt8>) -> ByteKey { ByteKey(content, seed: seed) }

  /// Parses a content whose bytes differ from the ones before, and compares it.
  private func accept(_ content: Span<UInt8>, key: ByteKey, index: Int, at now: Instant) -> UpdateOutcome {
    let value: Value
    do throws(ValueRefusal) {
      value = try parser.parse(content, as: slots[index].kind, known: records[index].value)
    } catch {
      return refuse(error, index: index)
    }
    keep(content, of: value, index: index)
    return store(value, key: key, index: index, at: now)
  }

  private func refuse(_ refusal: ValueRefusal, index: Int) -> UpdateOutcome {
    records[index].refusals &+= 1
    records[index].lastRefusal = refusal
    return .refused(refusal)
  }

  /// Keeps the content's bytes; those of a text are shared with its value.
  func keep(_ content: Span<UInt8>, of value: Value, index: Int) {
    switch value {
    case .text(let bytes): records[index].bytes = bytes
    case .fingerprint: records[index].bytes = []
    case .number, .bool, .json:
      records[index].bytes.removeAll(keepingCapacity: true)
      records[index].bytes.append(content)
    }
  }

  private func store(_ value: Value, key: ByteKey, index: Int, at now: Instant) -> UpdateOutcome {
    slots[index].key = key
    slots[index].updates &+= 1
    slots[index].updatedAt = now
    let old = records[index].value
    if old == value && slots[index].kind != .event { return .unchanged }
    records[index].value = value
    records[index].changedAt = now
    return .changed(
      Change(value: ValueID(index: index), old: old ?? value, new: value, isAppearance: old == nil))
  }
}
