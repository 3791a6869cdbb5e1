/// A member of a document of other programs, which write a number, a word or a string for the same: its text.
package struct AnyText: WireValue, Sendable {
  package let text: String

  package func write(to writer: inout JSONWriter) { writer.string(text) }

  package static func read(_ document: JSONDocument) throws(MessageError) -> AnyText { AnyText(text: document.text) }

  package static var kindName: String { "text" }
}

/// An object with names of other programs or users. Of a repeated name the last member counts.
extension Dictionary: WireValue where Key == String, Value: WireValue {
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      for (name, content) in sorted(by: { $0.key < $1.key }) { writer.member(name) { content.write(to: &$0) } }
    }
  }

  package static func read(_ document: JSONDocument) throws(MessageError) -> [String: Value] {
    guard let members = document.members else { throw .malformed("") }
    var contents: [String: Value] = [:]
    for (name, document) in members { contents[name] = try Value.read(document) }
    return contents
  }

  package static var kindName: String { "object of \(Value.kindName)" }
}
