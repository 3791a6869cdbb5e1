/// Values that follow from others.
extension ValueStore {
  /// Computes a derived value from its base, as an update of it.
  ///
  /// Both are from this store, and the base has a content. A derived value is compared with its last content like any
  /// other.
  package func derive(_ id: ValueID, from base: ValueID, at now: Instant) -> UpdateOutcome {
    guard let content = records[base.index].value else { return .ignored }
    let index = id.index
    if let comparison = plainComparison(index) {
      do throws(ValueRefusal) {
        return store(.bool(try comparison.holds(for: content)), key: .none, index: index, at: now)
      } catch {
        return refuse(error, index: index)
      }
    }
    if case .fingerprint(let fingerprint) = content { return accept(fingerprint, index: index, at: now) }
    return withText(of: content) { update(id, content: $0, at: now) }
  }

  /// Computes a derived value anew if its declaration has changed, or its base is another one because of one: no update is
  /// counted and nothing has changed, save that a value without content appears.
  ///
  /// It is forgotten if it does not follow from its base any more. Otherwise it stays as it is, even if the content that
  /// it followed from was not the last one of its base.
  package func rederive(_ id: ValueID, from base: ValueID, at now: Instant) -> UpdateOutcome {
    let index = id.index
    guard let old = records[index].value else { return derive(id, from: base, at: now) }
    guard redeclared.contains(index) || reread.contains(base.index) else { return .ignored }
    slots[index].key = .none
    records[index].bytes = ByteString()
    records[index].value = rederivedValue(index, from: base)
    if records[index].value != old { reread.insert(index) }
    return .ignored
  }

  private func rederivedValue(_ index: Int, from base: ValueID) -> Value? {
    guard let content = records[base.index].value else { return nil }
    if let comparison = plainComparison(index) { return (try? comparison.holds(for: content)).map(Value.bool) }
    if case .fingerprint = content {
      let isKept = records[index].reading == nil && [.text, .event].contains(slots[index].kind)
      return isKept ? content : nil
    }
    return withText(of: content) { text in
      let text = slots[index].trim ? text.extracting(WhiteSpace.trimmedRange(of: text)) : text
      return (try? read(text, index: index)) ?? nil
    }
  }

  /// The comparison of a value that compares its base's content as it is.
  private func plainComparison(_ index: Int) -> Comparison? {
    guard let reading = records[index].reading, reading.extraction == nil else { return nil }
    return reading.comparison
  }

  private func withText<Result>(of content: Value, _ body: (Span<UInt8>) -> Result) -> Result {
    switch content {
    case .text(let bytes), .json(let bytes): return bytes.withSpan(body)
    case .number, .bool, .fingerprint:
      var bytes = baseText
      bytes.removeAll(keepingCapacity: true)
      baseText = []
      content.appendText(to: &bytes)
      defer { baseText = bytes }
      return body(bytes.span)
    }
  }
}
