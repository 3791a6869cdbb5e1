/// A JSON document whose members keep their order and their spelling.
package indirect enum JSONTree: Equatable, Sendable {
  /// A string, a number or a word, as it is written.
  case scalar(String)
  case object([Member])
  case array([JSONTree])

  package struct Member: Equatable, Sendable {
    /// As it is written, with its quotation marks.
    var name: String
    var value: JSONTree
  }

  /// Two parts of a document that cannot be joined.
  package struct Conflict: Error {
    /// The names that lead to the part, as `hooks.Stop`.
    package var path: String
  }

  package init(_ bytes: [UInt8]) throws(JSONError) {
    let bytes = bytes.span
    try JSONScanner.validate(bytes)
    var scanner = JSONScanner()
    scanner.skipWhiteSpace(in: bytes)
    self = try Self.read(&scanner, bytes)
  }

  /// Recursive, which the scanner's bounded depth makes safe.
  private static func read(_ scanner: inout JSONScanner, _ bytes: Span<UInt8>) throws(JSONError) -> JSONTree {
    func text(_ range: Range<Int>) -> String { String(decoding: range.map { bytes[$0] }, as: UTF8.self) }
    switch try scanner.classify(in: bytes) {
    case .object:
      var members: [Member] = []
      try scanner.open()
      while let name = try scanner.beginKey(in: bytes) {
        members.append(Member(name: "\"\(text(name.text))\"", value: try read(&scanner, bytes)))
      }
      return .object(members)
    case .array:
      var elements: [JSONTree] = []
      try scanner.open()
      while try scanner.beginElement(in: bytes) { elements.append(try read(&scanner, bytes)) }
      return .array(elements)
    case .string, .number, .boolean, .null:
      let start = scanner.position
      try scanner.scanValue(in: bytes)
      return .scalar(text(start..<scanner.position))
    }
  }

  /// Adds what another tree has: members that are missing, and elements that no array has yet.
  package func adding(_ other: JSONTree, at path: String = "") throws(Conflict) -> JSONTree {
    switch (self, other) {
    case (.object(var members), .object(let others)):
      for other in others {
        if let index = members.firstIndex(where: { $0.name == other.name }) {
          let path = path + (path.isEmpty ? "" : ".") + other.name.filter { $0 != "\"" }
          members[index].value = try members[index].value.adding(other.value, at: path)
        } else {
          members.append(other)
        }
      }
      return .object(members)
    case (.array(let elements), .array(let others)): return .array(elements + others.filter { !$0.isAmong(elements) })
    default:
      if isAmong([other]) { return self }
      throw Conflict(path: path)
    }
  }

  /// Takes out the elements and members that another tree has, and what is empty then; `nil` if nothing is left.
  package func removing(_ other: JSONTree) -> JSONTree? {
    switch (self, other) {
    case (.object(let members), .object(let others)):
      let rest = members.compactMap { member in
        guard let other = others.first(where: { $0.name == member.name }) else { return member }
        return member.value.removing(other.value).map { Member(name: member.name, value: $0) }
      }
      return rest.isEmpty && !members.isEmpty ? nil : .object(rest)
    case (.array(let elements), .array(let others)):
      let rest = elements.filter { !$0.isAmong(others) }
      return rest.isEmpty && !elements.isEmpty ? nil : .array(rest)
    default: return isAmong([other]) ? nil : self
    }
  }

  /// Whether one of these documents means the same: a program that writes a file again may order and spell it in its own way.
  private func isAmong(_ others: [JSONTree]) -> Bool {
    others.contains(self) || others.contains { $0.meaning == meaning }
  }

  private var meaning: [UInt8] {
    var canonicalizer = JSONCanonicalizer()
    let text = Array(line.utf8)
    // It was read from a valid document.
    guard (try? canonicalizer.canonicalize(text.span)) != nil else { return text }
    return canonicalizer.result
  }

  /// The elements of the arrays and the other members, each after the names that lead to it: `hooks.Stop` and `{"timeout": 2}`.
  package var leaves: [(path: String, text: String)] { leaves(at: "") }

  private func leaves(at path: String) -> [(path: String, text: String)] {
    switch self {
    case .object(let members) where !members.isEmpty:
      members.flatMap { member in
        member.value.leaves(at: path + (path.isEmpty ? "" : ".") + member.name.filter { $0 != "\"" })
      }
    case .array(let elements): elements.map { (path, $0.line) }
    case .scalar, .object: [(path, line)]
    }
  }

  /// The document on one line.
  private var line: String {
    switch self {
    case .scalar(let text): text
    case .object(let members): "{" + members.map { "\($0.name): \($0.value.line)" }.joined(separator: ", ") + "}"
    case .array(let elements): "[" + elements.map(\.line).joined(separator: ", ") + "]"
    }
  }

  /// The document as programs write it for people, a member a line; `indent` is one step.
  package func text(indent: String = "  ", at margin: String = "\n") -> String {
    func list(_ items: [String], _ brackets: String) -> String {
      let inner = margin + indent
      return items.isEmpty
        ? brackets
        : "\(brackets.prefix(1))\(inner)\(items.joined(separator: "," + inner))\(margin)\(brackets.suffix(1))"
    }
    return switch self {
    case .scalar(let text): text
    case .object(let members):
      list(members.map { "\($0.name): \($0.value.text(indent: indent, at: margin + indent))" }, "{}")
    case .array(let elements): list(elements.map { $0.text(indent: indent, at: margin + indent) }, "[]")
    }
  }
}
