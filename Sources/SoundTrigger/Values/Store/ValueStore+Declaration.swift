// MARK: Names

extension ValueStore {
  /// Looks a value up by the bytes of its name, without allocation.
  package func id(of name: Span<UInt8>) -> ValueID? { table.index(of: name).map { ValueID(index: $0) } }

  /// Looks a value up by its name.
  package func id(of name: ValueName) -> ValueID? { id(of: name.description.utf8.span) }

  /// Looks up the value that a client wants to set. An unknown name becomes an undeclared value, of type `text`.
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
    var key = hash(of: name)
    while let index = indices[key] {
      if entries[index].name.holdsSameBytes(as: name) { return index }
      key &+= 1
    }
    return nil
  }

  @inline(__always)
  mutating func indexDeclaringIfNeeded(
    _ name: Span<UInt8>, by feed: String? = nil
  ) throws(ValueStoreError) -> Int {
    guard let index = index(of: name) else {
      let name = try validate(name)
      try check(name, by: feed)
      try checkMembers(with: [name])
      return try insert(name, undeclared(name), isDeclared: false)
    }
    try checkMaySet(index, by: feed)
    return index
  }

  /// The declaration of a value that nothing declares exactly: a pattern's, or a text's. Beneath the prefix of a feed it belongs to
  /// the feed.
  func undeclared(_ name: ValueName, kind: ValueKind = .text) -> ValueStore.Declaration {
    let feed = feeds.first { name.description.hasPrefix($0.prefix) }
    let pattern = patterns.table.elements(matching: name).lazy.compactMap { self.patterns.all[$0].declaration }.first
    var declaration = pattern ?? ValueStore.Declaration(kind: kind)
    if let feed { declaration.source = .feed(feed.name) }
    return declaration
  }

  /// Throws if a new name is beneath the prefix of a feed, and not set by it.
  func check(_ name: ValueName, by feed: String?) throws(ValueStoreError) {
    if feeds.isEmpty { return }
    guard case .feed(let owner) = undeclared(name).source, owner != feed else { return }
    throw .fedByFeed(name: name.description, feed: owner)
  }

  /// Throws if clients (`nil`), or the feed of this name, may not set the value.
  @inline(__always)
  func checkMaySet(_ index: Int, by feed: String? = nil) throws(ValueStoreError) {
    switch entries[index].declaration.source {
    case .client: return
    case .feed(let owner):
      if owner != feed { throw .fedByFeed(name: entries[index].name.description, feed: owner) }
    case .command: throw .fedByCommand(name: entries[index].name.description)
    case .file(let path, let aspect):
      throw .fedByFile(name: entries[index].name.description, path: path, aspect: aspect)
    case .derived(let base):
      throw .derived(name: entries[index].name.description, from: base.description)
    }
  }

  /// The name that these bytes are. Throws if they are none, or too many.
  func validate(_ bytes: Span<UInt8>) throws(ValueStoreError) -> ValueName {
    // A name is ASCII, so a repaired decoding of other bytes is refused too.
    guard bytes.count <= ValueName.maximumFedLength,
      let name = ValueName(String(decoding: [UInt8](bytes), as: UTF8.self))
    else { throw .invalidName(Excerpt.quoting(bytes)) }
    if !ValueName.fits(name.description, beneath: feeds.lazy.map(\.prefix)) {
      throw .nameTooLong(Excerpt.quoting(bytes))
    }
    return name
  }

  /// Throws if one of these new names would be one member too many of a pattern.
  mutating func checkMembers(with names: [ValueName]) throws(ValueStoreError) {
    if patterns.all.isEmpty { return }
    var new: [Int: Int] = [:]
    for name in names {
      for index in patterns.table.elements(matching: name) {
        new[index, default: 0] += 1
        if patterns.all[index].count + new[index, default: 0] <= patterns.limit { continue }
        patterns.all[index].refused += 1
        throw .tooManyMembers(
          name: name.description, pattern: patterns.all[index].pattern.description, limit: patterns.limit)
      }
    }
  }

  mutating func insert(
    _ name: ValueName, _ declaration: ValueStore.Declaration, isDeclared: Bool
  ) throws(ValueStoreError) -> Int {
    guard count < limit else { throw .tooManyValues(name: name.description, limit: limit) }
    let entry = ValueStore.Entry(name: name, declaration: declaration, isDeclared: isDeclared)
    let index = freeIndices.popLast() ?? entries.count
    if index < entries.count { entries[index] = entry } else { entries.append(entry) }
    setIndex(index, of: name)
    patterns.count(name, 1)
    return index
  }

  /// Enters a name into `indices`.
  private mutating func setIndex(_ index: Int, of name: ValueName) {
    var key = hash(of: name.description.utf8.span)
    while indices[key] != nil { key &+= 1 }
    indices[key] = index
  }

  /// Removes a name. Another one may get its index.
  mutating func remove(_ index: Int) {
    var key = hash(of: entries[index].name.description.utf8.span)
    while let other = indices[key], other != index { key &+= 1 }
    indices[key] = nil
    // Enters the names behind this key again, because a lookup would no longer reach them.
    key &+= 1
    while let other = indices.removeValue(forKey: key) {
      setIndex(other, of: entries[other].name)
      key &+= 1
    }
    entries[index].isFree = true
    patterns.count(entries[index].name, -1)
    freeIndices.append(index)
  }

  /// Hashes a name, eight bytes at a time. Multiplies the length by the secret, so that nobody can choose names of different
  /// lengths that always collide.
  @inline(__always)
  private func hash(of name: Span<UInt8>) -> UInt64 {
    name.withUnsafeBytes { bytes in
      var hash = secret.start &+ UInt64(bytes.count) &* secret.factor
      var offset = 0
      while offset + 8 <= bytes.count {
        hash = mix(hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        offset += 8
      }
      var rest: UInt64 = 0
      if bytes.count >= 8 {
        // The last eight bytes, some of them once more.
        rest = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
      } else {
        while offset < bytes.count {
          rest = rest << 8 | UInt64(bytes[offset])
          offset += 1
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

extension ValueStore {
  /// Declares a value, or changes the declaration of a known one.
  ///
  /// A known value keeps its content if its source, kind, trimming, extraction and comparison stay the same. Otherwise it
  /// begins anew. `rederive` computes a derived value, after all declarations. Throws if the store is full.
  @discardableResult
  package func declare(
    _ name: ValueName, kind: ValueKind, source: ValueSource, trim: Bool = true, extraction: Extraction? = nil,
    comparison: Comparison? = nil
  ) throws(ValueStoreError) -> ValueID {
    let declaration = Declaration(kind: kind, source: source, trim: trim, reading: Reading(extraction, comparison))
    return try declare(name, declaration, inConfiguration: true)
  }

  /// Makes a value that clients set from a name that the configuration uses but does not declare.
  ///
  /// `kind` is `event` if the configuration names it in `cancel` alone. A known value keeps its content by the rule of
  /// `declare`. Throws if the store is full.
  @discardableResult
  package func useUndeclared(_ name: ValueName, kind: ValueKind = .text) throws(ValueStoreError) -> ValueID {
    try declare(name, table.undeclared(name, kind: kind), inConfiguration: false)
  }

  /// Removes a declaration: the value becomes an undeclared text that clients set, or a feed.
  ///
  /// It keeps its content by the rule of `declare`, and its ID.
  package func retract(_ id: ValueID) {
    redeclare(id.index, table.undeclared(table.entries[id.index].name), inConfiguration: false)
  }

  /// Sets the feeds, before all declarations: an undeclared name beneath a prefix belongs to its feed.
  package func setFeeds(_ feeds: [(prefix: String, name: String)]) { table.feeds = feeds }

  /// Sets the patterns, before all declarations: they declare the names that no exact declaration has. `limit`: the most members
  /// of each. Members that are there already stay.
  package func setPatterns(_ patterns: [(pattern: ValuePattern, declaration: Declaration?)], limit: Int) {
    let old = table.patterns.all
    table.patterns = Patterns(limit: limit)
    for (index, new) in patterns.enumerated() {
      table.patterns.table.add(new.pattern, index)
      let refused = old.first { $0.pattern == new.pattern }?.refused ?? 0
      table.patterns.all.append(.init(pattern: new.pattern, declaration: new.declaration, refused: refused))
    }
    for id in ids { table.patterns.count(name(of: id), 1) }
  }

  /// Whether a pattern names a value.
  package func isMember(_ id: ValueID) -> Bool { isMember(name(of: id)) }

  /// Whether a pattern names a value of this name.
  package func isMember(_ name: ValueName) -> Bool { table.patterns.match(name) }

  /// The patterns that have refused members, and how many.
  package var refusedMembers: [(pattern: ValuePattern, count: Int)] {
    table.patterns.all.filter { $0.refused > 0 }.map { ($0.pattern, $0.refused) }
  }

  /// Returns and clears the values that lost their content since the last call, because their declaration or their base's
  /// changed. Sorted by index.
  package func takeLost() -> [ValueID] {
    defer { lost = [] }
    return lost.sorted().map { ValueID(index: $0) }
  }

  /// Lets a value begin at nothing: soundd has looked at its source and found no content.
  ///
  /// The first content that comes later is a change with no old value. Does nothing to a value that has content. If the
  /// content of the last run is known, the first content is compared with that: if they are equal, it is an appearance.
  package func beginAtNothing(_ id: ValueID) { table.entries[id.index].beganAtNothing = true }

  private func declare(
    _ name: ValueName, _ declaration: Declaration, inConfiguration: Bool
  ) throws(ValueStoreError) -> ValueID {
    guard let id = id(of: name) else {
      return ValueID(index: try table.insert(name, declaration, isDeclared: inConfiguration))
    }
    redeclare(id.index, declaration, inConfiguration: inConfiguration)
    return id
  }

  private func redeclare(_ index: Int, _ declaration: Declaration, inConfiguration: Bool) {
    let isNew = inConfiguration && !table.entries[index].isDeclared
    table.entries[index].isDeclared = inConfiguration
    if table.entries[index].declaration == declaration { return }
    carry(index, to: declaration, isNew: isNew)
    table.entries[index].declaration = declaration
    beginAnew(index)
  }

  /// Keeps the content that a client has set for the next declaration: of a value that was not declared before, and what came while
  /// the configuration was read. An event would happen once more.
  private func carry(_ index: Int, to declaration: Declaration, isNew: Bool) {
    let entry = table.entries[index]
    guard case .client = entry.declaration.source, case .client = declaration.source, declaration.kind != .event,
      entry.declaration.reading == nil, isNew || carriesSince.map({ entry.updatedAt >= $0 }) ?? false,
      let content = entry.value?.withText({ $0.withUnsafeBufferPointer { Array($0) } })
    else { return }
    carried.append((ValueID(index: index), content))
  }

  /// Returns and clears what the new declarations may take.
  package func takeCarried() -> [(value: ValueID, content: [UInt8])] {
    defer { (carried, carriesSince) = ([], nil) }
    return carried
  }

  /// Before declarations: contents of declared values that came since then are carried, too.
  package func carryUpdates(since time: Instant) { carriesSince = time }

  /// Forgets the content of a value whose declaration has changed, or that of its base.
  func beginAnew(_ index: Int) {
    if table.entries[index].value != nil { lost.insert(index) }
    forgetContent(of: ValueID(index: index))
  }
}
