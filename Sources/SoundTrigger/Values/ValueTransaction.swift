/// Updates by name that happen together or not at all.
///
/// Reused, it allocates nothing.
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
  /// A later one of the same name supersedes it, but both have to parse.
  package mutating func set(_ name: Span<UInt8>, to content: Span<UInt8>) {
    let start = bytes.count
    bytes.append(name)
    let middle = bytes.count
    bytes.append(content)
    members.append(Member(name: start..<middle, content: middle..<bytes.count))
  }

  /// Adds a member of a JSON object.
  ///
  /// `document` is what the member was read from.
  package mutating func set(_ member: JSONMembers.Member, of document: Span<UInt8>) {
    let start = bytes.count
    member.name.unescape(from: document, appendingTo: &bytes)
    let middle = bytes.count
    member.appendContent(from: document, to: &bytes)
    members.append(Member(name: start..<middle, content: middle..<bytes.count))
  }

  /// Forgets the updates and keeps the memory.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    members.removeAll(keepingCapacity: true)
  }
}

/// A value that a transaction has updated.
package struct MemberUpdate: Equatable, Sendable {
  package var value: ValueID
  /// `nil` if it is equal to what it was.
  package var change: Change?
}

extension ValueStore {
  /// Applies a transaction as one update of each value in it, as a client may set them.
  ///
  /// Only the last content of every name counts, so a value that ends where it began is unchanged, whatever lay between;
  /// an event is one change.
  ///
  /// The updates are appended in the order of the values' last members, without those that were ignored. If a name, a
  /// source, the limit or a content stands against any member, nothing is applied and no name declared; the refusal of a
  /// content is counted with its value.
  package func commit(
    _ transaction: borrowing ValueTransaction, at now: Instant, into updates: inout [MemberUpdate]
  ) throws(ValueStoreError) {
    transactionNumber &+= 1
    let bytes = transaction.bytes.span
    var unknown: Set<ValueName> = []
    for (number, member) in transaction.members.enumerated() {
      let name = bytes.extracting(member.name)
      if let id = id(of: name) {
        try check(bytes.extracting(member.content), for: id)
        records[id.index].transaction = (transactionNumber, number)
      } else {
        unknown.insert(try Self.validate(name))
        // Undeclared values are texts, and anything is one.
        guard names.count + unknown.count <= limit else {
          throw .tooManyValues(name: String(decoding: [UInt8](name), as: UTF8.self), limit: limit)
        }
      }
    }
    if !unknown.isEmpty { try declareUnknown(transaction) }
    for (number, member) in transaction.members.enumerated() {
      guard let id = id(of: bytes.extracting(member.name)) else { continue }
      guard records[id.index].transaction == (transactionNumber, number) else { continue }
      switch update(id, content: bytes.extracting(member.content), at: now) {
      case .changed(let change): updates.append(MemberUpdate(value: id, change: change))
      case .unchanged: updates.append(MemberUpdate(value: id))
      case .ignored, .refused: break
      }
    }
  }

  /// Declares the names of a checked transaction that nobody knew.
  private func declareUnknown(_ transaction: borrowing ValueTransaction) throws(ValueStoreError) {
    for (number, member) in transaction.members.enumerated() {
      let id = try idDeclaringIfNeeded(transaction.bytes.span.extracting(member.name))
      records[id.index].transaction = (transactionNumber, number)
    }
  }

  /// Throws what would stand against the content as an update by a client.
  private func check(_ content: Span<UInt8>, for id: ValueID) throws(ValueStoreError) {
    try checkIsFedByClients(id)
    let slot = slots[id.index]
    if records[id.index].reading == nil, slot.kind == .text || slot.kind == .event { return }
    let content = slot.trim ? content.extracting(WhiteSpace.trimmedRange(of: content)) : content
    do throws(ValueRefusal) {
      _ = try read(content, index: id.index)
    } catch {
      records[id.index].refusals &+= 1
      records[id.index].lastRefusal = error
      throw .refused(name: names[id.index].description, error)
    }
  }
}
