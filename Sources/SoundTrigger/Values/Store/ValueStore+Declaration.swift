// MARK: Names

extension ValueStore {
  /// Looks a value up by the bytes of its name, without allocation.
  package func id(of name: Span<UInt8>) -> ValueID? { table.index(of: name).map { ValueID(index: $0) } }

  /// Looks a value up by its name.
  package func id(of name: ValueName) -> ValueID? { id(of: name.description.utf8.span) }

  /// The value of that name for a client to set. An unknown name becomes an undeclared value, of type `text`.
  ///
  /// Throws if the bytes are no name, if a file feeds the value or it is derived, and if the store is full.
  package func idDeclaringIfNeeded(_ name: Span<UInt8>) throws(ValueStoreError) -> ValueID {
    ValueID(index: try table.indexDeclaringIfNeeded(name))
  }
}

extension ValueStore.Table {
  /// Looks a value up by the bytes of its name, without allocation. Inlined, because a call would copy the table.
  @inline(__always)
  func index(of name: Span<UInt8>) -> Int? {
    guard let index = indices[hash(of: name)], entries[index].name.holdsSameBytes(as: name) else { return nil }
    return index
  }

  @inline(__always)
  mutating func indexDeclaringIfNeeded(_ name: Span<UInt8>) throws(ValueStoreError) -> Int {
    guard let index = index(of: name) else {
      return try insert(try Self.validate(name), kind: .text, source: .client, trim: true, isDeclared: false)
    }
    try checkClientsMaySet(index)
    return index
  }

  /// Throws if clients may not set the value.
  @inline(__always)
  func checkClientsMaySet(_ index: Int) throws(ValueStoreError) {
    switch entries[index].source {
    case .client: return
    case .file(let path, let aspect):
      throw .fedByFile(name: entries[index].name.description, path: path, aspect: aspect)
    case .derived(let base):
      throw .derived(name: entries[index].name.description, from: base.description)
    }
  }

  static func validate(_ name: Span<UInt8>) throws(ValueStoreError) -> ValueName {
    // A name is ASCII, so a repaired decoding of other bytes is refused too.
    guard name.count <= ValueName.maximumLength,
      let name = ValueName(String(decoding: [UInt8](name), as: UTF8.self))
    else { throw .invalidName(Excerpt.quoting(name)) }
    return name
  }

  mutating func insert(
    _ name: ValueName, kind: ValueKind, source: ValueSource, trim: Bool, isDeclared: Bool
  ) throws(ValueStoreError) -> Int {
    guard count < limit else { throw .tooManyValues(name: name.description, limit: limit) }
    let entry = ValueStore.Entry(name: name, kind: kind, source: source, isDeclared: isDeclared, trim: trim)
    let index = freePlaces.popLast() ?? entries.count
    if index < entries.count { entries[index] = entry } else { entries.append(entry) }
    setIndex(index, of: name)
    return index
  }

  /// Enters a name into `indices`. If it has the hash of another one, which happens to one in 2^64 names, all get other
  /// hashes.
  private mutating func setIndex(_ index: Int, of name: ValueName) {
    let key = hash(of: name.description.utf8.span)
    guard indices[key] != nil else {
      indices[key] = index
      return
    }
    secret = ValueStore.Secret()
    indices.removeAll(keepingCapacity: true)
    for index in entries.indices where !entries[index].isFree { setIndex(index, of: entries[index].name) }
  }

  /// Removes a name. Another one may take its place.
  mutating func remove(_ index: Int) {
    indices[hash(of: entries[index].name.description.utf8.span)] = nil
    entries[index].isFree = true
    freePlaces.append(index)
  }

  /// A hash of a name, eight bytes at a time.
  @inline(__always)
  private func hash(of name: Span<UInt8>) -> UInt64 {
    name.withUnsafeBytes { bytes in
      var hash = secret.start
      var place = 0
      while place + 8 <= bytes.count {
        hash = mix(hash ^ bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        place += 8
      }
      var rest = UInt64(bytes.count)
      if bytes.count >= 8 {
        // The last eight bytes, some of them once more.
        rest ^= bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
      } else {
        while place < bytes.count {
          rest = rest << 8 | UInt64(bytes[place])
          place += 1
        }
      }
      return mix(hash ^ rest)
    }
  }

  @inline(__always)
  private func mix(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: secret.factor)
    return product.high ^ product.low
  }
}

// MARK: Declarations

/// A value whose content differs because of a reload.
package struct RereadValue: Equatable, Sendable {
  package var value: ValueID
  /// Why the value lost its content, if its new declaration refuses it.
  package var refusal: ValueRefusal?

  package init(value: ValueID, refusal: ValueRefusal? = nil) {
    self.value = value
    self.refusal = refusal
  }
}

extension ValueStore {
  /// Declares a value, or changes the declaration of a known one.
  ///
  /// A known value keeps its content, whatever its source, if kind, trimming, extraction and comparison stay the same.
  /// Otherwise the content is read again. It is lost if it does not parse, if trimming ends (the white space is gone), and
  /// if the value was derived. A value that is derived now is computed by `rederive`, after all declarations.
  /// After a loss, the next content is an appearance; if the new declaration read the content and found nothing in it, the
  /// value begins at nothing. Throws if the store is full.
  @discardableResult
  package func declare(
    _ name: ValueName, kind: ValueKind, source: ValueSource, trim: Bool = true, extraction: Extraction? = nil,
    comparison: Comparison? = nil
  ) throws(ValueStoreError) -> ValueID {
    let reading = Reading(extraction, comparison)
    guard let id = id(of: name) else {
      let index = try table.insert(name, kind: kind, source: source, trim: trim, isDeclared: true)
      table.entries[index].reading = reading
      return ValueID(index: index)
    }
    table.entries[id.index].isDeclared = true
    redeclare(id.index, kind: kind, source: source, trim: trim, reading: reading)
    return id
  }

  /// Makes a name that the configuration uses, but does not declare, a value that clients set.
  ///
  /// `kind` is `event` if the configuration names it in `cancel` alone. The content of a known value is kept by the rules
  /// of `declare`. Throws if the store is full.
  @discardableResult
  package func useUndeclared(_ name: ValueName, kind: ValueKind = .text) throws(ValueStoreError) -> ValueID {
    guard let id = id(of: name) else {
      return ValueID(index: try table.insert(name, kind: kind, source: .client, trim: true, isDeclared: false))
    }
    table.entries[id.index].isDeclared = false
    redeclare(id.index, kind: kind, source: .client, trim: true, reading: nil)
    return id
  }

  /// Removes a declaration: the value becomes an undeclared text that clients set.
  ///
  /// It keeps its content by the rules of `declare`. Its ID is never reused.
  package func retract(_ id: ValueID) {
    table.entries[id.index].isDeclared = false
    redeclare(id.index, kind: .text, source: .client, trim: true, reading: nil)
  }

  /// Removes and returns the values whose content differs, or is lost, because declarations have changed since the last
  /// call; in the order in which their names arrived.
  package func takeReread() -> [RereadValue] {
    defer {
      redeclared = []
      reread = [:]
    }
    return reread.sorted { $0.key < $1.key }.map { RereadValue(value: ValueID(index: $0.key), refusal: $0.value) }
  }

  /// Lets a value begin at nothing: soundd has looked at its source and found no content.
  ///
  /// The first content that comes later is a change with no old value. Does nothing to a value that has content. If the
  /// content of the last run is known, the first content is compared with that: if they are equal, it is an appearance.
  package func beginAtNothing(_ id: ValueID) { table.entries[id.index].beganAtNothing = true }

  private func redeclare(_ index: Int, kind: ValueKind, source: ValueSource, trim: Bool, reading: Reading?) {
    let old = table.entries[index]
    table.entries[index].source = source
    table.entries[index].kind = kind
    table.entries[index].trim = trim
    table.entries[index].reading = reading
    let isReadAlike =
      kind == old.kind && trim == old.trim && reading?.extraction == old.reading?.extraction
      && reading?.comparison == old.reading?.comparison
    // soundd looks at another source again, and reads a source anew by another declaration.
    // An event that has begun stays so: what its source reports now has just happened.
    if source != old.source || (!isReadAlike && kind != .event) {
      table.entries[index].beganAtNothing = false
    } else if kind == .event, old.value != nil {
      table.entries[index].beganAtNothing = true
    }
    if source.isDerived {
      // `rederive` computes it.
      if !isReadAlike || source != old.source { redeclared.insert(index) }
      return
    }
    if isReadAlike { return }
    defer { table.countContent(index) }
    var refusal: ValueRefusal?
    if old.source.isDerived {
      table.entries[index].forgetContent()
    } else {
      refusal = reinterpret(index, trimmingBegins: trim && !old.trim, trimmingEnds: !trim && old.trim)
    }
    if table.entries[index].value != old.value { reread[index] = .some(refusal) }
  }

  /// Parses the kept content by a changed declaration, or forgets it; returns why the declaration refuses it.
  ///
  /// Counts neither an update nor a refusal.
  private func reinterpret(_ index: Int, trimmingBegins: Bool, trimmingEnds: Bool) -> ValueRefusal? {
    let (value, bytes, kind) = (table.entries[index].value, table.entries[index].bytes, table.entries[index].kind)
    if value == nil { return nil }
    if case .fingerprint(let fingerprint)? = value {
      let keepsLong = table.entries[index].reading == nil && (kind == .text || kind == .event)
      if keepsLong, !trimmingBegins, !trimmingEnds { return nil }
      table.entries[index].forgetContent()
      if keepsLong { return nil }
      table.entries[index].foundNothing()
      return table.entries[index].reading == nil
        ? .tooLong(length: fingerprint.length, kind: kind) : .tooLongToExtract(length: fingerprint.length)
    }
    table.entries[index].forgetContent()
    guard !trimmingEnds, let bytes else { return nil }
    return bytes.withSpan { content in
      let kept = trimmingBegins ? content.extracting(WhiteSpace.trimmedRange(of: content)) : content
      do throws(ValueRefusal) {
        if let value = try table.read(kept, index: index) {
          table.entries[index].value = value
          table.keep(kept, of: value, index: index)
          return nil
        }
        table.entries[index].foundNothing()
        return nil
      } catch {
        table.entries[index].foundNothing()
        return error
      }
    }
  }
}
