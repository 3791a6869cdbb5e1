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
  /// A known value keeps its content if the kind, the trimming and what is taken out of it stay the same, whatever the
  /// source: the next update is compared with it. If one of these changes, the content is read anew, and forgotten if it
  /// does not parse; so it is if trimming ends, for what was trimmed off is gone, and if it was derived. A forgotten
  /// content makes the next one an appearance. A derived value is to be computed by `rederive` after all declarations.
  /// A new name is refused when the store is full.
  @discardableResult
  package func declare(
    _ name: ValueName, kind: ValueKind, source: ValueSource, trim: Bool = true, extraction: Extraction? = nil,
    comparison: Comparison? = nil
  ) throws(ValueStoreError) -> ValueID {
    let reading = Reading(extraction, comparison)
    guard let id = id(of: name) else {
      let id = try insert(name, kind: kind, source: source, trim: trim, isDeclared: true)
      records[id.index].reading = reading
      return id
    }
    records[id.index].isDeclared = true
    redeclare(id.index, kind: kind, source: source, trim: trim, reading: reading)
    return id
  }

  /// Takes a declaration back: the value goes on as an undeclared text that clients set.
  ///
  /// It keeps its content by the rules of `declare`. Its name and its place are never given away.
  package func retract(_ id: ValueID) {
    records[id.index].isDeclared = false
    redeclare(id.index, kind: .text, source: .client, trim: true, reading: nil)
  }

  /// The values whose content is another one only because declarations have changed since the last call, or is forgotten
  /// therefore; in the order in which their names arrived.
  package func takeReread() -> [ValueID] {
    defer {
      redeclared = []
      reread = []
    }
    return reread.sorted().map { ValueID(index: $0) }
  }

  /// Takes in that whatever comes now has just happened, the first content too: what was there before has been read.
  package func expectNews(_ id: ValueID) { slots[id.index].bringsNews = true }

  func checkIsFedByClients(_ id: ValueID) throws(ValueStoreError) {
    if slots[id.index].isFedByClients { return }
    let name = names[id.index].description
    switch records[id.index].source {
    case .client: return
    case .file(let path, let aspect): throw .fedByFile(name: name, path: path, aspect: aspect)
    case .derived(let base): throw .derived(name: name, from: base.description)
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
    slots.append(
      Slot(kind: kind, trim: trim, isFedByClients: source == .client, bringsNews: source.bringsNews))
    records.append(Record(source: source, isDeclared: isDeclared))
    return ValueID(index: index)
  }

  private func redeclare(_ index: Int, kind: ValueKind, source: ValueSource, trim: Bool, reading: Reading?) {
    let (oldKind, oldTrim, oldReading) = (slots[index].kind, slots[index].trim, records[index].reading)
    let oldSource = records[index].source
    let oldValue = records[index].value
    records[index].source = source
    slots[index].isFedByClients = source == .client
    // One that stays has its beginning behind it.
    if source != oldSource { slots[index].bringsNews = source.bringsNews }
    slots[index].kind = kind
    slots[index].trim = trim
    records[index].reading = reading
    let isReadAlike = reading?.extraction == oldReading?.extraction && reading?.comparison == oldReading?.comparison
    let isAlike = kind == oldKind && trim == oldTrim && isReadAlike
    // It is `rederive` that computes it.
    if source.isDerived {
      if !isAlike || source != oldSource { redeclared.insert(index) }
      return
    }
    if isAlike { return }
    defer { if records[index].value != oldValue { reread.insert(index) } }
    if oldSource.isDerived { return forget(index) }
    reinterpret(index, trimmingBegins: trim && !oldTrim, trimmingEnds: !trim && oldTrim)
  }

  private func forget(_ index: Int) {
    slots[index].key = .none
    records[index].value = nil
    records[index].bytes = ByteString()
  }

  /// Parses the kept content by a changed declaration, or forgets it.
  ///
  /// No update is counted.
  private func reinterpret(_ index: Int, trimmingBegins: Bool, trimmingEnds: Bool) {
    guard let old = records[index].value else { return }
    let keepsLong = records[index].reading == nil && [.text, .event].contains(slots[index].kind)
    if case .fingerprint = old, !trimmingBegins, !trimmingEnds, keepsLong { return }
    let bytes = records[index].bytes.array
    // The key belongs to the bytes and the kind as they were.
    forget(index)
    if case .fingerprint = old { return }
    if trimmingEnds { return }
    let kept = trimmingBegins ? bytes.span.extracting(WhiteSpace.trimmedRange(of: bytes.span)) : bytes.span
    if let value = try? read(kept, index: index) {
      records[index].value = value
      keep(kept, of: value, index: index)
    }
  }
}
