import Glibc

/// The name of a value: `[A-Za-z0-9_](?:[A-Za-z0-9_./:-]|%[0-9A-F]{2})*`.
package struct ValueName: Hashable, Sendable, CustomStringConvertible {
  /// The longest name, in bytes.
  package static let maximumLength = 128
  /// The longest name beneath the prefix of a feed, in bytes, prefix included: escapes make names longer.
  package static let maximumFedLength = 255

  package let description: String

  /// Reads a name; `nil` if the text is not a valid one. Only a feed's name may have more than `maximumLength` bytes: the caller
  /// checks that.
  @specialized(where Text == String)
  package init?<Text: StringProtocol>(_ text: Text) {
    let count = text.utf8.count
    guard count > 0, count <= Self.maximumFedLength else { return nil }
    let name = String(text)
    guard Self.length(in: name.utf8.span) == count else { return nil }
    description = name
  }

  /// Whether a name, or a pattern of names, is short enough. `prefixes`: those of all feeds.
  package static func fits(_ text: String, beneath prefixes: some Sequence<String>) -> Bool {
    text.utf8.count <= maximumLength || prefixes.contains { text.hasPrefix($0) }
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
      while end < bytes.count {
        if mayContinue(bytes[end]) {
          end += 1
        } else if isEscape(bytes, at: end) {
          end += 3
        } else {
          break
        }
      }
      return end - start
    }
  }

  /// Whether `%` and two capital hexadecimal digits are here.
  private static func isEscape(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    bytes[index] == UInt8(ascii: "%") && index + 2 < bytes.count
      && Hexadecimal.capital(bytes[index + 1], bytes[index + 2]) != nil
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
  static func mayContinue(_ byte: UInt8) -> Bool { allowed[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1 }

  /// A bit for each byte: 45 to 58 (`-./0123456789:`), and from 65 on the letters and `_`. Comparisons would take a name of 14 bytes
  /// 18 instructions more than the table.
  private static let allowed: InlineArray<4, UInt64> = [0x07ff_e000_0000_0000, 0x07ff_fffe_87ff_fffe, 0, 0]
}
