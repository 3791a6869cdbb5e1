import SoundWire

/// The functions of Swift code, found by their braces.
struct SwiftOutline {
  struct Function: Equatable {
    /// The word after `func`, or `init`, `deinit`, `subscript`, or the name of a computed property.
    let name: String
    let line: Int
    let lineCount: Int
  }

  private(set) var functions: [Function] = []

  private enum Scope {
    case function(name: String, line: Int)
    case other
  }

  private struct Word {
    let text: Substring
    let line: Int
  }

  private static let typeKeywords: Set<Substring> = ["struct", "class", "actor", "enum", "protocol", "extension"]
  private static let functionKeywords: Set<Substring> = ["func", "init", "deinit", "subscript"]

  /// What was read since the last brace, outside parentheses and brackets.
  private var head: [Word] = []
  private var scopes: [Scope] = []

  init(_ code: SwiftCode) {
    var depth = 0
    for (index, line) in code.lines.enumerated() {
      for token in Self.tokens(of: line.text) {
        switch token {
        case "(", "[": depth += 1
        case ")", "]": depth -= 1
        case "{" where depth == 0: open()
        case "}" where depth == 0: close(line: index + 1)
        default: if depth == 0 { head.append(Word(text: token, line: index + 1)) }
        }
      }
    }
  }

  /// The words, and every other character by itself.
  private static func tokens(of line: String) -> [Substring] {
    var tokens: [Substring] = []
    var rest = line.utf8[...]
    while let first = rest.first {
      let token = SwiftCode.isPartOfWord(first) ? rest.prefix(while: SwiftCode.isPartOfWord) : rest.prefix(1)
      if first != UInt8(ascii: " ") { tokens.append(Substring(token)) }
      rest = rest.dropFirst(token.count)
    }
    return tokens
  }

  private mutating func open() {
    scopes.append(scope(of: head))
    head = []
  }

  private mutating func close(line: Int) {
    head = []
    if case .function(let name, let first)? = scopes.popLast() {
      functions.append(Function(name: name, line: first, lineCount: line - first + 1))
    }
  }

  /// What the brace after `words` opens.
  private mutating func scope(of words: [Word]) -> Scope {
    let keywords: Set = Self.typeKeywords.union(Self.functionKeywords).union(["var", "let"])
    guard
      let index = words.indices.last(where: { index in
        keywords.contains(words[index].text)
          // `Self.init`, `protocol P: class` and `class func` declare nothing.
          && (index == 0 || ![".", ":"].contains(words[index - 1].text))
          && !(index + 1 < words.count && keywords.contains(words[index + 1].text))
      })
    else { return .other }
    let word = words[index]
    let name = index + 1 < words.count ? String(words[index + 1].text) : ""
    if Self.typeKeywords.contains(word.text) { return .other }
    if Self.functionKeywords.contains(word.text) {
      return .function(name: word.text == "func" ? name : String(word.text), line: word.line)
    }
    if words[index...].contains(where: { $0.text == "=" }) { return .other }
    return .function(name: name, line: word.line)
  }
}
