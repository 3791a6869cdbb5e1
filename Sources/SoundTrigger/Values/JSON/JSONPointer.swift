/// The path to one value in a JSON document (RFC 6901), such as `/items/0/name`.
package struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
  /// As it was written.
  package let description: String
  /// The keys, and indices of arrays, that lead to the value, from outside; none: the document itself.
  private let tokens: [[UInt8]]

  /// Why a text is not a pointer.
  package struct Problem: Error, Equatable, Sendable {
    package var message: String
    /// At which byte of the text.
    package var offset: Int
  }

  package init(_ text: String) throws(Problem) {
    description = text
    var tokens: [[UInt8]] = []
    var bytes = text.utf8.enumerated().makeIterator()
    while let (offset, byte) = bytes.next() {
      if byte == UInt8(ascii: "/") {
        tokens.append([])
        continue
      }
      if tokens.isEmpty { throw Problem(message: "expected '/' at the beginning of a JSON pointer", offset: 0) }
      var character = byte
      if byte == UInt8(ascii: "~") {
        switch bytes.next()?.element {
        case UInt8(ascii: "0"): break
        case UInt8(ascii: "1"): character = UInt8(ascii: "/")
        default: throw Problem(message: "expected '0' (for ~) or '1' (for /) after '~'", offset: offset)
        }
      }
      tokens[tokens.count - 1].append(character)
    }
    self.tokens = tokens
  }

  /// Looks the value up; `nil` if there is none.
  ///
  /// Checks the whole document without building a tree, in time proportional to its length. Allocates nothing once
  /// `scratch` is large enough. The last of a repeated key counts.
  func find(in bytes: Span<UInt8>, scratch: inout [UInt8]) throws(JSONError) -> JSONValue? {
    var scanner = JSONScanner()
    scanner.skipWhiteSpace(in: bytes)
    let target = try find(token: 0, in: bytes, &scanner, &scratch)
    try scanner.expectEnd(in: bytes)
    return target
  }

  // Recursive, which the bounded depth makes safe.
  private func find(
    token: Int, in bytes: Span<UInt8>, _ scanner: inout JSONScanner, _ scratch: inout [UInt8]
  ) throws(JSONError) -> JSONValue? {
    let kind = try scanner.classify(in: bytes)
    guard token < tokens.count, kind == .object || kind == .array else {
      let value = try scanner.scanValue(in: bytes)
      return token == tokens.count ? value : nil
    }
    try scanner.open()
    return kind == .object
      ? try findMember(token: token, in: bytes, &scanner, &scratch)
      : try findElement(token: token, in: bytes, &scanner, &scratch)
  }

  private func findMember(
    token: Int, in bytes: Span<UInt8>, _ scanner: inout JSONScanner, _ scratch: inout [UInt8]
  ) throws(JSONError) -> JSONValue? {
    var target: JSONValue?
    while let key = try scanner.beginKey(in: bytes) {
      guard isKey(key, token: token, in: bytes, &scratch) else {
        try scanner.scanValue(in: bytes)
        continue
      }
      target = try find(token: token + 1, in: bytes, &scanner, &scratch)
    }
    return target
  }

  private func isKey(_ key: JSONValue, token: Int, in bytes: Span<UInt8>, _ scratch: inout [UInt8]) -> Bool {
    guard key.hasEscapes else { return tokens[token].holdsSameBytes(as: bytes.extracting(key.text)) }
    scratch.removeAll(keepingCapacity: true)
    key.unescape(from: bytes, appendingTo: &scratch)
    return tokens[token] == scratch
  }

  private func findElement(
    token: Int, in bytes: Span<UInt8>, _ scanner: inout JSONScanner, _ scratch: inout [UInt8]
  ) throws(JSONError) -> JSONValue? {
    let wanted = Self.index(tokens[token])
    var target: JSONValue?
    var index = 0
    while try scanner.beginElement(in: bytes) {
      if index == wanted {
        target = try find(token: token + 1, in: bytes, &scanner, &scratch)
      } else {
        try scanner.scanValue(in: bytes)
      }
      index += 1
    }
    return target
  }

  /// The index in an array that a token names; `nil` if it names none, such as `01` and `-`.
  private static func index(_ token: [UInt8]) -> Int? {
    let text = String(decoding: token, as: UTF8.self)
    guard let index = Int(text), index >= 0, String(index) == text else { return nil }
    return index
  }
}
