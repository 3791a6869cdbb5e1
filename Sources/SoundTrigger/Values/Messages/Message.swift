/// An object that goes over the socket or onto the disk, declared once for both directions.
///
/// `members` names them in the order in which they are written: a writer takes them from the properties, a reader puts them
/// there. A reader skips members that the message does not have, because a newer daemon may write more.
package protocol Message: WireValue {
  /// A message whose properties have the values for members that a document lacks.
  init()

  /// Names each member once.
  mutating func members(_ m: inout some Members)

  // Requirements, so that each message has a writer and a reader of its own, which the generic function above is compiled into.
  mutating func writeMembers(to writer: inout JSONWriter)
  mutating func readMembers(from reader: inout MessageReader)
}

/// What takes the members of a message: a writer, a reader, or a list of names for the manual.
package protocol Members {
  /// A member that is always written; an absent optional one is `null`. If a document lacks it, the property stays as it is.
  mutating func callAsFunction<Content: WireValue>(_ name: StaticString, _ content: inout Content)

  /// A member without which the message says something wrong: a document that lacks it is refused.
  mutating func required<Content: WireValue>(_ name: StaticString, _ content: inout Content)

  /// A member that is left out if it is absent, and is never `null`.
  mutating func ifPresent<Content: WireValue>(_ name: StaticString, _ content: inout Content?)
}

/// Why bytes are not a message.
package enum MessageError: Error, Equatable, CustomStringConvertible {
  /// They are not the JSON that was expected.
  case json(JSONError)
  /// A required member is missing, because an older program wrote the message.
  case missing(String)
  /// A member has a content of another kind.
  case malformed(String)

  package var description: String {
    switch self {
    case .json(let error): "not the JSON that was expected: \(error)"
    case .missing(let name): "'\(name)' is missing"
    case .malformed(let name): "'\(name)' has a content of another kind than expected"
    }
  }
}

extension Message {
  /// Reads a message. Throws if the bytes are not an object, or a member is missing or of another kind.
  package init(_ bytes: [UInt8]) throws(MessageError) { self = try Self.read(try MessageReader(bytes)) }

  /// The message as one line of JSON, without a line feed.
  package var json: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  package mutating func writeMembers(to writer: inout JSONWriter) { members(&writer) }
  package mutating func readMembers(from reader: inout MessageReader) { members(&reader) }

  // MARK: As a member of another message

  package func write(to writer: inout JSONWriter) {
    var message = self
    writer.object { message.writeMembers(to: &$0) }
  }

  package static func read(_ document: JSONDocument) throws(MessageError) -> Self {
    try read(try MessageReader(document))
  }

  /// Reads a message of an object whose members are known already.
  package static func read(_ reader: MessageReader) throws(MessageError) -> Self {
    var reader = reader
    var message = Self()
    message.readMembers(from: &reader)
    if let problem = reader.problem { throw problem }
    return message
  }

  package static var kindName: String { "object" }
}
