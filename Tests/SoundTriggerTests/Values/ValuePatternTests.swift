import Testing

@testable import SoundTrigger

struct ValuePatternTests {
  private func pattern(_ text: String) throws -> ValuePattern { try #require(ValuePattern(text)) }

  // MARK: Reading

  @Test(arguments: ["*", "agent/*", "*/door", "home/*/door", "a/*/b/*", "_:.-/*", "a//*"])
  func `a pattern has a whole part between slashes that is an asterisk`(text: String) throws {
    #expect(try pattern(text).description == text)
  }

  @Test(arguments: ["", "agent", "agent/7", "agent-*", "agent/*7", "agent/**", "/*", "-/*", "a b/*", "é/*", "agent/?"])
  func `what has no such part, or no name could match, is no pattern`(text: String) {
    #expect(ValuePattern(text) == nil)
  }

  @Test func `a pattern is as long as a name at most`() throws {
    let longest = String(repeating: "n", count: 253) + "/*"
    #expect(try pattern(longest).description == longest)
    #expect(ValuePattern("n" + longest) == nil)
  }

  // MARK: Matching

  @Test(arguments: [
    ("agent/*", ["agent/7", "agent/7/tests", "agent/7/", "agent/*".replacing("*", with: "-")]),
    ("*", ["agent", "agent/7", "a/b/c"]),
    ("home/*/door", ["home/cellar/door"]),
    ("*/door", ["home/door"]),
    ("a/*/b/*", ["a/1/b/2", "a/1/b/2/3"]),
  ])
  func `an asterisk stands for one part, and as the last part for all the rest`(text: String, names: [String]) throws {
    for matching in names { #expect(try pattern(text).matches(name(matching)), "\(matching)") }
  }

  @Test(arguments: [
    ("agent/*", ["agent", "agents/7", "agen/7", "agent/", "Agent/7", "x/agent/7"]),
    ("home/*/door", ["home/door", "home/cellar/stairs/door", "home/cellar/doors", "home/cellar/door/1", "home//door"]),
    ("*/door", ["door", "a/b/door", "a/window"]),
    ("a/*/b/*", ["a/1/b", "a/b/1", "a/1/2/b/3"]),
  ])
  func `a part is neither empty nor two parts`(text: String, names: [String]) throws {
    for other in names { #expect(try !pattern(text).matches(name(other)), "\(other)") }
  }

  @Test func `an exact pattern matches its name alone`() throws {
    let exact = ValuePattern(exactly: try name("agent/7"))
    #expect(exact.description == "agent/7")
    #expect(exact.prefix == "agent/7")
    #expect(exact.matches(try name("agent/7")))
    for other in ["agent", "agent/7/tests", "agent/77", "agent/8"] { #expect(!exact.matches(try name(other))) }
  }

  // MARK: Overlap

  @Test(arguments: [
    ("a/*", "a/*", true), ("a/*", "a/b/*", true), ("a/*", "a/*/c", true), ("*", "a/b/c/*", true), ("*/b", "a/*", true),
    ("a/*/c", "a/b/*", true), ("a/*/c/*", "*/b/c/d", true), ("a/*", "b/*", false), ("a/*/b", "a/*/c", false),
    ("a/*/b", "a/*/b/*", false), ("*/b", "a/*/b", false), ("a/*/b", "a/b/*", true), ("a/*", "*", true),
    ("a/*", "*/b/c", true),
  ])
  func `two patterns overlap if a name matches both`(first: String, second: String, overlap: Bool) throws {
    #expect(try pattern(first).overlaps(pattern(second)) == overlap)
    #expect(try pattern(second).overlaps(pattern(first)) == overlap)
  }

  @Test(arguments: [("agent/7", true), ("agent/7/tests", true), ("agent", false), ("other/7", false)])
  func `a pattern overlaps with an exact one if it matches its name`(text: String, overlap: Bool) throws {
    #expect(try pattern("agent/*").overlaps(ValuePattern(exactly: name(text))) == overlap)
    #expect(try ValuePattern(exactly: name(text)).overlaps(pattern("agent/*")) == overlap)
  }

  /// All names and patterns of up to three parts, each `a`, `b` or an asterisk.
  @Test func `patterns overlap exactly if one of all short names matches both`() throws {
    func texts(_ parts: [String], _ count: Int) -> [String] {
      count == 1 ? parts : texts(parts, count - 1).flatMap { text in parts.map { "\(text)/\($0)" } }
    }
    let patterns = (1...3).flatMap { texts(["a", "b", "*"], $0) }.compactMap(ValuePattern.init)
    // A longer name than both patterns adds nothing.
    let names = try (1...4).flatMap { texts(["a", "b"], $0) }.map(name)
    #expect(patterns.count > 20)
    for first in patterns {
      for second in patterns {
        let isShared = names.contains { first.matches($0) && second.matches($0) }
        #expect(first.overlaps(second) == isShared, "\(first) \(second)")
      }
    }
  }

  // MARK: The table

  @Test(arguments: [("*", ""), ("*/a", ""), ("agent/*", "agent/"), ("a/b/*/c/*", "a/b/")])
  func `the prefix is the text before the first asterisk`(text: String, prefix: String) throws {
    #expect(try pattern(text).prefix == prefix)
  }

  private func table(_ patterns: [String]) throws -> PatternTable<String> {
    var table = PatternTable<String>()
    for text in patterns { table.add(try pattern(text), text) }
    return table
  }

  @Test(arguments: [
    ("a/b/c", ["a/b/*", "a/*", "a/*/c", "*"]), ("a/x", ["a/*", "*"]), ("a/x/c", ["a/*", "a/*/c", "*"]),
    ("b", ["*"]), ("b/c", ["*/c", "*"]), ("a/b", ["a/*", "*"]),
  ])
  func `the pattern with the longest prefix comes first`(text: String, patterns: [String]) throws {
    let table = try table(["*/c", "*", "a/*", "a/b/*", "a/*/c"])
    let found = try table.elements(matching: name(text))
    #expect(found.map { $0.prefix { $0 != "*" }.count } == patterns.map { $0.prefix { $0 != "*" }.count })
    #expect(found.sorted() == patterns.sorted())
  }

  @Test func `an exact pattern comes before all others`() throws {
    var table = try table(["*", "agent/*"])
    table.add(ValuePattern(exactly: try name("agent/7")), "exact")
    #expect(table.elements(matching: try name("agent/7")) == ["exact", "agent/*", "*"])
    #expect(table.elements(matching: try name("agent/8")) == ["agent/*", "*"])
  }

  @Test func `an empty table, and one that does not match, have no elements`() throws {
    #expect(PatternTable<Int>().isEmpty)
    #expect(PatternTable<Int>().elements(matching: try name("a/b")) == [])
    let table = try table(["agent/*", "room/*/door"])
    #expect(!table.isEmpty)
    for other in ["agent", "room/1", "agents/1", "b"] { #expect(table.elements(matching: try name(other)) == []) }
  }
}
