import SoundTrigger
import SoundWire
import Testing

@testable import soundd

/// The errors of values that cannot work: their parts, derived values and expectations.
struct ValueErrorTests {
  /// Keys of `[value.v]`, which is in line 1, and what is wrong with them, without the file's name.
  typealias Case = ProblemCase

  static let head = "[value.v]\n"

  private func errors(_ text: String) -> [String] {
    ConfigurationDraft(Array((Self.head + text).utf8), file: "c", environment: .test).errors.map {
      String($0.description.dropFirst("c:".count))
    }
  }

  private static let durations = #""250 ms", "2 s", "5 min" or "1 h""#

  static let extraction = [
    Case("json=1", "2:6: value.v.json: expected a string, found an integer"),
    Case(
      "json='a/b'", "2:7: value.v.json: expected '/' at the beginning of a JSON pointer, such as \"/a/b\", found 'a/b'"),
    Case(
      "json='/a/~2'",
      "2:10: value.v.json: expected '0' (for ~) or '1' (for /) after '~', such as \"/a/b\", found '/a/~2'"),
    Case("match=''", "2:7: value.v.match: expected a regular expression, found an empty string"),
    Case(
      "match=\"\\bfailed\"",
      "2:7: value.v.match: has a backspace, because \"\\b\" is one in double quotes: write the expression in single quotes"
    ),
    Case("match='a(b'", "2:11: value.v.match: missing closing parenthesis (at character 4 of 'a(b')"),
  ]

  static let sources = [
    Case("lines='d/'", "2:7: value.v.lines: expected the path of a file, found that of a folder, 'd/'"),
    Case("file='f'\nlines='f'", "3:7: value.v.lines: 'lines' and 'file' exclude each other"),
    Case(
      "exists='f'\ncount='f'\nfifo='f'", "2:8: value.v.exists: 'exists' and 'count' exclude each other",
      "4:6: value.v.fifo: 'fifo' and 'count' exclude each other"),
    Case(
      "of='b'\nfifo='/f'\npoll='1 s'", "3:6: value.v.fifo: 'fifo' and 'of' exclude each other",
      "4:6: value.v.poll: 'poll' and 'of' exclude each other"),
    Case("fifo='f'\npoll='1 s'", "3:6: value.v.poll: 'poll' and 'fifo' exclude each other"),
    Case("count='d'\nabove=3", "3:7: value.v.above: needs an 'of' beside it, the value that it is about"),
    Case("count='d'\ntrim=false", "3:6: value.v.trim: has no effect on what 'count' tells"),
    Case("exists='d'\ntype='number'", "3:6: value.v.type: what 'exists' tells is true or false, and no number"),
    Case(
      "count='d'\ntype='bool'",
      "3:6: value.v.type: what 'count' tells is a number; whether there are any tells another value, with 'of' and "
        + "'above = 0'"),
    Case(
      "fifo='p'\n[value.w]\nfifo='./p'",
      "4:6: value.w.fifo: 'v' reads this named pipe, and a line of it goes to one reader alone (of = \"v\"?)"),
  ]

  static let derivation = [
    Case(
      "of='a b'",
      "2:4: value.v.of: expected a value's name (1 to 128 of A-Z a-z 0-9 _ . / : - and escapes such as %20, the first a letter, digit or _), "
        + "found 'a b'"),
    Case("equals='x'", "2:8: value.v.equals: needs an 'of' beside it, the value that it is about"),
    Case(
      "above=1\nbelow=2", "2:7: value.v.above: needs an 'of' beside it, the value that it is about",
      "3:7: value.v.below: needs an 'of' beside it, the value that it is about"),
    Case("off='b'\nequals='x'", "2:1: value.v.off: unknown key (did you mean 'of'?)"),
    Case("of='b'\nequals='x'\nabove=1", "4:7: value.v.above: 'equals' and 'above' exclude each other"),
    Case("of='b'\nbelow=1\nequals='x'", "3:7: value.v.below: 'equals' and 'below' exclude each other"),
    Case("of='n'\nequals='x'\n[value.n]\ntype='number'", "3:8: value.v.equals: expected a number, found 'x'"),
    Case(
      "of='n'\njson='/a'\nequals=1\n[value.n]\ntype='number'",
      "4:8: value.v.equals: expected a string, found an integer"),
    Case("of='n'\nabove='x'\n[value.n]\ntype='number'", "3:7: value.v.above: expected a number, found a string"),
    Case(
      "of='n'\nabove=20\nbelow=20\n[value.n]\ntype='number'",
      "4:7: value.v.below: no number lies above 20 and below 20"),
    Case("of='b'\nabove=1", "3:7: value.v.above: compares numbers, and 'b' is of type \"text\""),
    Case(
      "of='b'\nbelow=1\n[value.b]\ntype='bool'", "3:7: value.v.below: compares numbers, and 'b' is of type \"bool\""),
    // A comparison of a comparison.
    Case(
      "of='b'\nabove=1\n[value.b]\nof='n'\nabove=2\n[value.n]\ntype='number'",
      "3:7: value.v.above: compares numbers, and 'b' is of type \"bool\""),
    Case("of='b'\ntype='text'\nequals='x'", "3:6: value.v.type: what 'equals' tells is of type \"bool\""),
    Case("of='b'\ntrim=false\nequals='x'", "3:6: value.v.trim: has no effect on what 'equals' tells"),
    // A wrong type gets one error and no other.
    Case(
      "of='b'\nabove=1\n[value.b]\ntype='numbr'",
      "5:6: value.b.type: expected one of \"text\", \"number\", \"bool\", \"json\", \"event\", found 'numbr' "
        + "(did you mean 'number'?)"),
  ]

  static let cycles = [
    Case("of='a'\n[value.a]\nof='v'", "2:4: value.v.of: a value cannot follow from itself: v → a → v"),
    // The way into a cycle is none of it.
    Case(
      "of='a'\n[value.a]\nof='b'\n[value.b]\nof='c'\nequals='x'\n[value.c]\nof='a'\n[value.d]\nof='d'",
      "4:4: value.a.of: a value cannot follow from itself: a → b → c → a",
      "11:4: value.d.of: a value cannot follow from itself: d → d"),
  ]

  static let expectation = [
    Case("expect_every='0.5 ms'", "2:14: value.v.expect_every: expected 1 ms to 8760 h, found '0.5 ms'"),
    Case(
      "expect_every=60",
      "2:14: value.v.expect_every: expected a duration such as \(durations), found an integer (did you mean '60 s'?)"),
  ]

  static let triggers = [
    Case(
      "of='n'\nabove=1\n[value.n]\ntype='number'\n[[trigger]]\nvalue='v'\nabove=1\nsound='x'",
      "8:7: trigger[1].above: is a condition on numbers; the value is of type \"bool\" (type = \"number\"?)"),
    Case(
      "of='n'\nequals='1'\n[[trigger]]\nvalue='v'\nto='maybe'\nsound='x'",
      "6:4: trigger[1].to: expected true, yes, on, 1, false, no, off or 0, found 'maybe'"),
  ]

  static let all = extraction + sources + derivation + cycles + expectation + triggers

  @Test(arguments: all) func `a problem is shown in full`(example: Case) {
    #expect(errors(example.text) == example.errors)
  }

  private func read(_ text: String) throws -> [ValueDeclaration] {
    try ConfigurationText(file: "c", bytes: Array(text.utf8)).configuration(.test).values
  }

  @Test func `every key is read`() throws {
    let values = try read(
      """
      [value.a]
      type = "number"
      json = "/a/0"
      match = '(\\d+) C'
      expect_every = "60 s"
      [value.b]
      of = "a"
      above = 10
      below = 20
      [value.c]
      of = "b"
      equals = true
      type = "bool"
      [value.d]
      of = "a"
      json = ""
      equals = "5"
      [value.e]
      of = "nobody"
      trim = false
      """)
    let (a, b) = (try #require(ValueName("a")), try #require(ValueName("b")))
    let (c, d, e) = (try #require(ValueName("c")), try #require(ValueName("d")), try #require(ValueName("e")))
    let nobody = try #require(ValueName("nobody"))
    #expect(
      values == [
        ValueDeclaration(
          name: a, kind: .number, trim: true, source: .client,
          extraction: Extraction(pointer: try JSONPointer("/a/0"), pattern: try Pattern("(\\d+) C")),
          expectEvery: .seconds(60)),
        ValueDeclaration(
          name: b, kind: .bool, trim: true, source: .derived(from: a), comparison: .lies(above: 10, below: 20)),
        ValueDeclaration(name: c, kind: .bool, trim: true, source: .derived(from: b), comparison: .equals(.bool(true))),
        ValueDeclaration(
          name: d, kind: .bool, trim: true, source: .derived(from: a),
          extraction: Extraction(pointer: try JSONPointer(""), pattern: nil),
          comparison: .equals(.text(Array("5".utf8)))),
        ValueDeclaration(name: e, kind: .text, trim: false, source: .derived(from: nobody)),
      ])
    #expect(values.map(\.base) == [nil, a, b, a, nobody])
  }

  @Test(arguments: ["1 ms", "60 s", "8760 h"]) func `an interval may be a millisecond or a year`(text: String) throws {
    #expect(try read("[value.v]\nexpect_every='\(text)'").first?.expectEvery == DurationText.duration(text))
  }

  @Test func `a trigger may wait for the silence of a value that is expected`() throws {
    let trigger = "[[trigger]]\nvalue='v'\nwhen='stale'\nsound='x'"
    #expect(throws: Never.self) { try read("[value.v]\nexpect_every='1 s'\n" + trigger) }
    #expect(!errors(trigger).isEmpty)
  }
}
