/// Numbers names in the order of their arrival and finds them again by their bytes.
///
/// An open-addressing hash table with linear probing, never more than half full, hashed with a seed of its own: names
/// come from strangers. A search allocates nothing.
struct NameTable: ~Copyable {
  // Not private: Swift 6.3 fails in debug builds if a generic owner in another file has a private argument.
  struct Slot: BitwiseCopyable {
    var key: ByteKey
    /// The number of the name; -1: the slot is free.
    var index: Int
  }

  private let seed = ByteKey.Seed()
  /// A power of two of them.
  private var slots = Column(repeating: Slot(key: .none, index: -1), count: 16)
  private var names: [ValueName] = []
  /// All names, one after the other, and where each ends.
  private var bytes = Column<UInt8>()
  private var ends = Column<Int>()

  var count: Int { names.count }

  subscript(index: Int) -> ValueName { names[index] }

  /// The number of the name with these bytes.
  func index(of name: Span<UInt8>) -> Int? {
    let key = ByteKey(name, seed: seed)
    let mask = slots.count - 1
    var position = Int(truncatingIfNeeded: key.hash(seed)) & mask
    while true {
      // A free slot ends the search, and half of the slots are free.
      let slot = slots[position]
      if slot.index < 0 { return nil }
      if slot.key == key && (key.isExact || isName(slot.index, name)) { return slot.index }
      position = (position + 1) & mask
    }
  }

  /// Adds a name that is not there yet and returns its number.
  mutating func insert(_ name: ValueName) -> Int {
    let index = names.count
    names.append(name)
    for byte in name.description.utf8 { bytes.append(byte) }
    ends.append(bytes.count)
    if names.count * 2 > slots.count {
      slots = Column(repeating: Slot(key: .none, index: -1), count: slots.count * 2)
      for index in names.indices { place(index) }
    } else {
      place(index)
    }
    return index
  }

  private mutating func place(_ index: Int) {
    let key = ByteKey(Array(names[index].description.utf8).span, seed: seed)
    let mask = slots.count - 1
    var position = Int(truncatingIfNeeded: key.hash(seed)) & mask
    while slots[position].index >= 0 { position = (position + 1) & mask }
    slots[position] = Slot(key: key, index: index)
  }

  private func range(of index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

  private func isName(_ index: Int, _ name: Span<UInt8>) -> Bool {
    bytes.holds(name, at: range(of: index))
  }
}
