/// How far a growing file has been read, and how to tell that it is still the text that was read.
///
/// The last bytes before the position are read again each time. If they are gone or others, the file was truncated or
/// written anew, and all of it is new. What cannot be told is a file that was written anew, between two looks, with the
/// very same bytes before the position.
struct TailPosition: Equatable {
  /// How many bytes are looked at again.
  static let markLength = 64

  /// How much was read.
  private(set) var offset = 0
  /// The last of that.
  private var mark: [UInt8] = []

  /// Where to read next.
  var readOffset: Int { offset - mark.count }

  /// Takes what was read at `readOffset`, up to the end or as far as the buffer went; returns which part of it is new.
  ///
  /// `nil`: what was read before is no longer there; the position is the beginning of the file again.
  mutating func take(_ bytes: Span<UInt8>) -> Range<Int>? {
    guard bytes.count >= mark.count, mark.indices.allSatisfy({ mark[$0] == bytes[$0] }) else {
      self = TailPosition()
      return nil
    }
    let new = mark.count..<bytes.count
    if !new.isEmpty { self = TailPosition(endOf: bytes, at: readOffset) }
    return new
  }

  init() {}

  /// The position after bytes that begin at `offset`.
  init(endOf bytes: Span<UInt8>, at offset: Int) {
    self.offset = offset + bytes.count
    let last = bytes.extracting(last: Self.markLength)
    mark = last.withUnsafeBufferPointer { Array($0) }
  }
}

extension TailPosition {
  /// How much of the end of a file is looked at for its last line: the longest line, and another one that has no end yet.
  static let windowLength = 2 * (LineReader.limit + 2)

  /// Which part of a file's last bytes is the last complete line with its end, and what follows it.
  ///
  /// `isWhole`: the bytes are the file from its beginning. The first element is `nil` if there is no such line, or if its
  /// beginning is not among the bytes.
  static func lastLine(of bytes: Span<UInt8>, isWhole: Bool) -> (line: Range<Int>?, rest: Range<Int>) {
    let newline = UInt8(ascii: "\n")
    var end = bytes.count
    while end > 0, bytes[end - 1] != newline { end -= 1 }
    // Without an end of a line it is part of one that is still being written.
    if end == 0 { return (nil, 0..<bytes.count) }
    var start = end - 1
    while start > 0, bytes[start - 1] != newline { start -= 1 }
    return (start > 0 || isWhole ? start..<end : nil, end..<bytes.count)
  }
}
