import SoundTrigger
import Testing

struct ValueParserTests {
  private func parse(_ bytes: [UInt8], as kind: ValueKind) throws(ValueRefusal) -> Value {
    var parser = ValueParser()
    return try parser.parse(bytes.span, as: kind)
  }

  private func parse(_ text: String, as kind: ValueKind) throws(ValueRefusal) -> Value {
    try parse(Array(text.utf8), as: kind)
  }

  @Test(arguments: [ValueKind.text, .event], [[], [0x20], [0x00], [0xff, 0xfe], Array("passed".utf8)] as [[UInt8]])
  func `a text or event is its bytes, whatever they are`(kind: ValueKind, bytes: [UInt8]) throws {
    #expect(try parse(bytes, as: kind) == .text(bytes))
  }

  @Test(arguments: ["true", "True", "TRUE", "yes", "YES", "on", "On", "1"])
  func `these are true`(text: String) throws { #expect(try parse(text, as: .bool) == .bool(true)) }

  @Test(arguments: ["false", "False", "FALSE", "no", "No", "off", "OFF", "0"])
  func `these are false`(text: String) throws { #expect(try parse(text, as: .bool) == .bool(false)) }

  @Test(arguments: ["", "2", "01", "y", "t", "oN!", "tru", "truee", "nope", "1.0", " on", "\u{212a}"])
  func `anything else is no bool`(text: String) {
    let refusal = #expect(throws: ValueRefusal.self) { try parse(text, as: .bool) }
    #expect(refusal?.description == "'\(text)' is not a bool (true/false, yes/no, on/off or 1/0)")
  }

  @Test func `the reason why bytes are no document says where`() {
    let refusal = #expect(throws: ValueRefusal.self) { try parse(#"{"a":}"#, as: .json) }
    #expect(refusal?.description == #"'{"a":}' is not JSON: byte 5: expected a value, found '}'"#)
  }

  @Test(arguments: [ValueKind.number, .bool, .json]) func `nothing else may be longer`(kind: ValueKind) throws {
    let digits = [UInt8](repeating: UInt8(ascii: "1"), count: 65_537)
    let refusal = #expect(throws: ValueRefusal.self) { try parse(digits, as: kind) }
    #expect(
      refusal?.description
        == "65537 bytes are too long for a value of type \(kind.rawValue) (at most 65536)")
    // One byte less is read: as a document it is a number, as a number it is too large.
    switch kind {
    case .json: #expect(try parse(Array(digits.dropLast()), as: kind) == .json(Array(digits.dropLast())))
    case .number, .bool, .text, .event:
      #expect(throws: ValueRefusal.self) { try parse(Array(digits.dropLast()), as: kind) }
    }
  }
}
