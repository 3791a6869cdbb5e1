import SoundTrigger

/// What one line of the socket or of standard input asks for.
///
/// Ranges are places in that line.
///
/// A line with a valid name directly before its first `=` is an assignment, whatever the name: `list=1` sets a value.
/// Otherwise its first word is a command.
enum Request: Equatable {
  /// `NAME=VALUE`: the value's bytes as they are, any bytes.
  case assignment(name: Range<Int>, value: Range<Int>)
  /// A JSON object, not looked into: the line from its first brace on.
  case object(Range<Int>)
  case get(String)
  case list
  case status
  case explain(String)
  case sync
  case play(String)
  /// `nil`: every trigger.
  case stop(String?)
  case mute
  case unmute
  case volume(String)
  case profile(String)
  case reload
  /// Empty: all values.
  case events([String])
  /// Nothing, or a comment.
  case blank

  /// Reads a line without its end.
  ///
  /// An assignment allocates nothing.
  init(_ line: Span<UInt8>) throws(RequestError) {
    var start = 0
    while start < line.count, Self.isBlank(line[start]) { start += 1 }
    guard start < line.count else {
      self = .blank
      return
    }
    switch line[start] {
    case UInt8(ascii: "#"): self = .blank
    case UInt8(ascii: "{"): self = .object(start..<line.count)
    default:
      if let assignment = try Self.assignment(in: line, from: start) {
        self = assignment
      } else {
        self = try Self.command(in: line, from: start)
      }
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  private static func assignment(in line: Span<UInt8>, from start: Int) throws(RequestError) -> Request? {
    guard ValueName.mayBegin(line[start]) else { return nil }
    var end = start + 1
    while end < line.count, ValueName.mayContinue(line[end]) { end += 1 }
    guard end < line.count, line[end] == UInt8(ascii: "=") else { return nil }
    if end - start > ValueName.maximumLength { throw .nameTooLong }
    return .assignment(name: start..<end, value: end + 1..<line.count)
  }

  private static func command(in line: Span<UInt8>, from start: Int) throws(RequestError) -> Request {
    let decoded = line.extracting(start..<line.count).withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) }
    guard let text = decoded else { throw .notUTF8 }
    let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let words = text.split(maxSplits: 1, whereSeparator: blank)
    let word = words.first.map(String.init) ?? ""
    var rest = words.count > 1 ? words[1] : ""
    while let last = rest.last, blank(last) { rest.removeLast() }
    rest = rest.drop(while: blank)

    func argument(_ what: String) throws(RequestError) -> String {
      if rest.isEmpty { throw .missingArgument(command: word, what) }
      return String(rest)
    }
    func alone(_ request: Request) throws(RequestError) -> Request {
      if !rest.isEmpty { throw .unexpectedArgument(command: word) }
      return request
    }

    switch word {
    case "get": return .get(try name(try argument("NAME")))
    case "list": return try alone(.list)
    case "status": return try alone(.status)
    case "explain": return .explain(try argument("TRIGGER"))
    case "sync": return try alone(.sync)
    case "play": return .play(try argument("SOUND"))
    case "stop":
      // A script whose variable is empty must not silence everything.
      if rest.isEmpty, text != word { throw .emptyTrigger }
      return .stop(rest.isEmpty ? nil : String(rest))
    case "mute": return try alone(.mute)
    case "unmute": return try alone(.unmute)
    case "volume": return .volume(try argument("LEVEL"))
    case "profile": return .profile(try argument("NAME"))
    case "reload": return try alone(.reload)
    case "events":
      var names: [String] = []
      for part in rest.split(whereSeparator: blank) { names.append(try name(String(part))) }
      return .events(names)
    default:
      if let equals = text.firstIndex(of: "=") { throw .badName(String(text[..<equals])) }
      throw .unknownCommand(word)
    }
  }

  private static func name(_ text: String) throws(RequestError) -> String {
    if ValueName(text) == nil { throw .badName(text) }
    return text
  }
}
