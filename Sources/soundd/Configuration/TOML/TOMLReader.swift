import SoundTrigger

/// Reads TOML 1.0 and remembers where every key and value stands.
///
/// Accepts any bytes, and refuses what is not TOML with the location and the reason. Time and memory are proportional to the
/// length of the text.
struct TOMLReader {
  let bytes: [UInt8]
  var offset = 0

  /// The line of `offset`, from 1.
  private var line = 1
  /// As in `TOMLLocation`.
  private let file: String?
  // Columns are counted from the last location on, so that one long line is not counted again and again.
  private var countedOffset = 0
  private var countedColumn = 1

  /// The document as one table.
  static func read(_ bytes: [UInt8], file: String? = nil) throws(TOMLProblem) -> TOMLTable {
    try requireUTF8(bytes, file)
    var reader = TOMLReader(bytes: bytes, file: file)
    return try reader.readDocument()
  }

  private init(bytes: [UInt8], file: String?) {
    (self.bytes, self.file) = (bytes, file)
    offset = ByteOrderMark.length(in: bytes.span)
    countedOffset = offset
  }

  private mutating func readDocument() throws(TOMLProblem) -> TOMLTable {
    let document = TOMLTable(.defined, depth: 0)
    var table = document
    while true {
      try skipBlankLinesAndComments()
      guard let byte = peek() else { return document }
      if byte == UInt8(ascii: "[") {
        table = try readHeader(in: document)
      } else {
        try readKeyAndValue(into: table)
      }
      skipBlanks()
      if peek() == UInt8(ascii: "#") { try skipComment() }
      let isComplete = atEnd ? true : try skipNewline()
      guard isComplete else { throw unexpected("the end of the line") }
    }
  }

  /// `[a.b]` or `[[a.b]]`: the table of the keys that follow.
  private mutating func readHeader(in document: TOMLTable) throws(TOMLProblem) -> TOMLTable {
    let location = location
    offset += 1
    let isArray = skip(UInt8(ascii: "["))
    let parts = try readKey()
    guard skip(UInt8(ascii: "]")), !isArray || skip(UInt8(ascii: "]")) else {
      throw unexpected(isArray ? "']]'" : "']'")
    }
    return isArray ? try document.openTableInArray(parts, at: location) : try document.openTable(parts, at: location)
  }

  /// `a.b = value`.
  mutating func readKeyAndValue(into start: TOMLTable) throws(TOMLProblem) {
    let parts = try readKey()
    guard skip(UInt8(ascii: "=")) else { throw unexpected("'=' after the key") }
    skipBlanks()
    let table = try start.locate(parts)
    let node = try readValue(depth: table.depth)
    if let last = parts.last { table.add(last, node) }
  }

  // MARK: The cursor

  var atEnd: Bool { offset >= bytes.count }

  /// The byte that many bytes ahead, or `nil` past the end.
  func peek(_ distance: Int = 0) -> UInt8? {
    let index = offset + distance
    return index < bytes.count ? bytes[index] : nil
  }

  /// Skips the byte if it is the next one.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    offset += 1
    return true
  }

  mutating func skipBlanks() {
    while let byte = peek(), byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { offset += 1 }
  }

  /// Skips the end of a line, if there is one here.
  mutating func skipNewline() throws(TOMLProblem) -> Bool {
    if peek() == UInt8(ascii: "\r") {
      guard peek(1) == UInt8(ascii: "\n") else {
        throw failure("expected a line feed after the carriage return, found \(found(1))")
      }
      offset += 1
    }
    guard skip(UInt8(ascii: "\n")) else { return false }
    line += 1
    countedOffset = offset
    countedColumn = 1
    return true
  }

  mutating func skipBlankLinesAndComments() throws(TOMLProblem) {
    repeat {
      skipBlanks()
      if peek() == UInt8(ascii: "#") { try skipComment() }
    } while try skipNewline()
  }

  private mutating func skipComment() throws(TOMLProblem) {
    while let byte = peek(), !atNewline {
      guard Self.isPrintable(byte) else { throw failure("expected a comment, found \(found())") }
      offset += 1
    }
  }

  /// Whether `\n` or `\r\n` comes next.
  var atNewline: Bool {
    peek() == UInt8(ascii: "\n") || (peek() == UInt8(ascii: "\r") && peek(1) == UInt8(ascii: "\n"))
  }

  /// Whether the byte may stand unescaped in a comment or string: no control character but the tab.
  static func isPrintable(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t")
  }

  // MARK: Places and failures

  /// The location of `offset`.
  var location: TOMLLocation {
    mutating get {
      if countedOffset < offset {
        for byte in bytes[countedOffset..<offset] where !UTF8.isContinuation(byte) { countedColumn += 1 }
        countedOffset = offset
      }
      return TOMLLocation(line: line, column: countedColumn, file: file)
    }
  }

  mutating func failure(_ message: String) -> TOMLProblem { TOMLProblem(location: location, message: message) }

  mutating func unexpected(_ expected: String) -> TOMLProblem {
    failure("expected \(expected), found \(found())\(quoteHint(in: bytes[offset...].prefix(3)))")
  }

  /// How to write a string, if one of these bytes begins a typographic quote.
  func quoteHint(in bytes: ArraySlice<UInt8>) -> String {
    // U+2018 to U+201F.
    let isCurly = bytes.indices.contains {
      bytes[$0...].starts(with: [0xE2, 0x80]) && 0x98...0x9F ~= bytes[$0...].dropFirst(2).first ?? 0
    }
    return isCurly ? ": write straight quotes, \" or ', instead of typographic ones" : ""
  }

  /// Describes what stands that many bytes ahead.
  func found(_ distance: Int = 0) -> String {
    guard let byte = peek(distance) else { return "the end of the file" }
    if byte == UInt8(ascii: "\n") || (byte == UInt8(ascii: "\r") && peek(distance + 1) == UInt8(ascii: "\n")) {
      return "the end of the line"
    }
    let rest = bytes[(offset + distance)...].prefix(4)
    return String(decoding: rest, as: UTF8.self).unicodeScalars.first.map { Excerpt.quoting(String($0)) } ?? ""
  }

  private static func requireUTF8(_ bytes: [UInt8], _ file: String?) throws(TOMLProblem) {
    guard String(validating: bytes, as: UTF8.self) == nil else { return }
    var location = TOMLLocation(line: 1, column: 1, file: file)
    var parser = UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    while case .valid(let scalar) = parser.parseScalar(from: &iterator) {
      location.column += 1
      if scalar.first == UInt8(ascii: "\n") { (location.line, location.column) = (location.line + 1, 1) }
    }
    throw TOMLProblem(location: location, message: "expected UTF-8, found a byte that is not")
  }
}

extension TOMLReader {
  /// How many parts a dotted key may have.
  static let maximumKeyParts = 128

  /// `a."b".c` and the blanks around it.
  mutating func readKey() throws(TOMLProblem) -> [TOMLKeyPart] {
    var parts: [TOMLKeyPart] = []
    repeat {
      skipBlanks()
      let location = location
      guard parts.count < Self.maximumKeyParts else {
        throw failure("expected at most \(Self.maximumKeyParts) parts in a key, found more")
      }
      parts.append(TOMLKeyPart(key: TOMLKey(try readKeyPart()), location: location))
      skipBlanks()
    } while skip(UInt8(ascii: "."))
    return parts
  }

  private mutating func readKeyPart() throws(TOMLProblem) -> String {
    if let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      if peek(1) == quote, peek(2) == quote {
        throw failure("expected a key on one line, found a multi-line string")
      }
      return try readString(quote)
    }
    let start = offset
    while let byte = peek(), TOMLKey.isBare(byte) { offset += 1 }
    guard offset > start else { throw unexpected("a key") }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }
}
