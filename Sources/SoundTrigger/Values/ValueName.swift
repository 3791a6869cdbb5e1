/// The name of a value: `[A-Za-z0-9_][A-Za-z0-9_./:-]{0,127}`.
package struct ValueName: Hashable, Sendable, CustomStringConvertible {
  /// The longest name, in bytes.
  package static let maximumLength = 128

  package let description: String

  /// The name, or `nil` if the text is none.
  @specialized(where Text == String)
  package init?<Text: StringProtocol>(_ text: Text) {
    let bytes = text.utf8
    guard let first = bytes.first, bytes.count <= Self.maximumLength, Self.mayBegin(first),
      bytes.dropFirst().allSatisfy(Self.mayContinue)
    else { return nil }
    description = String(text)
  }

  /// Whether a name may begin with this byte.
  package static func mayBegin(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Whether this byte may stand in a name after the first.
  package static func mayContinue(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "-"): true
    default: mayBegin(byte)
    }
  }
}
