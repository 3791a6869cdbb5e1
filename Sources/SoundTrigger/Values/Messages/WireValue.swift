/// What a member of a message may be.
package protocol WireValue {
  func write(to writer: inout JSONWriter)

  /// Throws if the document is of another kind.
  static func read(_ document: JSONDocument) throws(MessageError) -> Self

  /// The kind, for the manual: `integer`; `integer?` if it may be `null`; `integers` for an array.
  static var kindName: String { get }

  /// The kind of an array of them.
  static var kindNames: String { get }
}

extension WireValue {
  package static var kindNames: String { kindName + "s" }
}

extension JSONDocument {
  fileprivate func expect(_ kind: JSONScanner.ValueClass) throws(MessageError) {
    if value.kind != kind { throw .malformed("") }
  }
}

extension String: WireValue {
  package func write(to writer: inout JSONWriter) { writer.string(self) }

  package static func read(_ document: JSONDocument) throws(MessageError) -> String {
    try document.expect(.string)
    return document.text
  }

  package static var kindName: String { "text" }
}

extension Int: WireValue {
  package func write(to writer: inout JSONWriter) { writer.raw(String(self).utf8) }

  package static func read(_ document: JSONDocument) throws(MessageError) -> Int {
    try document.expect(.number)
    guard let number = Int(document.text) else { throw .malformed("") }
    return number
  }

  package static var kindName: String { "integer" }
}

extension Double: WireValue {
  package func write(to writer: inout JSONWriter) { writer.number(self) }

  /// JSON has no infinity: it is written as a string.
  package static func read(_ document: JSONDocument) throws(MessageError) -> Double {
    let text = document.text
    guard document.value.kind == .number || ["inf", "-inf", "nan"].contains(text), let number = Double(text) else {
      throw .malformed("")
    }
    return number
  }

  package static var kindName: String { "number" }
}

extension Bool: WireValue {
  package func write(to writer: inout JSONWriter) { writer.raw(self ? "true".utf8 : "false".utf8) }

  package static func read(_ document: JSONDocument) throws(MessageError) -> Bool {
    try document.expect(.boolean)
    return document.text == "true"
  }

  package static var kindName: String { "boolean" }
}

/// Whole microseconds, rounded to the nearest.
extension Duration: WireValue {
  package func write(to writer: inout JSONWriter) {
    let (micros, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1000)
    Int(micros + (rest >= 500 ? 1 : rest <= -500 ? -1 : 0)).write(to: &writer)
  }

  package static func read(_ document: JSONDocument) throws(MessageError) -> Duration {
    .microseconds(try Int.read(document))
  }

  package static var kindName: String { "µs" }
}

extension Timestamp: WireValue {
  package func write(to writer: inout JSONWriter) { writer.time(self) }

  package static func read(_ document: JSONDocument) throws(MessageError) -> Timestamp {
    try document.expect(.string)
    guard let time = Timestamp(document.text) else { throw .malformed("") }
    return time
  }

  package static var kindName: String { "time" }
}

/// A SHA-256 digest, in 64 hexadecimal digits.
extension SIMD8: WireValue where Scalar == UInt32 {
  package func write(to writer: inout JSONWriter) { writer.string(Hexadecimal.text(self)) }

  package static func read(_ document: JSONDocument) throws(MessageError) -> SIMD8<UInt32> {
    try document.expect(.string)
    guard let digest = Hexadecimal.digest(document.text) else { throw .malformed("") }
    return digest
  }

  package static var kindName: String { "SHA-256" }
}

extension Optional: WireValue where Wrapped: WireValue {
  package func write(to writer: inout JSONWriter) {
    if let self { self.write(to: &writer) } else { writer.null() }
  }

  package static func read(_ document: JSONDocument) throws(MessageError) -> Wrapped? {
    document.value.kind == .null ? nil : try Wrapped.read(document)
  }

  package static var kindName: String { "\(Wrapped.kindName)?" }
}

extension Array: WireValue where Element: WireValue {
  package func write(to writer: inout JSONWriter) { writer.array(self) { $0.write(to: &$1) } }

  package static func read(_ document: JSONDocument) throws(MessageError) -> [Element] {
    guard let elements = document.elements else { throw .malformed("") }
    return try elements.map { element throws(MessageError) in try Element.read(element) }
  }

  package static var kindName: String { Element.kindNames }
  package static var kindNames: String { "arrays" }
}

extension WireValue {
  /// Reads a whole document, such as an array of messages.
  package static func read(_ bytes: [UInt8]) throws(MessageError) -> Self {
    try read(try JSONDocument(message: bytes))
  }
}
