import SoundTrigger

extension TOMLReader {
  /// The value that begins here; `depth` tables and arrays enclose it.
  mutating func readValue(depth: Int) throws(TOMLError) -> TOMLNode {
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

  private mutating func readArray(depth: Int) throws(TOMLError) -> [TOMLNode] {
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

  private mutating func readInlineTable(depth: Int) throws(TOMLError) -> TOMLTable {
    let table = TOMLTable(.inline, depth: depth)
    offset += 1
    skipBlanks()
    if skip(UInt8(ascii: "}")) { return table }
    while true {
      if let byte = peek(), "\r\n#".utf8.contains(byte) {
        throw unexpected("a key on this line, which ends the table in braces, too")
      }
      try readKeyAndValue(into: table)
      skipBlanks()
      if skip(UInt8(ascii: "}")) { return table }
      guard skip(UInt8(ascii: ",")) else { throw unexpected("',' or '}' in the inline table") }
      skipBlanks()
    }
  }

  /// A boolean, a number, a date or a time.
  private mutating func readScalar() throws(TOMLError) -> TOMLValue {
    let location = location
    guard let word = scanWord() else {
      let beginsPath = peek().map { [UInt8(ascii: "~"), UInt8(ascii: "/"), UInt8(ascii: "$")].contains($0) } ?? false
      throw unexpected(beginsPath ? TOMLNumber.Problem.noValue.expected : "a value")
    }
    switch String(decoding: word, as: UTF8.self) {
    case "true": return .bool(true)
    case "false": return .bool(false)
    default: break
    }
    if TOMLDateScanner.mayBegin(word) {
      guard let value = TOMLDateScanner.value(of: wordWithTime(after: word)) else {
        throw TOMLError(
          location: location,
          message: "expected a date or time, found \(Excerpt.quoting(String(decoding: word, as: UTF8.self)))")
      }
      return value
    }
    do {
      return try TOMLNumber.value(of: word)
    } catch {
      let text = Excerpt.quoting(String(decoding: word, as: UTF8.self))
      throw TOMLError(location: location, message: "expected \(error.expected), found \(text)")
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

  /// A date may be followed by one space and a time: both as one word.
  private mutating func wordWithTime(after date: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard date.count == TOMLDateScanner.dateLength, peek() == UInt8(ascii: " "),
      TOMLDateScanner.mayBeginTime(bytes[(offset + 1)...])
    else { return date }
    offset += 1
    return scanWord().map { bytes[date.startIndex..<$0.endIndex] } ?? date
  }
}
