extension ValueStore {
  package func name(of id: ValueID) -> ValueName { names[id.index] }

  package func kind(of id: ValueID) -> ValueKind { slots[id.index].kind }

  package func source(of id: ValueID) -> ValueSource { records[id.index].source }

  /// Whether what comes has just happened, and is not found to have happened once.
  package func bringsNews(_ id: ValueID) -> Bool { slots[id.index].bringsNews }

  /// When the value was last updated, whether or not that changed anything; `nil`: never.
  package func lastUpdate(of id: ValueID) -> Instant? {
    let slot = slots[id.index]
    return slot.updates > 0 ? slot.updatedAt : nil
  }

  /// The content as it is compared; `nil` before the first.
  package func value(of id: ValueID) -> Value? { records[id.index].value }

  /// All that is known of the value now.
  package func snapshot(of id: ValueID) -> ValueSnapshot {
    let slot = slots[id.index]
    let record = records[id.index]
    let text: String? =
      switch record.value {
      case nil: nil
      case .fingerprint(let fingerprint)?: fingerprint.description
      case let value? where record.reading != nil || record.source.isDerived: value.text
      case .text?, .number?, .bool?, .json?: String(decoding: record.bytes.array, as: UTF8.self)
      }
    return ValueSnapshot(
      name: names[id.index], kind: slot.kind, source: record.source, isDeclared: record.isDeclared, text: text,
      updates: slot.updates, refusals: record.refusals, lastRefusal: record.lastRefusal, changedAt: record.changedAt,
      updatedAt: lastUpdate(of: id))
  }
}
