/// Derived values: each is computed from another value, its base.
extension ValueStore {
  /// Computes a derived value from its base, which is an update of it.
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
    if let comparison = plainComparison(index) {
      do throws(ValueRefusal) {
        return table.store(.bool(try comparison.holds(for: content)), index: index, at: now, into: &changes)
      } catch {
        return table.refuse(error, index: index)
      }
    }
    if case .fingerprint(let fingerprint) = content {
      return table.update(index, fingerprint: fingerprint, at: now, into: &changes)
    }
    return withText(of: content) { table.update(index, content: $0, at: now, into: &changes) }
  }

  /// Computes a derived value again after a reload, if its declaration or the content of its base differs because of one.
  ///
  /// This counts no update and is no change. Only a value without content may appear. A value that cannot be computed any
  /// more loses its content; it begins at nothing if its base has content. Any other value stays as it is, even if the last content of its base was
  /// refused or ignored.
  package func rederive(
    _ id: ValueID, from base: ValueID, at now: Instant, into changes: inout [Change]
  ) -> UpdateOutcome {
    let index = id.index
    guard let old = table.entries[index].value else {
      table.entries[index].beganAtNothing = false
      return derive(id, from: base, baseAppears: true, at: now, into: &changes)
    }
    guard redeclared.contains(index) || reread[base.index] != nil else { return .ignored }
    defer { table.countContent(index) }
    table.entries[index].bytes = nil
    var refusal: ValueRefusal?
    do throws(ValueRefusal) {
      table.entries[index].value = try rederivedValue(index, from: base)
    } catch {
      table.entries[index].value = nil
      refusal = error
    }
    if table.entries[base.index].value != nil { table.entries[index].foundNothing() }
    if table.entries[index].value != old { reread[index] = .some(refusal) }
    return .ignored
  }

  private func rederivedValue(_ index: Int, from base: ValueID) throws(ValueRefusal) -> Value? {
    guard let content = table.entries[base.index].value else { return nil }
    if let comparison = plainComparison(index) { return .bool(try comparison.holds(for: content)) }
    if case .fingerprint(let fingerprint) = content {
      let kind = table.entries[index].kind
      if table.entries[index].reading != nil { throw .tooLongToExtract(length: fingerprint.length) }
      guard kind == .text || kind == .event else { throw .tooLong(length: fingerprint.length, kind: kind) }
      return content
    }
    return try withText(of: content) { (text) throws(ValueRefusal) in
      try table.read(
        table.entries[index].trim ? text.extracting(WhiteSpace.trimmedRange(of: text)) : text, index: index)
    }
  }

  /// The comparison of a value that compares the content of its base as it is.
  private func plainComparison(_ index: Int) -> Comparison? {
    guard let reading = table.entries[index].reading, reading.extraction == nil else { return nil }
    return reading.comparison
  }

  private func withText<Result, Thrown: Error>(
    of content: Value, _ body: (Span<UInt8>) throws(Thrown) -> Result
  ) throws(Thrown) -> Result {
    switch content {
    case .text(let bytes), .json(let bytes): return try bytes.withSpan(body)
    case .number, .bool, .fingerprint:
      var bytes = baseText
      // The only reference, or the next line would allocate.
      baseText = []
      bytes.removeAll(keepingCapacity: true)
      content.appendText(to: &bytes)
      defer { baseText = bytes }
      return try body(bytes.span)
    }
  }
}
