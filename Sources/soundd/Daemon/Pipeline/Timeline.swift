import SoundTrigger
import SoundWire

/// Values over time, as `render` reads them: lines of `TIME NAME=VALUE`, or of a time alone, until which nothing happens.
struct Timeline: Equatable {
  /// One line that sets something.
  struct Event: Equatable {
    /// Since the beginning.
    var time: Instant
    /// Counted from 1.
    var line: Int
    /// `NAME=VALUE`, or a JSON object; nothing: time only passes.
    var content: [UInt8]
  }

  /// What is wrong with a timeline.
  struct Problem: Error, Equatable, CustomStringConvertible {
    var line: Int
    var reason: String

    var description: String { "line \(line): \(reason)" }
  }

  private(set) var events: [Event] = []

  /// Reads the lines; blank ones and those that begin with `#` say nothing. Time never goes back.
  init(_ bytes: [UInt8]) throws(Problem) {
    var reader = LineReader()
    var problem: Problem?
    func receive(_ line: Span<UInt8>?, _ number: Int) -> Bool {
      do throws(Problem) {
        try append(line, number)
      } catch {
        problem = error
      }
      return problem == nil
    }
    reader.feed(bytes.span.extracting(droppingFirst: ByteOrderMark.length(in: bytes.span)), receive)
    if problem == nil { reader.finish(receive) }
    if let problem { throw problem }
  }

  /// Adds the event of a line; `nil` is a line that was too long.
  private mutating func append(_ line: Span<UInt8>?, _ number: Int) throws(Problem) {
    guard let line else {
      throw Problem(line: number, reason: "the line is longer than \(LineReader.limit) bytes")
    }
    let text = line.withUnsafeBufferPointer { Array($0) }.drop { Self.isBlank($0) }
    if text.isEmpty || text.first == UInt8(ascii: "#") { return }
    let word = text.prefix { !Self.isBlank($0) }
    guard let time = Self.time(word) else {
      let shown = String(decoding: word.prefix(40), as: UTF8.self)
      throw Problem(line: number, reason: "'\(shown)' is not a time: seconds, such as 0 or 2.5, come first")
    }
    if let last = events.last, time < last.time {
      throw Problem(line: number, reason: "time goes back; the lines must be in order")
    }
    let content = text.dropFirst(word.count).drop { Self.isBlank($0) }
    events.append(Event(time: time, line: number, content: Array(content)))
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  /// Decimal seconds, exact to the nanosecond; at most 10⁹ s.
  static func time(_ text: some Collection<UInt8>) -> Instant? {
    let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, whole.count <= 9, text.allSatisfy({ $0 == UInt8(ascii: ".") || isDigit($0) }) else {
      return nil
    }
    let fraction = parts.count > 1 ? Array(parts[1]) : []
    if whole.isEmpty && fraction.isEmpty || fraction.contains(UInt8(ascii: ".")) { return nil }
    var nanoseconds: Int64 = 0
    for digit in whole { nanoseconds = nanoseconds * 10 + Int64(digit - UInt8(ascii: "0")) }
    for digit in 0..<9 {
      nanoseconds = nanoseconds * 10 + (digit < fraction.count ? Int64(fraction[digit] - UInt8(ascii: "0")) : 0)
    }
    return Instant(nanoseconds: nanoseconds)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
