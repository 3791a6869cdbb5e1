import SoundTrigger

extension TOMLReader {
  /// The value that begins here; `depth` tables and arrays enclose it.
  mutating func readValue(depth: Int) throws(TOMLProblem) -> TOMLNode {
    let location = location
    switch peek() {
    case UInt8(ascii: "\"")?, UInt8(ascii: "'")?:
      return TOMLNode(value: .string(try readString(bytes[offset])), location: location)
    case UInt8(ascii: "["):
      guard depth < TOMLTable.maximumDepth else { throw TOMLTable.tooDeep(at: location) }
      return TOMLNode(value: .array(try readArray(depth: depth + 1)), location: location)
    case UInt8(ascii: "{"):
      guard depth < TOMLTable.maximumDepth else { throw TOMLTable.tooDeep(at: location) }
      return TOMLNode(value: .table(try readInlineTable(depth: depth + 1)), location: location)
    default:
      return TOMLNode(value: try readScalar(), location: location)
    }
  }

  private mutating func readArray(depth: Int) throws(TOMLProblem) -> [TOMLNode] {
    var items: [TOMLNode] = []
    offset += 1
    while true {
      try skipBlankLinesAndComments()
      if skip(UInt8(ascii: "]")) { return items }
      items.append(try readValue(depth: depth))
      try skipBlankLinesAndComments()
      if skip(UInt8(ascii: "]")) { return items }
      guard skip(UInt8(ascii: ",")) else { throw unexpected("',' or ']' in the array") }
    }
  }

  private mutating func readInlineTable(depth: Int) throws(TOMLProblem) -> TOMLTable {
    let table = TOMLTable(.inline, depth: depth)
    offset += 1
    skipBlanks()
    if skip(UInt8(ascii: "}")) { return table }
    while true {
      try requireSameLine()
      try readKeyAndValue(into: table)
      skipBlanks()
      if skip(UInt8(ascii: "}")) { return table }
      try requireSameLine()
      guard skip(UInt8(ascii: ",")) else { throw unexpected("',' or '}' in the inline table") }
      skipBlanks()
    }
  }

  /// Refuses the end of the line inside a table in braces.
  private mutating func requireSameLine() throws(TOMLProblem) {
    guard let byte = peek(), "\r\n#".utf8.contains(byte) else { return }
    throw unexpected(
      "the rest of the table in braces: it ends on the line where it begins, or has a [header] of its own")
  }

  /// A boolean, a number, a date or a time.
  private mutating func readScalar() throws(TOMLProblem) -> TOMLValue {
    let (start, location) = (offset, location)
    guard let word = scanWord() else {
      let beginsPath = peek().map { [UInt8(ascii: "~"), UInt8(ascii: "/"), UInt8(ascii: "$")].contains($0) } ?? false
      throw unexpected(beginsPath ? TOMLNumber.Problem.noValue.expected : "a value")
    }
    switch String(decoding: word, as: UTF8.self) {
    case "true": return .bool(true)
    case "false": return .bool(false)
    default: break
    }
    func problem(_ word: ArraySlice<UInt8>, expected: String) -> TOMLProblem {
      let text = Excerpt.quoting(String(decoding: word, as: UTF8.self))
      return TOMLProblem(location: location, message: "expected \(expected), found \(text)")
    }
    if TOMLDate.begins(word) {
      // A space may stand between a date and a time.
      if peek() == UInt8(ascii: " "), TOMLDate.begins(bytes[(offset + 1)...].prefix(3)) {
        offset += 1
        _ = scanWord()
      }
      guard TOMLDate.isValid(bytes[start..<offset]) else {
        var wrong = problem(bytes[start..<offset], expected: TOMLDate.expected)
        wrong.message += "; a text needs quotes"
        throw wrong
      }
      return .date
    }
    do {
      return try TOMLNumber.value(of: word)
    } catch {
      throw problem(word, expected: error.expected)
    }
  }

  /// Letters, digits and the signs in numbers and dates.
  private mutating func scanWord() -> ArraySlice<UInt8>? {
    let start = offset
    while let byte = peek(), Self.mayStandInWord(byte) { offset += 1 }
    return offset > start ? bytes[start..<offset] : nil
  }

  private static func mayStandInWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: ":"): true
    default: TOMLKey.isBare(byte)
    }
  }
}
