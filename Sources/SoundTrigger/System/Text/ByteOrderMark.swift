/// The mark with which some programs begin a text in UTF-8. It is not part of the text.
package enum ByteOrderMark {
  package static let bytes: [UInt8] = [0xef, 0xbb, 0xbf]

  /// How many bytes the mark at the beginning takes; 0 if there is none.
  @inline(__always)
  package static func length(in text: Span<UInt8>) -> Int {
    text.count >= 3 && text[0] == 0xef && text[1] == 0xbb && text[2] == 0xbf ? 3 : 0
  }
}
