/// Writes one line of JSON: members in the order of the calls, absent ones as `null`.
///
/// Control characters and what turns the direction of writing are escaped, so that a reply is harmless on a terminal.
package struct JSONWriter: Members, Sendable {
  package private(set) var bytes: [UInt8] = []
  /// Whether the next member or element needs a comma before it.
  private var needsComma = false
  /// The two times that were written last, because the events of one instant share them.
  private var times: (last: (time: Timestamp, text: String)?, other: (time: Timestamp, text: String)?)

  package init() {}

  /// The JSON of an object.
  package static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    writer.object(members)
    return writer.bytes
  }

  /// Starts again, and keeps the memory.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  // MARK: Structure

  package mutating func object(_ members: (inout JSONWriter) -> Void) {
    nest(UInt8(ascii: "{"), UInt8(ascii: "}"), members)
  }

  /// An array of what `write` writes for each element.
  package mutating func array<Element>(_ elements: some Sequence<Element>, _ write: (Element, inout JSONWriter) -> Void)
  {
    nest(UInt8(ascii: "["), UInt8(ascii: "]")) { writer in
      for element in elements {
        writer.separate()
        write(element, &writer)
        writer.needsComma = true
      }
    }
  }

  package mutating func member(_ name: String, _ write: (inout JSONWriter) -> Void) {
    separate()
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
    write(&self)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = false
  }

  private mutating func nest(_ open: UInt8, _ close: UInt8, _ content: (inout JSONWriter) -> Void) {
    bytes.append(open)
    needsComma = false
    content(&self)
    bytes.append(close)
    needsComma = true
  }

  // MARK: Members

  package mutating func callAsFunction<Content: WireValue>(_ name: StaticString, _ content: inout Content) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    // Names of members need no escapes.
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
    content.write(to: &self)
    needsComma = true
  }

  package mutating func required<Content: WireValue>(_ name: StaticString, _ content: inout Content) {
    self(name, &content)
  }

  package mutating func ifPresent<Content: WireValue>(_ name: StaticString, _ content: inout Content?) {
    if var present = content { self(name, &present) }
  }

  /// A member whose name a user chose.
  package mutating func member(_ name: String, _ text: String) { member(name) { $0.string(text) } }

  // MARK: Values

  package mutating func string(_ text: String) { write(text.utf8) }

  /// A string; bytes that are not UTF-8 become U+FFFD.
  package mutating func string(_ content: [UInt8]) { write(content) }

  private mutating func write(_ content: some Collection<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    let start = bytes.count
    bytes.append(contentsOf: content)
    if needsEscapes(from: start) {
      bytes.removeSubrange(start...)
      for scalar in String(decoding: content, as: UTF8.self).unicodeScalars { escape(scalar) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether what was written from there on may not stand in a string as it is.
  private func needsEscapes(from start: Int) -> Bool {
    let bytes = bytes.span
    for index in start..<bytes.count {
      let byte = bytes[index]
      if byte < 0x20 || byte >= 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return true }
    }
    return false
  }

  /// The shortest decimal that reads back as the same number.
  ///
  /// JSON has no infinity: it is written as a string.
  package mutating func number(_ number: Double) {
    if !number.isFinite { return string(number.description) }
    let isNegativeZero = number == 0 && number.sign == .minus
    raw((abs(number) < 1e15 && !isNegativeZero ? number.shortestText : number.description).utf8)
  }

  package mutating func time(_ time: Timestamp) {
    if times.last?.time != time {
      swap(&times.last, &times.other)
      if times.last?.time != time { times.last = (time, time.description) }
    }
    string(times.last?.text ?? "")
  }

  package mutating func null() { raw("null".utf8) }

  /// Text that is JSON already, and ASCII.
  package mutating func raw(_ json: some Collection<UInt8>) { bytes.append(contentsOf: json) }

  /// A JSON document. Beyond ASCII it has nothing but the content of strings, in which an escape means the same.
  package mutating func document(_ json: [UInt8]) {
    if json.allSatisfy({ $0 < 0x7F }) { return raw(json) }
    for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
      if scalar.isASCII, scalar.value < 0x7F { bytes.append(UInt8(scalar.value)) } else { escape(scalar) }
    }
  }

  private mutating func escape(_ scalar: Unicode.Scalar) {
    if scalar.value < 0x7F { return Self.escape(UInt8(scalar.value), to: &bytes) }
    // What is harmful beyond 16 bits, such as tags, JSON writes as two surrogates; a reader of JSON can bear it as it is.
    if Excerpt.isHarmless(scalar) || scalar.value > 0xFFFF {
      bytes.append(contentsOf: String(scalar).utf8)
    } else {
      raw("\\u\(Hexadecimal.text(UInt16(scalar.value)))".utf8)
    }
  }

  /// Appends a byte of a string, with the shortest escape if it must have one.
  static func escape(_ byte: UInt8, to bytes: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    case 0x08: bytes.append(contentsOf: "\\b".utf8)
    case 0x09: bytes.append(contentsOf: "\\t".utf8)
    case 0x0A: bytes.append(contentsOf: "\\n".utf8)
    case 0x0C: bytes.append(contentsOf: "\\f".utf8)
    case 0x0D: bytes.append(contentsOf: "\\r".utf8)
    case 0x00...0x1F: bytes.append(contentsOf: "\\u00\(Hexadecimal.text(byte))".utf8)
    default: bytes.append(byte)
    }
  }
}
