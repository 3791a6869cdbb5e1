/// Puts the members of an object into the properties of a message.
package struct MessageReader: Members {
  private let bytes: [UInt8]
  let members: [(name: JSONValue, value: JSONValue)]
  /// The member after the one that was found last: a message is mostly read in the order in which it was written.
  private var next = 0
  /// The first thing that was wrong.
  package private(set) var problem: MessageError?

  /// Throws if the bytes are not one JSON object.
  package init(_ bytes: [UInt8]) throws(MessageError) {
    var scanner = JSONScanner()
    scanner.skipWhiteSpace(in: bytes.span)
    do throws(JSONError) {
      members = try scanner.scanMembers(in: bytes.span)
      try scanner.expectEnd(in: bytes.span)
    } catch {
      throw .json(error)
    }
    self.bytes = bytes
  }

  /// Throws if the document is not an object.
  package init(_ document: JSONDocument) throws(MessageError) {
    let (kind, start) = (document.value.kind, document.value.text.lowerBound)
    // Within a string there may be a bracket, too.
    var scanner = JSONScanner(position: kind == .string ? start - 1 : start)
    do throws(JSONError) { members = try scanner.scanMembers(in: document.bytes.span) } catch { throw .json(error) }
    bytes = document.bytes
  }

  package mutating func callAsFunction<Content: WireValue>(_ name: StaticString, _ content: inout Content) {
    if let value = find(name) { read(name, value, &content) }
  }

  package mutating func required<Content: WireValue>(_ name: StaticString, _ content: inout Content) {
    if let value = find(name) { return read(name, value, &content) }
    problem = problem ?? .missing("\(name)")
  }

  package mutating func ifPresent<Content: WireValue>(_ name: StaticString, _ content: inout Content?) {
    if let value = find(name) { read(name, value, &content) }
  }

  private mutating func read<Content: WireValue>(_ name: StaticString, _ value: JSONValue, _ content: inout Content) {
    do throws(MessageError) {
      content = try Content.read(JSONDocument(bytes, value))
    } catch {
      switch error {
      case .missing(let member): problem = problem ?? .missing("\(name).\(member)")
      case .malformed, .json: problem = problem ?? .malformed("\(name)")
      }
    }
  }

  private mutating func find(_ name: StaticString) -> JSONValue? {
    for _ in members.indices {
      if next == members.count { next = 0 }
      let member = members[next]
      next += 1
      if isName(member.name, name) { return member.value }
    }
    return nil
  }

  /// Whether a member has this name, which needs no escapes.
  private func isName(_ written: JSONValue, _ name: StaticString) -> Bool {
    if written.text.count != name.utf8CodeUnitCount { return false }
    let bytes = bytes.span
    return name.withUTF8Buffer { name in
      for index in name.indices where bytes[written.text.lowerBound + index] != name[index] { return false }
      return true
    }
  }
}

extension JSONScanner {
  /// Reads an object.
  fileprivate mutating func scanMembers(
    in bytes: Span<UInt8>
  ) throws(JSONError) -> [(name: JSONValue, value: JSONValue)] {
    if peek(in: bytes) != UInt8(ascii: "{") { throw unexpected(in: bytes, expected: "'{'") }
    try open()
    var members: [(name: JSONValue, value: JSONValue)] = []
    while let name = try beginKey(in: bytes) { members.append((name, try scanValue(in: bytes))) }
    return members
  }
}
