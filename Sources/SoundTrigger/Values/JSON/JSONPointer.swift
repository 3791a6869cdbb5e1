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
    let bytes = Array(text.utf8)
    for (index, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "/") { tokens.append([]) }
      guard let last = tokens.indices.last else {
        throw Problem(message: "expected '/' at the beginning of a JSON pointer", offset: 0)
      }
      switch (index > 0 ? bytes[index - 1] : 0, byte) {
      case (UInt8(ascii: "~"), UInt8(ascii: "0")): tokens[last].append(UInt8(ascii: "~"))
      case (UInt8(ascii: "~"), UInt8(ascii: "1")): tokens[last].append(UInt8(ascii: "/"))
      case (UInt8(ascii: "~"), _): throw Self.tilde(at: index - 1)
      case (_, UInt8(ascii: "/")): break
      case (_, UInt8(ascii: "~")): if index == bytes.count - 1 { throw Self.tilde(at: index) }
      default: tokens[last].append(byte)
      }
    }
    self.tokens = tokens
  }

  private static func tilde(at offset: Int) -> Problem {
    Problem(message: "expected '0' (for ~) or '1' (for /) after '~'", offset: offset)
  }

  /// Looks the value up; `nil` if there is none.
  ///
  /// Checks the whole document without building a tree, in time proportional to its length. Allocates nothing once
  /// `scratch` is large enough. A key on the path that occurs twice is an error.
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
      let value = try scanner.scanValue(in: bytes, depth: token)
      return token == tokens.count ? value : nil
    }
    try scanner.open(depth: token)
    return kind == .object
      ? try findMember(token: token, in: bytes, &scanner, &scratch)
      : try findElement(token: token, in: bytes, &scanner, &scratch)
  }

  private func findMember(
    token: Int, in bytes: Span<UInt8>, _ scanner: inout JSONScanner, _ scratch: inout [UInt8]
  ) throws(JSONError) -> JSONValue? {
    var target: JSONValue?
    var isFound = false
    var isFirst = true
    while let key = try scanner.beginKey(in: bytes, isFirst: isFirst) {
      isFirst = false
      guard isKey(key, token: token, in: bytes, &scratch) else {
        try scanner.scanValue(in: bytes, depth: token + 1)
        continue
      }
      if isFound {
        let name = tokens[token]
        let problem = JSONError.Problem.duplicateKey(Excerpt.quoting(name.span))
        throw JSONError(offset: key.text.lowerBound - 1, problem: problem)
      }
      isFound = true
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
    while try scanner.beginElement(in: bytes, isFirst: index == 0) {
      if index == wanted {
        target = try find(token: token + 1, in: bytes, &scanner, &scratch)
      } else {
        try scanner.scanValue(in: bytes, depth: token + 1)
      }
      index += 1
    }
    return target
  }

  /// The place in an array that a token names; `nil` if it names none, such as `01` and `-`.
  private static func index(_ token: [UInt8]) -> Int? {
    guard let first = token.first, token.count <= 9, first != UInt8(ascii: "0") || token.count == 1 else { return nil }
    var index = 0
    for byte in token {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      index = index * 10 + Int(byte & 0x0f)
    }
    return index
  }
}
