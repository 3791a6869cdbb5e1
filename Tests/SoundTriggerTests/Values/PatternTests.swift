import Testing

@testable import SoundTrigger

struct PatternTests {
  private func search(_ expression: String, _ bytes: [UInt8]) throws -> Pattern.Finding {
    try Pattern(expression).search(bytes.span)
  }

  private func search(_ expression: String, _ text: String) throws -> Pattern.Finding {
    try search(expression, Array(text.utf8))
  }

  @Test(
    arguments: [
      // The first group, else the whole match.
      ("load: ([0-9.]+)", "load: 1.25 high", .found(6..<10)), ("[0-9.]+", "load: 1.25 high", .found(6..<10)),
      ("(a)(b)", "xab", .found(1..<2)), ("(?:a)(b)", "xab", .found(2..<3)), ("(?<n>b)", "xab", .found(2..<3)),
      // A group that takes no part leaves the whole match.
      ("(a)|b+", "xbb", .found(1..<3)), ("(a)?b", "b", .found(0..<1)),
      // An empty match is one, and so is an empty group.
      ("x*", "abc", .found(0..<0)), ("$", "abc", .found(3..<3)), ("b()c", "abc", .found(2..<2)),
      ("", "", .found(0..<0)),
      // What \K drops from the match, and what a lookahead sees behind it.
      ("a\\Kb", "ab", .found(1..<2)), ("a(?=b)", "ab", .found(0..<1)),
      ("^b", "ab", .nothing), ("(?m)^b", "a\nb", .found(2..<3)), (".", "é", .found(0..<2)), ("\\w", "-", .nothing),
    ] as [(String, String, Pattern.Finding)])
  func `the first group is found if it takes part, else the whole match`(
    expression: String, text: String, finding: Pattern.Finding
  ) throws {
    #expect(try search(expression, text) == finding)
  }

  @Test func `bytes that are no UTF-8 match nothing, and what lies between them is found`() throws {
    let bytes: [UInt8] = [0xff] + Array("ok".utf8) + [0xc3, 0x0a, 0xe2, 0x82] + Array("end".utf8)
    #expect(try search("o.", bytes) == .found(1..<3))
    #expect(try search("(?s)ok.\\n", bytes) == .nothing)
    #expect(try search("end$", bytes) == .found(7..<10))
    #expect(try search("^.", [0xff]) == .nothing)
    #expect(try search("a\\x{0}b", [0x61, 0x00, 0x62]) == .found(0..<3))
  }

  @Test(
    arguments: [
      ("(", "missing closing parenthesis", 1), ("a)", "unmatched closing parenthesis", 1),
      ("ab[c", "missing terminating ] for character class", 4),
      ("*", "quantifier does not follow a repeatable item", 0),
      ("a{3,2}", "numbers out of order in {} quantifier", 5), ("\\", "\\ at end of pattern", 1),
      ("(?=a\\Kb)", "\\K is not allowed in lookarounds (but see PCRE2_EXTRA_ALLOW_LOOKAROUND_BSK)", 8),
      ("é(", "missing closing parenthesis", 3),
    ])
  func `what does not compile is told in PCRE2's words, with the byte`(expression: String, message: String, offset: Int)
  {
    let problem = #expect(throws: Pattern.Problem.self) { try Pattern(expression) }
    #expect(problem == Pattern.Problem(message: message, offset: offset))
    #expect(problem?.description == "\(message) (at byte \(offset + 1))")
  }

  @Test func `a byte that need not be valid is refused where it would split characters`() {
    let problem = #expect(throws: Pattern.Problem.self) { try Pattern("a\\C") }
    #expect(problem?.offset == 3)
  }

  /// Exponential, cubic, quadratic in the places where a match may begin, quadratic in what is run over unseen, without a
  /// step between, and a group that is compared over and over.
  static let costly = [
    "(a+)+$", "(a|a)*[cd]", ".*.*.*[cd]", "a*+[cd]", "\\w*[cd]", "(?>.*?[cd])", "a{20000}[cd]", "\\X{20000}[cd]",
    "(a{20000})\\1[cd]", "(?=(a*))\\1[cd]", "\\p{L}*+\\d", "(\\X*)[cd]",
  ]

  @Test(arguments: costly) func `a search that would take too long is given up`(expression: String) throws {
    var subject = [UInt8](repeating: UInt8(ascii: "a"), count: 65_536)
    subject[65_535] = UInt8(ascii: "b")
    let pattern = try Pattern(expression)
    #expect(pattern.search(subject.span) == .tooCostly)
    // And leaves nothing behind.
    #expect(pattern.search(Array("ac".utf8).span) != .tooCostly)
  }

  @Test func `a repeat that fails just before its end, again and again, is given up`() throws {
    var subject = [UInt8](repeating: UInt8(ascii: "a"), count: 65_536)
    for index in stride(from: 29_999, to: 65_536, by: 30_000) { subject[index] = UInt8(ascii: "b") }
    #expect(try search("a{30000}[cd]", subject) == .tooCostly)
  }

  @Test func `a short text is given up sooner`() throws {
    #expect(try search("^(\\w+\\s?)*$", String(repeating: "word ", count: 12) + "!") == .tooCostly)
  }

  static let sensible = [
    "(\\d+) errors", "^.*failed: (.*)$", "[a-z]+ing\\b", "\\d{4}-\\d{2}-\\d{2} [a-z]", "(?i)error|warn|fatal",
    "\\S+@\\S+\\.com", "(?m)^\\s*([a-z]+)\\s*=\\s*(\\d+)$", "\\b(?:ERROR|WARN)\\b.*",
  ]

  @Test(arguments: sensible) func `a sensible expression is searched for to the end of 64 KiB`(
    expression: String
  ) throws {
    let line = Array("the quick brown fox jumps over the lazy dog 2026-11-12T12:34:56 and so on; ".utf8)
    let subject = (0..<65_536).map { line[$0 % line.count] }
    #expect(try search(expression, subject) == .nothing)
  }

  @Test func `a repeated group may need more than the processor's stack`() throws {
    let subject = [UInt8](repeating: UInt8(ascii: "a"), count: 20_000) + Array("!".utf8)
    let pattern = try Pattern("(?:a|b)*!")
    #expect(pattern.search(subject.span) == .found(0..<20_001))
    #expect(pattern.search(subject.span) == .found(0..<20_001))
  }

  @Test func `what was written first may switch the JIT compiler off`() throws {
    #expect(try search("(*NO_JIT)(a+)b", "xaab") == .found(1..<3))
    #expect(try search("(*NO_JIT)(a+)+$", String(repeating: "a", count: 40) + "!") == .tooCostly)
  }

  @Test func `expressions are equal if they are written alike`() throws {
    #expect(try Pattern("a+") == Pattern("a+"))
    #expect(try Pattern("a+") != Pattern("aa*"))
    #expect(try Set([Pattern("a"), Pattern("a"), Pattern("b")]).count == 2)
  }
}
