/// A part of a JSON document that was checked: where it lies in the bytes.
package struct JSONDocument {
  let bytes: [UInt8]
  let value: JSONValue

  package init(_ bytes: [UInt8]) throws(JSONError) {
    var scanner = JSONScanner()
    scanner.skipWhiteSpace(in: bytes.span)
    value = try scanner.scanValue(in: bytes.span)
    try scanner.expectEnd(in: bytes.span)
    self.bytes = bytes
  }

  package init(message bytes: [UInt8]) throws(MessageError) {
    do throws(JSONError) { try self.init(bytes) } catch { throw .json(error) }
  }

  init(_ bytes: [UInt8], _ value: JSONValue) { (self.bytes, self.value) = (bytes, value) }

  /// The characters of a string, anything else as it is written.
  package var content: [UInt8] { value.content(in: bytes.span) }
  package var text: String { String(decoding: content, as: UTF8.self) }

  /// The part as it is written.
  package var written: [UInt8] {
    Array(value.kind == .string ? bytes[value.text.lowerBound - 1...value.text.upperBound] : bytes[value.text])
  }

  /// The elements of an array; `nil` if it is anything else.
  package var elements: [JSONDocument]? {
    if value.kind != .array { return nil }
    var elements: [JSONDocument] = []
    var scanner = JSONScanner(position: value.text.lowerBound)
    // The whole document was checked, so nothing is thrown.
    guard (try? scanner.open()) != nil else { return nil }
    while (try? scanner.beginElement(in: bytes.span)) == true, let element = try? scanner.scanValue(in: bytes.span) {
      elements.append(JSONDocument(bytes, element))
    }
    return elements
  }

  /// The members of an object, in their order; `nil` if it is anything else.
  package var members: [(name: String, document: JSONDocument)]? {
    guard let reader = try? MessageReader(self) else { return nil }
    return reader.members.map {
      (String(decoding: $0.name.content(in: bytes.span), as: UTF8.self), JSONDocument(bytes, $0.value))
    }
  }
}
