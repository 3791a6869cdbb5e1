import Glibc

/// Cuts a stream of bytes into lines that end in `\n` or `\r\n`.
///
/// A line that lies whole in a chunk is handed out from there without a copy. Only the beginning of a line whose end has
/// not come is kept, so a reader between two lines holds no memory. A line of more than `limit` bytes is skipped to its
/// end and reported once; it counts as a line.
struct LineReader {
  /// The longest line, in bytes without its end.
  static let limit = 65_536

  /// Receives a line and its number, counted from 1; `nil` stands for a line that was too long.
  ///
  /// Returns whether to go on: after `false` the rest of the chunk is not taken.
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

  /// Counts lines that somebody else took out of the stream, between two lines of this reader.
  mutating func skip(lines: Int) { count += lines }

  /// Takes the next bytes of the stream and hands out every line that ends in them.
  ///
  /// - Returns: how many bytes were taken: all of them, or those up to the end of the line that the receiver stopped at.
  @discardableResult
  mutating func feed(_ chunk: Span<UInt8>, _ receive: Receiver) -> Int {
    var start = 0
    while start < chunk.count {
      guard let end = Self.firstNewline(in: chunk, from: start) else {
        keep(chunk.extracting(start..<chunk.count))
        break
      }
      let goesOn = endLine(with: chunk.extracting(start..<end), receive)
      start = end + 1
      if !goesOn { return start }
    }
    return chunk.count
  }

  /// Ends the stream: hands out a last line that has no end, if there is one.
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
