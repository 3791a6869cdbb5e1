extension ValueStore {
  /// How many names the store knows.
  package var count: Int { names.count }

  /// All values in the order in which their names arrived.
  package var ids: some Sequence<ValueID> { (0..<names.count).lazy.map { ValueID(index: $0) } }

  /// The value of that name; the search allocates nothing.
  package func id(of name: Span<UInt8>) -> ValueID? {
    names.index(of: name).map { ValueID(index: $0) }
  }

  /// The value of that name.
  package func id(of name: ValueName) -> ValueID? { id(of: Array(name.description.utf8).span) }

  /// The value of that name for a client to set; an unknown name becomes an undeclared text.
  ///
  /// Refused are bytes that are no name, a value that a file feeds, and a new name when the store is full.
  package func idDeclaringIfNeeded(_ name: Span<UInt8>) throws(ValueStoreError) -> ValueID {
    if let id = id(of: name) {
      try checkIsFedByClients(id)
      return id
    }
    let name = try Self.validate(name)
    return try insert(name, kind: .text, source: .client, trim: true, isDeclared: false)
  }

  /// Declares a value, or changes the declaration of a known one.
  ///
  /// A known value keeps its content if the kind and the trimming stay the same, whatever the source: the next update is
  /// compared with it. If only the kind changes, the content is parsed anew, and forgotten if it does not parse; so it
  /// is if trimming ends, for what was trimmed off is gone. A forgotten content makes the next one an appearance.
  /// A new name is refused when the store is full.
  @discardableResult
  package func declare(
    _ name: ValueName, kind: ValueKind, source: ValueSource, trim: Bool = true
  ) throws(ValueStoreError) -> ValueID {
    guard let id = id(of: name) else {
      return try insert(name, kind: kind, source: source, trim: trim, isDeclared: true)
    }
    records[id.index].isDeclared = true
    redeclare(id.index, kind: kind, source: source, trim: trim)
    return id
  }

  /// Takes a declaration back: the value goes on as an undeclared text that clients set.
  ///
  /// It keeps its content by the rules of `declare`. Its name and its place are never given away.
  package func retract(_ id: ValueID) {
    records[id.index].isDeclared = false
    redeclare(id.index, kind: .text, source: .client, trim: true)
  }

  func checkIsFedByClients(_ id: ValueID) throws(ValueStoreError) {
    if slots[id.index].isFedByClients { return }
    if case .file(let path) = records[id.index].source {
      throw .fedByFile(name: names[id.index].description, path: path)
    }
  }

  static func validate(_ name: Span<UInt8>) throws(ValueStoreError) -> ValueName {
    // The rule admits ASCII only, so a repaired decoding of other bytes is refused too.
    guard name.count <= ValueName.maximumLength,
      let name = ValueName(String(decoding: [UInt8](name), as: UTF8.self))
    else { throw .invalidName(Excerpt.quoting(name)) }
    return name
  }

  func insert(
    _ name: ValueName, kind: ValueKind, source: ValueSource, trim: Bool, isDeclared: Bool
  ) throws(ValueStoreError) -> ValueID {
    guard names.count < limit else { throw .tooManyValues(name: name.description, limit: limit) }
    let index = names.insert(name)
    slots.append(Slot(kind: kind, trim: trim, isFedByClients: source == .client))
    records.append(Record(source: source, isDeclared: isDeclared))
    return ValueID(index: index)
  }

  private func redeclare(_ index: Int, kind: ValueKind, source: ValueSource, trim: Bool) {
    records[index].source = source
    slots[index].isFedByClients = source == .client
    let (oldKind, oldTrim) = (slots[index].kind, slots[index].trim)
    slots[index].kind = kind
    slots[index].trim = trim
    if kind == oldKind && trim == oldTrim { return }
    reinterpret(index, trimmingBegins: trim && !oldTrim, trimmingEnds: !trim && oldTrim)
  }

  /// Parses the kept content by a changed declaration, or forgets it.
  ///
  /// No update is counted.
  private func reinterpret(_ index: Int, trimmingBegins: Bool, trimmingEnds: Bool) {
    guard let old = records[index].value else { return }
    if case .fingerprint = old, !trimmingBegins, !trimmingEnds, [.text, .event].contains(slots[index].kind) { return }
    let bytes = records[index].bytes
    let kept = trimmingBegins ? bytes.span.extracting(WhiteSpace.trimmedRange(of: bytes.span)) : bytes.span
    // The key belongs to the bytes and the kind as they were.
    slots[index].key = .none
    if case .fingerprint = old {
      records[index].value = nil
    } else if trimmingEnds {
      records[index].value = nil
    } else {
      records[index].value = try? parser.parse(kept, as: slots[index].kind)
    }
    if let value = records[index].value {
      keep(kept, of: value, index: index)
    } else {
      records[index].bytes = []
    }
  }
}
