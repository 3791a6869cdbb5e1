extension TOMLReader {
  /// `"…"` or `'…'` on one line, or `"""…"""` or `'''…'''` on several, which begins here.
  ///
  /// Only double quotes have escapes; line ends stay as they are written.
  mutating func readString(_ quote: UInt8) throws(TOMLProblem) -> String {
    let open = location
    let isLong = peek(1) == quote && peek(2) == quote
    let hasEscapes = quote == UInt8(ascii: "\"")
    offset += isLong ? 3 : 1
    if isLong { _ = try skipNewline() }
    var text: [UInt8] = []
    while true {
      readPrintable(except: quote, hasEscapes ? UInt8(ascii: "\\") : quote, into: &text)
      if !isLong, skip(quote) { return String(decoding: text, as: UTF8.self) }
      if peek() == quote {
        if try readQuotes(quote, into: &text) { return String(decoding: text, as: UTF8.self) }
      } else if hasEscapes, peek() == UInt8(ascii: "\\") {
        let isSkipped = isLong ? try skipEscapedNewline() : false
        if !isSkipped { try readEscape(into: &text) }
      } else if isLong, try readNewline(into: &text) {
        continue
      } else {
        throw unfinished(String(repeating: hasEscapes ? "\"" : "'", count: isLong ? 3 : 1), from: open)
      }
    }
  }

  // MARK: Parts of strings

  private mutating func readPrintable(except first: UInt8, _ second: UInt8, into text: inout [UInt8]) {
    let start = offset
    while let byte = peek(), Self.isPrintable(byte), byte != first, byte != second { offset += 1 }
    text += bytes[start..<offset]
  }

  /// A line's end inside a string stays as it was written.
  private mutating func readNewline(into text: inout [UInt8]) throws(TOMLProblem) -> Bool {
    let start = offset
    guard try skipNewline() else { return false }
    text += bytes[start..<offset]
    return true
  }

  /// Reads a run of quotes; returns whether its last three close the string.
  private mutating func readQuotes(_ quote: UInt8, into text: inout [UInt8]) throws(TOMLProblem) -> Bool {
    let run = bytes[offset...].prefix { $0 == quote }.count
    let closes = run >= 3
    guard run <= 5 else { throw failure("expected at most 5 quotes in a row, found \(run)") }
    text += repeatElement(quote, count: closes ? run - 3 : run)
    offset += run
    return closes
  }

  /// A backslash at the end of a line swallows all white space up to the next character.
  private mutating func skipEscapedNewline() throws(TOMLProblem) -> Bool {
    let start = offset
    offset += 1
    skipBlanks()
    guard try skipNewline() else {
      offset = start
      return false
    }
    repeat { skipBlanks() } while try skipNewline()
    return true
  }

  private mutating func readEscape(into text: inout [UInt8]) throws(TOMLProblem) {
    switch peek(1) {
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "\""): text.append(UInt8(ascii: "\""))
    case UInt8(ascii: "\\"): text.append(UInt8(ascii: "\\"))
    case UInt8(ascii: "u"): return try readUnicodeEscape(digits: 4, into: &text)
    case UInt8(ascii: "U"): return try readUnicodeEscape(digits: 8, into: &text)
    default:
      throw failure(
        "a backslash and \(found(1)) is no escape in double quotes: write a regular expression or a path in single quotes, "
          + #"such as '\d+', or \\ for a backslash"#)
    }
    offset += 2
  }

  private mutating func readUnicodeEscape(digits count: Int, into text: inout [UInt8]) throws(TOMLProblem) {
    var number: UInt32 = 0
    for distance in 2..<2 + count {
      guard let byte = peek(distance), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw failure(
          "expected \(count) hexadecimal digits, found \(found(distance)): write a text with backslashes in single quotes"
        )
      }
      number = number << 4 | UInt32(digit)
    }
    guard let scalar = Unicode.Scalar(number) else {
      let digits = String(number, radix: 16, uppercase: true)
      throw failure("expected a Unicode scalar value, found U+\(digits)")
    }
    text += UTF8.encode(scalar).map { Array($0) } ?? []
    offset += 2 + count
  }

  /// The error of a string that ends too early: at its start if its closing quotes are missing, otherwise at the character.
  private mutating func unfinished(_ quotes: String, from open: TOMLLocation) -> TOMLProblem {
    if atEnd || atNewline {
      // In the other quotes.
      let shown = quotes.hasPrefix("'") ? "\"\(quotes)\"" : "'\(quotes)'"
      let line = bytes[(bytes[..<offset].lastIndex(of: UInt8(ascii: "\n")) ?? 0)..<offset]
      return TOMLProblem(
        location: open, message: "expected a closing \(shown), found \(found())\(quoteHint(in: line))")
    }
    return failure("expected a character that may stand in a string, found \(found())")
  }
}
