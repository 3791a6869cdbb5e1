/// Derived values: each is computed from another value, its base.
extension ValueStore {
  /// Updates a derived value with what it computes from its base.
  ///
  /// It begins as its base does. If `baseAppears`, its first content is an appearance; otherwise the base has changed, and
  /// the first content is a change with no old value. If the base has content and the derived value then has none, because
  /// `match` finds nothing or the type refuses it, the derived value begins at nothing.
  package func derive(
    _ id: ValueID, from base: ValueID, baseAppears: Bool, at now: Instant, into changes: inout [Change]
  ) -> UpdateOutcome {
    let index = id.index
    guard let content = table.entries[base.index].value else { return .ignored }
    if !baseAppears, table.entries[index].value == nil { table.entries[index].beganAtNothing = true }
    // Without an extraction the comparison reads the base's content as it is.
    if let reading = table.entries[index].declaration.reading, reading.extraction == nil,
      let comparison = reading.comparison
    {
      do throws(ValueRefusal) {
        return table.store(.bool(try comparison.holds(for: content)), index: index, at: now, into: &changes)
      } catch {
        return table.refuse(error, index: index)
      }
    }
    if case .fingerprint(let fingerprint) = content {
      return table.update(index, fingerprint: fingerprint, at: now, into: &changes)
    }
    return content.withText { table.update(index, content: $0, at: now, into: &changes) } ?? .ignored
  }

  /// After a reload, computes a derived value that has no content. It appears with the content computed from its base.
  ///
  /// It begins anew if its base did. Any other value that has content stays as it is, even if its base refused or ignored
  /// the last content.
  package func rederive(
    _ id: ValueID, from base: ValueID, at now: Instant, into changes: inout [Change]
  ) -> UpdateOutcome {
    if lost.contains(base.index) { beginAnew(id.index) }
    if table.entries[id.index].value != nil { return .ignored }
    return derive(id, from: base, baseAppears: true, at: now, into: &changes)
  }
}
