import Glibc

/// The name of a value: `[A-Za-z0-9_][A-Za-z0-9_./:-]{0,127}`.
package struct ValueName: Hashable, Sendable, CustomStringConvertible {
  /// The longest name, in bytes.
  package static let maximumLength = 128

  package let description: String

  /// Reads a name; `nil` if the text is not a valid one.
  @specialized(where Text == String)
  package init?<Text: StringProtocol>(_ text: Text) {
    let bytes = text.utf8
    guard let first = bytes.first, bytes.count <= Self.maximumLength, Self.mayBegin(first),
      bytes.dropFirst().allSatisfy(Self.mayContinue)
    else { return nil }
    description = String(text)
  }

  /// Makes a name from a literal of the program. Debug builds check it.
  package init(literal: StaticString) {
    description = literal.description
    assert(ValueName(description) != nil, "not a name: \(literal)")
  }

  /// How many bytes from `start` on form a name, however long; 0 if no name begins there.
  package static func length(in bytes: Span<UInt8>, from start: Int = 0) -> Int {
    bytes.withUnsafeBufferPointer { bytes in
      guard start < bytes.count, mayBegin(bytes[start]) else { return 0 }
      var end = start + 1
      while end < bytes.count, mayContinue(bytes[end]) { end += 1 }
      return end - start
    }
  }

  /// Whether these are the bytes of the name.
  @inline(__always)
  func holdsSameBytes(as bytes: Span<UInt8>) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      // A native string has contiguous UTF-8.
      description.utf8.withContiguousStorageIfAvailable { name in
        guard let name = name.baseAddress, let other = bytes.baseAddress, description.utf8.count == bytes.count else {
          return false
        }
        return memcmp(name, other, bytes.count) == 0
      } ?? false
    }
  }

  /// Whether a name may begin with this byte.
  @inline(__always)
  package static func mayBegin(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte != UInt8(ascii: ":") && mayContinue(byte)
  }

  /// Whether a name may have this byte after the first.
  @inline(__always)
  static func mayContinue(_ byte: UInt8) -> Bool {
    // A bit for each byte: 45 to 58 (`-./0123456789:`), and from 65 on the letters and `_`.
    let allowed: UInt64 = byte < 64 ? 0x07ff_e000_0000_0000 : 0x07ff_fffe_87ff_fffe
    return byte < 128 && allowed >> UInt64(byte & 63) & 1 == 1
  }
}
