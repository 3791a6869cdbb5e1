/// Updates by name that happen together or not at all.
///
/// A transaction that is used again allocates nothing.
package struct ValueTransaction: Sendable {
  /// The names and contents, one after the other.
  private(set) var bytes: [UInt8] = []
  private(set) var members: [Member] = []

  struct Member {
    var name: Range<Int>
    var content: Range<Int>
  }

  package init() {}

  package var count: Int { members.count }

  /// Adds an update.
  ///
  /// A later update of the same name replaces it, but both have to parse.
  package mutating func set(_ name: Span<UInt8>, to content: Span<UInt8>) {
    let start = bytes.count
    bytes.append(name)
    let middle = bytes.count
    bytes.append(content)
    members.append(Member(name: start..<middle, content: middle..<bytes.count))
  }

  /// Adds a member of a JSON object; `document` is what its value was read from.
  package mutating func set(_ name: Span<UInt8>, to value: JSONValue, of document: Span<UInt8>) {
    let start = bytes.count
    bytes.append(name)
    let middle = bytes.count
    value.unescape(from: document, appendingTo: &bytes)
    members.append(Member(name: start..<middle, content: middle..<bytes.count))
  }

  /// Adds a member of a JSON object; `document` is what its name and value were read from.
  package mutating func set(_ name: JSONValue, to value: JSONValue, of document: Span<UInt8>) {
    let start = bytes.count
    name.unescape(from: document, appendingTo: &bytes)
    let middle = bytes.count
    value.unescape(from: document, appendingTo: &bytes)
    members.append(Member(name: start..<middle, content: middle..<bytes.count))
  }

  /// Removes the updates of names for which something later counts; `ends` says before how many updates that was. Returns the names
  /// without an even later update.
  package mutating func remove(before ends: [[UInt8]: Int]) -> Set<[UInt8]> {
    if ends.isEmpty { return [] }
    var names = Set(ends.keys)
    var kept: [Member] = []
    for (position, member) in members.enumerated() {
      let name = Array(bytes[member.name])
      guard let end = ends[name] else {
        kept.append(member)
        continue
      }
      if position < end { continue }
      kept.append(member)
      names.remove(name)
    }
    members = kept
    return names
  }

  /// Removes the updates and keeps the memory.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    members.removeAll(keepingCapacity: true)
  }
}

/// A value that a transaction has updated.
package struct MemberUpdate: Equatable, Sendable {
  package var value: ValueID
  /// `unchanged`, `changed` or `appeared`.
  package var outcome: UpdateOutcome
}

extension ValueStore {
  /// A member of a transaction whose name was looked up.
  struct ResolvedMember {
    /// The index of the value.
    var index: Int
    var content: Range<Int>
  }

  /// Applies a transaction as one update of each value in it, as clients, or this feed, may set them.
  ///
  /// Only the last content of every name counts. So a value that ends where it began is unchanged, and an event is one
  /// change. Appends the changes and the updates in the order of the store, whatever the order of the members; updates that
  /// `match` ignores are left out.
  ///
  /// Throws if any member has an invalid name, a source that clients may not set, or a content that its value refuses, and if
  /// the store is full. Then it applies nothing and declares no name, but it counts a refused content.
  package func commit(
    _ transaction: borrowing ValueTransaction, by feed: String? = nil, at now: Instant, into changes: inout [Change],
    updates: inout [MemberUpdate]
  ) throws(ValueStoreError) {
    let bytes = transaction.bytes.span
    members.removeAll(keepingCapacity: true)
    var unknown: Set<ValueName> = []
    for member in transaction.members {
      if let id = id(of: bytes.extracting(member.name)) {
        try table.checkMaySet(id.index, by: feed)
        members.append(ResolvedMember(index: id.index, content: member.content))
      } else {
        let name = try table.validate(bytes.extracting(member.name))
        try table.check(name, by: feed)
        unknown.insert(name)
      }
    }
    // Sorted, so that the order of the members matters neither to the result nor to an error.
    let new = unknown.sorted { $0.description < $1.description }
    if count + new.count > limit, let first = new.dropFirst(max(0, limit - count)).first {
      throw .tooManyValues(name: first.description, limit: limit)
    }
    try table.checkMembers(with: new)
    var added: Set<ValueID> = []
    for name in new { added.insert(try useUndeclared(name)) }
    if !added.isEmpty {
      for member in transaction.members {
        guard let id = id(of: bytes.extracting(member.name)), added.contains(id) else { continue }
        members.append(ResolvedMember(index: id.index, content: member.content))
      }
    }
    defer { for id in added where value(of: id) == nil { remove(id) } }
    sortMembers()
    try checkRoom(bytes, transaction.members)
    table.searches = table.searchLimit
    for member in members { try check(bytes.extracting(member.content), index: member.index) }
    // The updates search once more. They have the budget of the checks again, so none is refused.
    table.searches = table.searchLimit
    for position in members.indices {
      let member = members[position]
      if position + 1 < members.count, members[position + 1].index == member.index { continue }
      let id = ValueID(index: member.index)
      let outcome = table.update(id.index, content: bytes.extracting(member.content), at: now, into: &changes)
      switch outcome {
      case .unchanged, .changed, .appeared: updates.append(MemberUpdate(value: id, outcome: outcome))
      case .ignored, .refused: break
      }
    }
  }

  /// Counts and throws a refusal if the members of undeclared values together do not fit into the memory.
  private func checkRoom(_ bytes: Span<UInt8>, _ members: [ValueTransaction.Member]) throws(ValueStoreError) {
    var growth = 0
    var largest: (growth: Int, member: ValueTransaction.Member)?
    for member in members where member.content.count > ByteString.inlineLength {
      let index = table.index(of: bytes.extracting(member.name))
      guard let more = table.growth(of: index, to: bytes.extracting(member.content)) else { continue }
      growth += more
      if more > largest?.growth ?? 0 { largest = (more, member) }
    }
    guard let member = largest?.member, !table.hasRoom(for: growth) else { return }
    try table.refuseToGrow(bytes.extracting(member.name), to: bytes.extracting(member.content))
  }

  /// Sorts by value; members of one value stay in their order.
  private func sortMembers() {
    members.sort { ($0.index, $0.content.lowerBound) < ($1.index, $1.content.lowerBound) }
  }

  /// Counts and throws a refusal if the value refuses the content.
  private func check(_ content: Span<UInt8>, index: Int) throws(ValueStoreError) {
    let (kind, trim) = (table.entries[index].declaration.kind, table.entries[index].declaration.trim)
    if table.entries[index].declaration.reading == nil, kind == .text || kind == .event { return }
    do throws(ValueRefusal) {
      _ = try table.read(content.extracting(ContentText.range(in: content, trim: trim)), index: index)
    } catch {
      _ = table.refuse(error, index: index)
      throw .refused(name: table.entries[index].name.description, error)
    }
  }
}
