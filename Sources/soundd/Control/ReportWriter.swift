import SoundTrigger

/// Writes the JSON of replies: one line, members in the order given, absent ones as `null`.
struct ReportWriter {
  private(set) var bytes: [UInt8] = []
  /// Whether the next member or element needs a comma before it.
  private var needsComma = false

  /// Begins anew, and keeps the memory.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  mutating func object(_ members: (inout ReportWriter) -> Void) {
    nest(UInt8(ascii: "{"), UInt8(ascii: "}"), members)
  }

  /// An array with one element for each element.
  mutating func array<Element>(_ elements: some Sequence<Element>, _ write: (Element, inout ReportWriter) -> Void) {
    nest(UInt8(ascii: "["), UInt8(ascii: "]")) { writer in
      for element in elements {
        writer.separate()
        write(element, &writer)
        writer.needsComma = true
      }
    }
  }

  mutating func member(_ name: String, _ write: (inout ReportWriter) -> Void) {
    separate()
    string(name.utf8)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
    write(&self)
    needsComma = true
  }

  mutating func member(_ name: String, _ text: String?) {
    member(name) { writer in if let text { writer.string(text.utf8) } else { writer.null() } }
  }

  mutating func member(_ name: String, _ number: Int?) {
    member(name) { writer in if let number { writer.raw(String(number)) } else { writer.null() } }
  }

  mutating func member(_ name: String, _ flag: Bool) {
    member(name) { $0.raw(flag ? "true" : "false") }
  }

  mutating func member(_ name: String, _ number: Double) {
    member(name) { $0.number(number) }
  }

  /// A duration in whole microseconds, rounded to the nearest.
  mutating func member(_ name: String, _ duration: Duration?) {
    member(
      name,
      duration.map { duration in
        let (micros, rest) = duration.nanoseconds.quotientAndRemainder(dividingBy: 1000)
        return Int(micros + (rest >= 500 ? 1 : rest <= -500 ? -1 : 0))
      })
  }

  mutating func member(_ name: String, _ time: Timestamp?) {
    member(name, time.map(\.description))
  }

  /// A string of bytes, most of which are ASCII that needs no escape; those that are no UTF-8 become U+FFFD.
  mutating func string(_ content: [UInt8]) {
    let isPlain = content.allSatisfy {
      (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
    if !isPlain { return string(String(decoding: content, as: UTF8.self).utf8) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: content)
    bytes.append(UInt8(ascii: "\""))
  }

  /// A string; bytes that are no UTF-8 become U+FFFD.
  mutating func string(_ content: some Sequence<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    if let valid = content as? String.UTF8View {
      for byte in valid { escape(byte) }
    } else {
      for byte in String(decoding: Array(content), as: UTF8.self).utf8 { escape(byte) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// The shortest decimal that reads back as the same number.
  ///
  /// JSON has no infinity: it is written as a string.
  mutating func number(_ number: Double) {
    if !number.isFinite {
      string(number.description.utf8)
    } else if let whole = Int64(exactly: number), abs(number) < 1e15, !(number == 0 && number.sign == .minus) {
      raw(String(whole))
    } else {
      raw(number.description)
    }
  }

  mutating func null() { raw("null") }

  /// Text that is JSON already.
  mutating func raw(_ json: some Collection<UInt8>) { bytes.append(contentsOf: json) }

  private mutating func raw(_ json: String) { bytes.append(contentsOf: json.utf8) }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = false
  }

  private mutating func nest(_ open: UInt8, _ close: UInt8, _ content: (inout ReportWriter) -> Void) {
    bytes.append(open)
    needsComma = false
    content(&self)
    bytes.append(close)
    needsComma = true
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    case 0x0A: raw("\\n")
    case 0x0D: raw("\\r")
    case 0x09: raw("\\t")
    case 0..<0x20, 0x7F:
      let hex = Array("0123456789abcdef".utf8)
      raw("\\u00")
      bytes.append(hex[Int(byte >> 4)])
      bytes.append(hex[Int(byte & 15)])
    default: bytes.append(byte)
    }
  }
}
