import SoundTrigger

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
    var last = Instant(nanoseconds: 0)
    for (index, raw) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      var line = raw
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      line = line.drop { Self.isBlank($0) }
      if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
      let word = line.prefix { !Self.isBlank($0) }
      guard let time = Self.time(word) else {
        let shown = String(decoding: word.prefix(40), as: UTF8.self)
        throw Problem(line: index + 1, reason: "'\(shown)' is not a time: seconds, such as 0 or 2.5, come first")
      }
      if time < last { throw Problem(line: index + 1, reason: "time goes back; the lines must be in order") }
      last = time
      let content = line.dropFirst(word.count).drop { Self.isBlank($0) }
      events.append(Event(time: time, line: index + 1, content: Array(content)))
    }
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
    for place in 0..<9 {
      nanoseconds = nanoseconds * 10 + (place < fraction.count ? Int64(fraction[place] - UInt8(ascii: "0")) : 0)
    }
    return Instant(nanoseconds: nanoseconds)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
