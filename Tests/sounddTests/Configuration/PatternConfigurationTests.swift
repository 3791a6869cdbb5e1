import SoundTrigger
import Testing

@testable import soundd

/// What a configuration says of patterns: their declarations, and the triggers on them.
struct PatternConfigurationTests {
  private func draft(_ text: String) -> ConfigurationDraft {
    ConfigurationDraft(Array(text.utf8), file: "c", environment: .test)
  }

  private func read(_ text: String) throws -> Configuration {
    try ConfigurationText(file: "c", bytes: Array(text.utf8)).configuration(.test)
  }

  private func pattern(_ text: String) throws -> ValuePattern { try #require(ValuePattern(text)) }

  // MARK: Reading

  @Test func `a pattern is read with each of its keys`() throws {
    let configuration = try read(
      """
      [value."agent/*"]
      type = "number"
      trim = false
      json = "/a"
      match = '\\d+'
      expect_every = "1 h"
      forget_after = "1 day"
      [value."room/*/door"]
      """)
    #expect(
      configuration.patterns == [
        PatternDeclaration(
          pattern: try pattern("agent/*"), kind: .number, trim: false,
          extraction: Extraction(pointer: try JSONPointer("/a"), pattern: try Pattern("\\d+")),
          expectEvery: .seconds(3600), forgetAfter: .seconds(86_400)),
        PatternDeclaration(pattern: try pattern("room/*/door"), kind: .text, trim: true),
      ])
    #expect(configuration.values == [])
  }

  @Test func `a pattern may be forgotten without an interval at which it is expected`() throws {
    let declaration = try #require(try read("[value.'agent/*']\nforget_after='1 ms'").patterns.first)
    #expect(declaration.expectEvery == nil)
    #expect(declaration.forgetAfter == .milliseconds(1))
  }

  @Test func `an exact declaration stands beside the pattern that names it`() throws {
    let configuration = try read("[value.'agent/*']\ntype='number'\n[value.'agent/main']\ntype='bool'")
    #expect(configuration.values.map(\.name.description) == ["agent/main"])
    #expect(configuration.patterns.map(\.pattern.description) == ["agent/*"])
  }

  @Test(arguments: [("a/*/b", "a/*/c"), ("a/*", "a/b/*"), ("*/b", "a/*"), ("a/*/x/b", "a/*/y/*")])
  func `two patterns stand side by side if one is more exact, or if they have no name in common`(
    first: String, second: String
  ) throws {
    #expect(try read("[value.'\(first)']\n[value.'\(second)']").patterns.count == 2)
  }

  @Test func `a trigger has names and patterns, and the first of them is its name`() throws {
    let triggers = try read(
      """
      [[trigger]]
      value = "agent/*"
      sound = "x"
      spread = true
      [[trigger]]
      value = ["main", "agent/*", "room/*/door"]
      sound = "x"
      [[trigger]]
      value = "agent/*"
      sound = "y"
      """
    ).triggers.map(\.definition)
    #expect(triggers.map(\.name) == ["agent/*", "main", "agent/*-2"])
    #expect(triggers.map(\.isRule) == [true, true, true])
    #expect(triggers.map { $0.values.map(\.description) } == [[], ["main"], []])
    #expect(triggers[1].patterns.map(\.description) == ["agent/*", "room/*/door"])
    #expect(triggers.map(\.settings.spread) == [true, false, false])
  }

  @Test func `a loop may choose its sound from a table, because each member has one value`() throws {
    let trigger = "[[trigger]]\nsounds={ a='x' }\nloop=true\n"
    #expect(throws: Never.self) { try read(trigger + "value=['main', 'agent/*']") }
    #expect(!draft(trigger + "value=['main', 'other']").errors.isEmpty)
  }

  @Test func `a pattern has at most ten thousand members, unless the limit says otherwise`() throws {
    #expect(try read("").limits.members == 10_000)
    #expect(try read("[limits]\nmembers=3").limits.members == 3)
  }

  @Test func `a pattern that only triggers use is counted like a declared one`() throws {
    let configuration = try read(
      "[value.'b/*']\ntype='number'\n[[trigger]]\nvalue=['c/*', 'b/*', 'a/*']\nsound='x'")
    #expect(configuration.allPatterns.map(\.pattern.description) == ["b/*", "a/*", "c/*"])
    #expect(configuration.allPatterns.map(\.declaration?.kind) == [.number, nil, nil])
  }

  // MARK: Types

  @Test(arguments: [
    // The declared pattern has the type of the rule's pattern, and of an exact name that it matches.
    "[value.'agent/*']\ntype='number'\n[[trigger]]\nvalue='agent/*'\nabove=5\nsound='x'",
    "[value.'agent/*']\ntype='number'\n[[trigger]]\nvalue='agent/7'\nabove=5\nsound='x'",
    "[value.'agent/*']\ntype='number'\n[[trigger]]\nvalue='agent/*/load'\nabove=5\nsound='x'",
    // A more exact one is about some members only.
    "[value.'agent/*']\ntype='number'\n[value.'agent/x/*']\n[[trigger]]\nvalue='agent/*'\nabove=5\nsound='x'",
    "[value.'agent/*']\n[value.'agent/x/*']\ntype='number'\n[[trigger]]\nvalue='agent/x/*'\nabove=5\nsound='x'",
    "[value.'agent/x/*']\ntype='number'\n[[trigger]]\nvalue='agent/*'\nabove=5\nsound='x'",
    // It may become stale if the pattern is expected, or a feed has it.
    "[value.'agent/*']\nexpect_every='1 h'\n[[trigger]]\nvalue='agent/*'\nwhen='stale'\nsound='x'",
    "[[feed]]\nname='b'\nprefix='mqtt/'\ncommand='p'\n[[trigger]]\nvalue='mqtt/*'\nwhen='stale'\nsound='x'",
  ])
  func `what a rule knows of its values comes from the declared pattern`(text: String) {
    #expect(draft(text).errors == [])
  }

  @Test func `a feed makes no value stale that only begins as its prefix does`() {
    let text = "[[feed]]\nname='b'\nprefix='mqtt/'\ncommand='p'\n[[trigger]]\nvalue='mqtt'\nwhen='stale'\nsound='x'"
    #expect(draft(text).errors.map(\.key) == ["trigger[1].when"])
  }

  // MARK: Errors

  private static let noPlace = "has no place beside a pattern, whose members clients and feeds set"
  private static let expected = "expected a pattern such as \"agent/*\", whose '*' is a whole part between slashes"
  private static let nameRule =
    "1 to 128 of A-Z a-z 0-9 _ . / : - and escapes such as %20, the first a letter, digit or _"
  private static let exact = "neither is more exact: the one with the longer text before its first '*' declares them"
  private static let spread = "needs a pattern, such as value = \"agent/*\": a single value has no members to spread"
  private static let neverForgotten =
    "is for patterns, such as [value.\"agent/*\"]: a value with a declaration of its own is never forgotten"
  private static let rule = "[[trigger]]\nvalue='a/*'\nsound='x'\n"

  private static let long = String(repeating: "n", count: 127)

  static let declarations = [
    ProblemCase("[value.'a/*']\nfile='f'", "2:6: value.\"a/*\".file: \(noPlace)"),
    ProblemCase("[value.'a/*']\nlines='f'", "2:7: value.\"a/*\".lines: \(noPlace)"),
    ProblemCase("[value.'a/*']\ncount='d'", "2:7: value.\"a/*\".count: \(noPlace)"),
    ProblemCase("[value.'a/*']\nexists='f'", "2:8: value.\"a/*\".exists: \(noPlace)"),
    ProblemCase("[value.'a/*']\nfifo='f'", "2:6: value.\"a/*\".fifo: \(noPlace)"),
    ProblemCase("[value.'a/*']\nof='b'", "2:4: value.\"a/*\".of: \(noPlace)"),
    ProblemCase("[value.'a/*']\nabove=1", "2:7: value.\"a/*\".above: \(noPlace)"),
    ProblemCase(
      "[value.'a/*']\ncommand='p'\nevery='1 s'", "2:9: value.\"a/*\".command: \(noPlace)",
      "3:7: value.\"a/*\".every: \(noPlace)"),
    ProblemCase(
      "[value.'\(long)/*']",
      "1:8: value.\"\(long.prefix(60))…\": only beneath the prefix of a feed may a name have more than 128 bytes"),
    ProblemCase("[value.'agent-*']", "1:8: value.\"agent-*\": \(expected), found 'agent-*'"),
    ProblemCase("[value.'a/b*/c']", "1:8: value.\"a/b*/c\": \(expected), found 'a/b*/c'"),
    ProblemCase("[value.'a/**']", "1:8: value.\"a/**\": \(expected), found 'a/**'"),
    ProblemCase("[value.'a b/*']", "1:8: value.\"a b/*\": \(expected), found 'a b/*'"),
    ProblemCase(
      "[value.'a/*/b']\n[value.'a/*']",
      "2:8: value.\"a/*\": may name the same values as \"a/*/b\" at line 1, and \(exact)"),
    ProblemCase(
      "[value.'*']\n[value.'*/b']", "2:8: value.\"*/b\": may name the same values as \"*\" at line 1, and \(exact)"),
    ProblemCase(
      "[value.'a/*']\nforget_afer='1 h'", "2:1: value.\"a/*\".forget_afer: unknown key (did you mean 'forget_after'?)"),
    ProblemCase(
      "[value.'a/*']\ntype='numbr'",
      "2:6: value.\"a/*\".type: expected one of \"text\", \"number\", \"bool\", \"json\", \"event\", found 'numbr' "
        + "(did you mean 'number'?)"),
    ProblemCase("[limits]\nmembers=0", "2:9: limits.members: expected 1 to 16777216, found 0"),
  ]

  static let forgetting = [
    ProblemCase("[value.a]\nforget_after='1 h'", "2:14: value.a.forget_after: \(neverForgotten)"),
    ProblemCase(
      "[value.'a/*']\nexpect_every='1 h'\nforget_after='1 h'",
      "3:14: value.\"a/*\".forget_after: must be longer than 'expect_every': nothing would ever be stale"),
    ProblemCase(
      "[value.'a/*']\nforget_after='1 s'\nexpect_every='1 h'",
      "2:14: value.\"a/*\".forget_after: must be longer than 'expect_every': nothing would ever be stale"),
    ProblemCase(
      "[value.'a/*']\nforget_after='0.5 ms'",
      "2:14: value.\"a/*\".forget_after: expected 1 ms to 8760 h, found '0.5 ms'"),
  ]

  static let triggers = [
    ProblemCase(
      "[[trigger]]\nvalue='agent-*'\nsound='x'", "2:7: trigger[1].value: \(expected), found 'agent-*'"),
    ProblemCase(
      "[[trigger]]\nvalue=['b', 'a/*', 'a/*']\nsound='x'", "2:20: trigger[1].value[3]: 'a/*' is in the list already"),
    ProblemCase("[[trigger]]\nvalue='a'\nsound='x'\nspread=true", "4:8: trigger[1].spread: \(spread)"),
    ProblemCase(
      rule + "name='a[b'",
      "4:6: trigger[1].name: expected a name without '[' and ']', which name the members of a rule, found 'a[b'"),
    ProblemCase(
      "[[trigger]]\nvalue='b'\nsound='x'\nname='b]'",
      "4:6: trigger[1].name: expected a name without '[' and ']', which name the members of a rule, found 'b]'"),
    ProblemCase(
      rule + "cancel='b/*'", "4:8: trigger[1].cancel: expected a value's name (\(nameRule)), found 'b/*'"),
    ProblemCase(
      rule + "unless=['b', 'b/*']", "4:14: trigger[1].unless[2]: expected a value's name (\(nameRule)), found 'b/*'"),
    ProblemCase(
      "[value.v]\nof='a/*'", "2:4: value.v.of: expected a value's name (\(nameRule)), found 'a/*'"),
    ProblemCase(
      rule + "cancel='a/1'",
      "4:8: trigger[1].cancel: a/1 is the value that is watched: each change would call off what it begins"),
    ProblemCase(
      rule + "unless='a/1'",
      "4:8: trigger[1].unless: a/1 is a value that is watched: it would silence what it begins"),
  ]

  static let types = [
    ProblemCase(
      rule + "above=5",
      "4:7: trigger[1].above: is a condition on numbers; the value is of type \"text\" (type = \"number\"?)"),
    ProblemCase(
      "[value.'a/*']\ntype='bool'\n" + rule + "above=5",
      "6:7: trigger[1].above: is a condition on numbers; the value is of type \"bool\" (type = \"number\"?)"),
    ProblemCase(
      "[value.n]\ntype='number'\n[[trigger]]\nvalue=['n', 'a/*']\nsound='x'\nabove=5",
      "6:7: trigger[1].above: is a condition on numbers; a/* is of type \"text\" (type = \"number\"?)"),
    ProblemCase(
      "[value.'a/*']\ntype='number'\n" + rule + "to='high'", "6:4: trigger[1].to: expected a number, found 'high'"),
  ]

  static let mistakes = declarations + forgetting + triggers + types

  @Test(arguments: mistakes) func `a mistake is shown in full`(mistake: ProblemCase) {
    #expect(draft(mistake.text).errors.map { String($0.description.dropFirst("c:".count)) } == mistake.errors)
  }

  // MARK: Warnings

  private static let unused = "no trigger uses this value, so it plays nothing: add a [[trigger]] with value"
  private static let jitter =
    "a jittering number is never still, so this may never play: to ignore short peaks, write delay"

  @Test(arguments: [
    ProblemCase("[value.'b/*']\n" + rule, "c:1:1: value.\"b/*\": \(unused) = \"b/*\", or remove it"),
    ProblemCase("[value.b]\n" + rule, "c:1:1: value.b: \(unused) = \"b\", or remove it"),
    ProblemCase(
      "[value.'a/*']\ntype='number'\n" + rule + "above=3\ndebounce='2 s'",
      "c:7:10: trigger[1].debounce: \(jitter) = \"2 s\""),
    ProblemCase(
      rule + rule,
      "c:4:1: trigger[2]: plays the same for the same changes of 'a/*' as the trigger at line 1, so you hear both: "
        + "remove one of the two"),
  ])
  func `a setting that can never sound is named`(example: ProblemCase) throws {
    #expect(try read(example.text).warnings(file: "c").map(\.description) == example.errors)
  }

  @Test(arguments: [
    "[value.'a/*']\n" + rule,
    // A rule on more or fewer names, an exact name, a gate.
    "[value.'a/b/*']\n" + rule,
    "[value.'*']\n" + rule,
    "[value.'b/*']\n[[trigger]]\nvalue='b/1'\nsound='x'",
    "[value.'b/*']\n" + rule + "unless='b/1'",
    // A declared value that only a pattern uses.
    "[value.'a/1']\n" + rule,
    "[value.'a/1']\n[value.'a/*']\n" + rule,
    // An undeclared name that a pattern declares is not misspelt.
    "[value.'a/*']\n[value.'a/build']\n[[trigger]]\nvalue=['a/build', 'a/biuld']\nsound='x'",
  ])
  func `what a rule, a name or a gate uses is not warned of`(text: String) throws {
    #expect(try read(text).warnings(file: "c").map(\.description) == [])
  }
}
