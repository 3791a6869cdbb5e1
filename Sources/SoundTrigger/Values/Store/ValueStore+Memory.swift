/// The memory of the contents, and how soundd frees it.
extension ValueStore {
  /// The bytes that the contents of all values take. Contents of up to 15 bytes take none.
  package var contentBytes: Int { table.contentBytes }

  /// Sets the bytes that the contents may take. Beyond them undeclared values may not grow.
  package func setRoom(_ room: Int) { table.room = room }

  /// Whether the configuration declares a value.
  package func isDeclared(_ id: ValueID) -> Bool { table.entries[id.index].isDeclared }

  /// Forgets the content and the counters of a value, and keeps its declaration. The next content is its first.
  package func forgetContent(of id: ValueID) {
    let index = id.index
    let old = table.entries[index]
    var entry = Entry(name: old.name, declaration: old.declaration, isDeclared: old.isDeclared)
    entry.contentBytes = old.contentBytes
    table.entries[index] = entry
    table.lastContents[old.name] = nil
    table.countContent(index)
  }

  /// Forgets a value with its name. Its index may then be that of another value.
  package func remove(_ id: ValueID) {
    forgetContent(of: id)
    table.remove(id.index)
  }
}

extension ValueStore.Entry {
  /// The bytes of memory that the content takes beside its entry.
  fileprivate var countedBytes: Int {
    let kept = bytes?.ownBytes ?? 0
    switch value {
    // The text shares the memory of the kept bytes.
    case .text where declaration.reading == nil && bytes != nil: return kept
    case .text(let text), .json(let text): return kept + text.ownBytes
    case .number, .bool, .fingerprint, nil: return kept
    }
  }
}

extension ValueStore.Table {
  /// The number of names.
  var count: Int { entries.count - freeIndices.count }

  /// Counts the memory of a value's content anew, after the content has changed.
  mutating func countContent(_ index: Int) {
    let bytes = entries[index].countedBytes
    contentBytes += bytes - entries[index].contentBytes
    entries[index].contentBytes = bytes
  }

  /// Counts and throws a refusal if a content does not fit into the memory for undeclared values.
  mutating func checkRoom(for content: Span<UInt8>, in name: Span<UInt8>) throws(ValueStoreError) {
    guard let growth = growth(of: index(of: name), to: content), !hasRoom(for: growth) else { return }
    try refuseToGrow(name, to: content)
  }

  /// Counts and throws the refusal of a content that does not fit into the memory.
  mutating func refuseToGrow(_ name: Span<UInt8>, to content: Span<UInt8>) throws(ValueStoreError) {
    let refusal = ValueRefusal.noMemory(length: content.count)
    if let index = index(of: name) {
      _ = refuse(refusal, index: index)
      throw .refused(name: entries[index].name.description, refusal)
    }
    let name = try validate(name)
    refusedCount &+= 1
    throw .refused(name: name.description, refusal)
  }

  /// How many more bytes a value needs for a content. `nil` if the configuration declares the value, or if it does not grow.
  ///
  /// `index` is `nil` for a new value.
  func growth(of index: Int?, to content: Span<UInt8>) -> Int? {
    if let index, entries[index].isDeclared { return nil }
    let length = ContentText.range(in: content, trim: true).count
    // Of a longer content the store keeps only the fingerprint.
    guard length > ByteString.inlineLength, length <= Value.maximumLength else { return nil }
    let growth = length - (index.map { entries[$0].contentBytes } ?? 0)
    return growth > 0 ? growth : nil
  }

  /// Whether there is memory for contents to grow by this many bytes.
  func hasRoom(for growth: Int) -> Bool { contentBytes + growth <= room }
}
