import Glibc
import SoundTrigger
import SoundWire

/// Splits a stream of bytes into lines that end in `\n` or `\r\n`.
///
/// Passes a line that is complete in a chunk on without a copy. Keeps only the beginning of an incomplete line, so a reader
/// between two lines holds no memory. Skips a line of more than `limit` bytes to its end and reports it once; it counts as
/// a line.
struct LineReader {
  /// The longest line, in bytes without its end.
  static var limit: Int { Request.longestLine }

  /// Receives a line and its number, counted from 1; `nil` stands for a line that was too long.
  ///
  /// Returns whether to continue: after `false` the reader leaves the rest of the chunk.
  typealias Receiver = (_ line: Span<UInt8>?, _ number: Int) -> Bool

  /// How many lines have ended.
  private(set) var count = 0
  /// The beginning of a line whose end has not come; at most `limit` bytes and a carriage return.
  private var pending: [UInt8] = []
  /// Whether the bytes up to the next end of a line belong to one that is too long.
  private var isSkipping = false

  private static let newline = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  /// Whether a line has begun and not ended.
  var isInsideLine: Bool { isSkipping || !pending.isEmpty }

  /// Reads the next bytes of the stream and passes on every line that ends in them.
  ///
  /// - Returns: The number of bytes read: all, or up to the end of the line at which the receiver stopped.
  @discardableResult
  mutating func feed(_ chunk: Span<UInt8>, _ receive: Receiver) -> Int {
    var start = 0
    while start < chunk.count {
      guard let end = Self.firstNewline(in: chunk, from: start) else {
        keep(chunk.extracting(start..<chunk.count))
        break
      }
      let wantsMore = endLine(with: chunk.extracting(start..<end), receive)
      start = end + 1
      if !wantsMore { return start }
    }
    return chunk.count
  }

  /// Ends the stream in order: passes on a last line without a line feed.
  mutating func finish(_ receive: Receiver) {
    guard isInsideLine else { return }
    count += 1
    let line = pending
    let tooLong = isSkipping || line.count > Self.limit
    pending = []
    isSkipping = false
    _ = receive(tooLong ? nil : line.span, count)
  }

  private mutating func endLine(with rest: Span<UInt8>, _ receive: Receiver) -> Bool {
    count += 1
    if isSkipping {
      isSkipping = false
      return receive(nil, count)
    }
    if pending.isEmpty { return Self.deliver(rest, count, receive) }
    if pending.count + rest.count > Self.limit + 1 {
      pending = []
      return receive(nil, count)
    }
    rest.withUnsafeBufferPointer { pending.append(contentsOf: $0) }
    let line = pending
    pending = []
    return Self.deliver(line.span, count, receive)
  }

  private static func deliver(_ line: Span<UInt8>, _ number: Int, _ receive: Receiver) -> Bool {
    var length = line.count
    if length > 0, line[length - 1] == carriageReturn { length -= 1 }
    return length > limit ? receive(nil, number) : receive(line.extracting(0..<length), number)
  }

  /// Keeps the beginning of a line, unless it is certain to be too long.
  private mutating func keep(_ start: Span<UInt8>) {
    if isSkipping { return }
    if pending.count + start.count > Self.limit + 1 {
      isSkipping = true
      pending = []
    } else {
      start.withUnsafeBufferPointer { pending.append(contentsOf: $0) }
    }
  }

  /// memchr.
  static func firstNewline(in chunk: Span<UInt8>, from start: Int) -> Int? {
    chunk.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress,
        let found = memchr(base + start, Int32(newline), buffer.count - start)
      else { return nil }
      return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
    }
  }
}
