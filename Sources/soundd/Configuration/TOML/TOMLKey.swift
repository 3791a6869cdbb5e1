/// A key as TOML compares them: by bytes.
///
/// Swift's strings would take two spellings of "é" for one.
struct TOMLKey: Hashable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  /// Whether a key of this byte alone needs no quotes.
  static func isBare(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  static func == (left: TOMLKey, right: TOMLKey) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// One part of a dotted key where it was written.
struct TOMLKeyPart: Sendable {
  var key: TOMLKey
  var place: TOMLPlace
}
