/// The plainest reader of JSON (RFC 8259), to hold the product's against.
struct PlainJSON {
  /// What a document means.
  indirect enum Tree: Equatable {
    case null
    case bool(Bool)
    /// `digits` × 10^`exponent`, the digits without zeros at either end; zero has none.
    case number(isNegative: Bool, digits: [UInt8], exponent: Int)
    case string([UInt8])
    case array([Tree])
    case object([[UInt8]: Tree])
  }

  /// A member of the outermost object.
  struct Member {
    var name: [UInt8]
    var tree: Tree
    /// A string's characters, anything else as it is written.
    var content: [UInt8]
  }

  /// The bytes are no JSON document.
  struct Refusal: Error {}

  private(set) var tree = Tree.null
  private(set) var members: [Member] = []
  /// Whether some number is beyond what is compared.
  private(set) var hasVastExponent = false

  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) throws {
    rest = bytes[...]
    tree = try value(depth: 0)
    guard rest.isEmpty else { throw Refusal() }
  }

  private mutating func skipSpace() { rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }

  private mutating func skip(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  private mutating func expect(_ text: String) throws { if !skip(text) { throw Refusal() } }

  /// A value with the white space around it.
  private mutating func value(depth: Int) throws -> Tree {
    skipSpace()
    defer { skipSpace() }
    if skip("null") { return .null }
    if skip("true") { return .bool(true) }
    if skip("false") { return .bool(false) }
    if rest.first == UInt8(ascii: "\"") { return .string(try string()) }
    if depth == 128, rest.first == UInt8(ascii: "[") || rest.first == UInt8(ascii: "{") { throw Refusal() }
    if skip("[") { return .array(try array(depth: depth + 1)) }
    if skip("{") { return .object(try object(depth: depth + 1)) }
    return try number()
  }

  private mutating func array(depth: Int) throws -> [Tree] {
    skipSpace()
    if skip("]") { return [] }
    var elements = [try value(depth: depth)]
    while skip(",") { elements.append(try value(depth: depth)) }
    try expect("]")
    return elements
  }

  private mutating func object(depth: Int) throws -> [[UInt8]: Tree] {
    var found: [[UInt8]: Tree] = [:]
    skipSpace()
    if skip("}") { return found }
    repeat {
      skipSpace()
      let name = try string()
      skipSpace()
      try expect(":")
      skipSpace()
      let start = rest
      let tree = try value(depth: depth)
      found[name] = tree
      guard depth == 1 else { continue }
      var written = Array(start.prefix(start.count - rest.count))
      while let last = written.last, [0x20, 0x09, 0x0A, 0x0D].contains(last) { written.removeLast() }
      if case .string(let characters) = tree { written = characters }
      members.append(Member(name: name, tree: tree, content: written))
    } while skip(",")
    try expect("}")
    return found
  }

  private mutating func string() throws -> [UInt8] {
    try expect("\"")
    var units: [UInt16] = []
    while let byte = rest.first, byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\") {
        rest.removeFirst()
        units.append(try escape())
        continue
      }
      let run = rest.prefix { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
      guard !run.isEmpty, let text = String(validating: run, as: UTF8.self) else { throw Refusal() }
      units += Array(text.utf16)
      rest = rest.dropFirst(run.count)
    }
    try expect("\"")
    // A lone half of a surrogate pair is none.
    guard let text = String(validating: units, as: UTF16.self) else { throw Refusal() }
    return Array(text.utf8)
  }

  private mutating func escape() throws -> UInt16 {
    guard let letter = rest.popFirst() else { throw Refusal() }
    let simple: [Character: UInt16] = ["\"": 0x22, "\\": 0x5C, "/": 0x2F, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9]
    if let unit = simple[Character(Unicode.Scalar(letter))] { return unit }
    let digits = rest.prefix(4)
    guard letter == UInt8(ascii: "u"), digits.count == 4,
      digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw Refusal() }
    rest = rest.dropFirst(4)
    return unit
  }

  private mutating func digits() throws -> [UInt8] {
    let run = rest.prefix { (0x30...0x39).contains($0) }
    if run.isEmpty { throw Refusal() }
    rest = rest.dropFirst(run.count)
    return Array(run)
  }

  private mutating func number() throws -> Tree {
    let isNegative = skip("-")
    var digits = rest.first == 0x30 ? [rest.removeFirst()] : try digits()
    var exponent = 0
    if skip(".") {
      let fraction = try self.digits()
      digits += fraction
      exponent = -fraction.count
    }
    var power = 0
    if skip("e") || skip("E") {
      let shrinks = skip("-")
      if !shrinks { _ = skip("+") }
      let written = try self.digits().drop { $0 == 0x30 }
      if written.count > 17, digits.contains(where: { $0 != 0x30 }) { hasVastExponent = true }
      power = written.count > 17 ? 0 : Int(String(decoding: written, as: UTF8.self)) ?? 0
      if shrinks { power = -power }
    }
    digits = Array(digits.drop { $0 == 0x30 })
    while digits.last == 0x30 {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty { return .number(isNegative: false, digits: [], exponent: 0) }
    exponent += power
    // As it would stand after the first digit.
    if abs(exponent + digits.count - 1) >= 1_000_000_000_000_000 { hasVastExponent = true }
    return .number(isNegative: isNegative, digits: digits, exponent: exponent)
  }
}
