import SoundTrigger

/// What a line of a feed says: values beneath its prefix, or nothing. It has no commands.
///
/// Ranges count bytes of the line.
package enum FeedLine: Equatable {
  /// `NAME=VALUE`, the name as the feed's program knows it. Both may have any bytes.
  case assignment(name: Range<Int>, value: Range<Int>)
  /// A JSON object that is not parsed yet.
  case object(Range<Int>)
  /// An empty line or a comment.
  case blank

  /// Why a line says nothing that soundd understands.
  package enum Refusal: Error, Equatable, CustomStringConvertible {
    /// It is longer than `Request.longestLine`.
    case tooLong
    case unreadable
    /// Programs write `Error: …` where they mean no value.
    case chatter

    package var description: String {
      switch self {
      case .tooLong: "the line is longer than \(Request.longestLine) bytes and was skipped"
      case .unreadable:
        "a feed writes NAME=VALUE, a JSON object such as {\"NAME\": \"VALUE\"}, or a comment that begins with '#'"
      case .chatter:
        "the name before '=' has ': ', as messages of programs do; such a name can be written in a JSON object"
      }
    }
  }

  /// Parses a line without its end, as `LineReader` passes it; `nil` if the line was too long.
  package init(_ line: Span<UInt8>?) throws(Refusal) {
    guard let line else { throw .tooLong }
    var start = 0
    while start < line.count, Request.isBlank(line[start]) { start += 1 }
    guard start < line.count else {
      self = .blank
      return
    }
    switch line[start] {
    case UInt8(ascii: "#"): self = .blank
    case UInt8(ascii: "{"): self = .object(start..<line.count)
    default: self = try Self.assignment(in: line)
    }
  }

  private static func assignment(in line: Span<UInt8>) throws(Refusal) -> FeedLine {
    var end = 0
    var isChatter = false
    while end < line.count, line[end] != UInt8(ascii: "=") {
      if line[end] == UInt8(ascii: ":"), end + 1 < line.count, line[end + 1] == UInt8(ascii: " ") { isChatter = true }
      end += 1
    }
    if end == line.count { throw .unreadable }
    if isChatter { throw .chatter }
    return .assignment(name: 0..<end, value: end + 1..<line.count)
  }
}
