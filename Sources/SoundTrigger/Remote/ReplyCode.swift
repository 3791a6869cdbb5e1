/// Which error a reply reports. The line ends with this word in brackets.
///
/// Programs may rely on the words. The sentences before them may change.
package enum ReplyCode: String, CaseIterable, Sendable {
  /// The line is neither an assignment nor a request of this version.
  case unknownRequest = "unknown_request"
  /// The line is too long and was skipped.
  case tooLong = "too_long"
  /// A name, an argument or a JSON object is malformed.
  case invalid
  /// No value, trigger or sound has this name.
  case unknown
  /// The content does not fit its value.
  case refused
  /// Something else feeds the value: a file, or another value.
  case owned
  /// There would be more than a limit allows.
  case limit
  /// The sound cannot be loaded.
  case broken
  /// Every voice plays something more important.
  case crowded
  /// No device accepted the sound in time.
  case noDevice = "no_device"
  /// The sound was stopped before it was heard.
  case cancelled
  /// The daemon is about to end.
  case ending
  /// The configuration was not taken.
  case configuration
  /// The daemon belongs to another user; it closes the connection.
  case notPermitted = "not_permitted"
  /// The daemon closes the connection, because another client needs its place.
  case busy
}

/// An error that a daemon replied with.
package struct DaemonRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The number of the line that it answers; `nil` if it answers none.
  package var line: Int?
  package var code: ReplyCode
  /// For people: what is wrong, without the line and the code.
  package var text: String

  package init(line: Int? = nil, _ code: ReplyCode, _ text: String) {
    self.line = line
    self.code = code
    self.text = text
  }

  /// Reads `error: line 3: TEXT [CODE]`; `nil` if the reply is no error.
  ///
  /// An error without a code, or with one of a later version, counts as `refused`.
  package init?(reply: [UInt8]) {
    let mark = Array("error: ".utf8)
    guard reply.starts(with: mark) else { return nil }
    (code, text) = (.refused, String(decoding: reply.dropFirst(mark.count), as: UTF8.self))
    if text.last == "]", let bracket = text.lastIndex(of: "["), text[..<bracket].last == " " {
      let word = text[bracket...].dropFirst().dropLast()
      if word.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "_") }) {
        code = ReplyCode(rawValue: String(word)) ?? .refused
        text = String(text[..<bracket].dropLast())
      }
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].hasPrefix("line "), let number = Int(parts[0].dropFirst(5)) else { return }
    line = number
    text = String(parts[1].drop { $0 == " " })
  }

  /// For people who sent one line.
  package var description: String { text }

  /// For people who sent several lines: `line 3: TEXT`.
  package var textWithLine: String { line.map { "line \($0): \(text)" } ?? text }
}
