import Glibc
import SoundTrigger
import Testing

@testable import soundd

@Suite struct TableTests {
  @Test func `columns are as wide as their widest cell`() {
    #expect(
      Table.lines([["A", "BB", "C"], ["aaa", "b"], ["", "é", "c"]]) == ["A    BB  C", "aaa  b", "     é   c"])
    #expect(Table.lines([]) == [])
  }

  @Test func `nothing in a cell acts on a terminal`() {
    #expect(Table.lines([["\u{1B}[2J\u{202E}\n"]]) == [#"\u{1b}[2J\u{202e}\n"#])
  }
}

/// Tables on terminals of a certain width.
@Suite struct TableWidthTests {
  private let table = Table(
    rows: [["NAME", "VALUE", "NOTE"], ["one", "1", "first"], ["a long name", "22", "-"]], dropping: [1, 2])

  @Test(
    arguments: [
      (nil, ["NAME         VALUE  NOTE", "one          1      first", "a long name  22     -"]),
      (25, ["NAME         VALUE  NOTE", "one          1      first", "a long name  22     -"]),
      (24, ["NAME         NOTE", "one          first", "a long name  -"]),
      (18, ["NAME         NOTE", "one          first", "a long name  -"]),
      (17, ["NAME", "one", "a long name"]), (8, ["NAME", "one", "a long …"]),
    ] as [(Int?, [String])])
  func `the least important columns are left out, and then cells are truncated`(width: Int?, lines: [String]) {
    #expect(table.lines(width: width).flatMap(\.self) == lines)
  }

  @Test func `a last column of sentences continues below itself`() {
    let table = Table(
      rows: [["WHEN", "WHY"], ["now", "because the device is gone and nobody knows where to"]], wrapsLast: true)
    #expect(
      table.lines(width: 30) == [
        ["WHEN  WHY"], ["now   because the device is", "      gone and nobody knows", "      where to"],
      ])
  }

  @Test func `what is wide on a terminal counts as two`() {
    #expect(TextWidth.of("日本") == 4)
    #expect(TextWidth.of("e\u{301}→é") == 3)
    #expect(TextWidth.of("🔔") == 2)
    #expect(Table.lines([["日本", "x"], ["abc", "y"]]) == ["日本  x", "abc   y"])
    #expect(TextWidth.truncate("日本語", to: 5) == "日本…")
    #expect(TextWidth.wrap("abcdefgh ij", to: 5) == ["abcde", "fgh", "ij"])
    #expect(TextWidth.wrap("", to: 5) == [""])
    // One character on a terminal that is narrower than it.
    let wide = String(repeating: "\u{1100}", count: 5)
    #expect(TextWidth.wrap(wide + " a", to: 4) == [wide, "a"])
  }
}

@Suite struct PlayCommandTests {
  @Test(arguments: [
    (#"{"muted":false,"volume":0.5}"#, nil),
    (#"{"muted":true,"volume":0.5}"#, "it plays unheard: soundd is muted ('soundd unmute')"),
    (
      #"{"muted":true,"volume":0.5,"muted_until":"1970-01-01T12:00:00.000000Z"}"#,
      "it plays unheard: soundd is muted until \(Timestamp(seconds: 43_200).localDescription.dropFirst(11).prefix(8)) "
        + "('soundd unmute')"
    ),
    (#"{"muted":false,"volume":0}"#, "it plays unheard: the volume is 0 ('soundd volume \"-6 dB\"')"),
  ])
  func `a sound that is not heard has its reason`(status: String, note: String?) throws {
    #expect(PlayCommand.reasonForSilence(try JSONObject(Array(status.utf8)), now: Timestamp(seconds: 43_199)) == note)
  }
}
