/// White space as it surrounds the content of a value: ASCII space, tab, line feed, vertical tab, form feed and return.
enum WhiteSpace {
  static func contains(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

  /// Where the content lies between the white space around it; empty if there is nothing else.
  @inline(__always)
  static func trimmedRange(of bytes: Span<UInt8>) -> Range<Int> {
    var start = 0
    var end = bytes.count
    while start < end && contains(bytes[start]) { start += 1 }
    while end > start && contains(bytes[end - 1]) { end -= 1 }
    return start..<end
  }
}
