import SoundTrigger
import SoundWire

/// How far a growing file was read, with a mark that shows whether it is still the same text.
///
/// The last bytes before the position are read again each time. If they are gone or differ, the file was truncated or
/// written anew, and all of it is new. A file that was written anew between two readings, with the very same bytes before
/// the position, is not noticed.
struct TailPosition: Equatable {
  /// How many bytes are read again.
  static let markLength = 64

  /// How many bytes were read.
  private(set) var offset = 0
  /// The last of those bytes.
  private var mark: [UInt8] = []

  /// Where to read next.
  var readOffset: Int { offset - mark.count }

  /// Moves over bytes that were read at `readOffset`; returns which of them are new.
  ///
  /// `nil` if the mark is gone; the position is then the beginning of the file.
  mutating func advance(over bytes: Span<UInt8>) -> Range<Int>? {
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
  /// How much of the end of a file is searched for its last line: the longest line, and another one that is incomplete.
  static let windowLength = 2 * (LineReader.limit + 2)
}
