/// A document within a message, as it stands: a value's content in its own type.
package struct RawJSON: WireValue, Sendable {
  /// Without an array of its own for what is written at once.
  private enum Form: Sendable {
    /// Valid JSON.
    case written([UInt8])
    case text([UInt8])
    case number(Double)
    case bool(Bool)
  }

  private let form: Form

  private init(form: Form) { self.form = form }

  /// What `write` writes.
  package init(_ write: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    write(&writer)
    self.init(form: .written(writer.bytes))
  }

  /// A string; bytes that are not UTF-8 become U+FFFD.
  package init(text: [UInt8]) { self.init(form: .text(text)) }
  package init(number: Double) { self.init(form: .number(number)) }
  package init(bool: Bool) { self.init(form: .bool(bool)) }

  /// The document.
  package var bytes: [UInt8] {
    if case .written(let bytes) = form { return bytes }
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// The characters of a string, anything else as it is written.
  package var content: [UInt8] {
    let bytes = bytes
    return (try? JSONDocument(bytes))?.content ?? bytes
  }

  package var text: String { String(decoding: content, as: UTF8.self) }

  package func write(to writer: inout JSONWriter) {
    switch form {
    case .written(let bytes): writer.raw(bytes)
    case .text(let bytes): writer.string(bytes)
    case .number(let number): writer.number(number)
    case .bool(let flag): flag.write(to: &writer)
    }
  }

  package static func read(_ document: JSONDocument) throws(MessageError) -> RawJSON {
    RawJSON(form: .written(document.written))
  }

  package static var kindName: String { "JSON" }
}

extension RawJSON: Equatable {
  package static func == (left: RawJSON, right: RawJSON) -> Bool { left.bytes == right.bytes }
}
