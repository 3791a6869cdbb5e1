import Glibc
import SoundTrigger
import SoundWire
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

@Suite struct AlarmTableTests {
  @Test func `a silenced alarm shows its life, and a snoozed one until when`() throws {
    let now = try #require(Timestamp("2026-01-31T08:15:07.000000Z"))
    let end = Timestamp(seconds: now.seconds + 60).localTime(at: now)
    let alarms = #"""
      [{"name":"a","state":"suppressed","life":"acknowledged","why":"x is true (unless)","sentence":""},
      {"name":"b","state":"normal","life":"normal","snoozed_until":"2026-01-31T08:16:07.000000Z","sentence":""},
      {"name":"c","state":"active","life":"active","value":"temperature","content":95,"sentence":""},
      {"name":"d","state":"suppressed","life":"active","since":"2026-01-29T08:15:07.000000Z","why":"x is true (unless)",\#
      "value":"door","content":null,"sentence":""}]
      """#
    let since = try #require(Timestamp("2026-01-29T08:15:07.000000Z")).localTime(at: now)
    let lines = AlarmTable.text(
      try .read(Array(alarms.utf8)), inColour: false, width: nil, now: now
    ).split(separator: "\n").map {
      $0.split(separator: "  ").map { $0.trimmingPrefix(" ") }
    }
    #expect(lines[1] == ["a", "suppressed (acknowledged)", "-", "-", "-", "x is true (unless)"])
    #expect(lines[2] == ["b", "snoozed (normal)", "-", end[...], "-", "snoozed"])
    #expect(lines[3] == ["c", "active", "-", "-", "temperature = 95", "-"])
    #expect(
      lines[4] == ["d", "suppressed (active)", since[...], "-", "door", "x is true (unless); it began 2 days ago"])
  }

  @Test func `the status has ten alarms and says how many more there are`() throws {
    let alarms = (0..<12).map { #"{"name":"a\#($0)","state":"active","life":"active","sentence":"active"}"# }
    var status = StatusMessage()
    status.alarms = try .read(Array("[\(alarms.joined(separator: ","))]".utf8))
    let lines = StatusTable.text(try StatusMessage(status.json)).split(separator: "\n")
    #expect(lines[9] == "alarm     a9: active")
    #expect(lines[10] == "          and 2 more: soundd alarms")
    #expect(lines[11].hasPrefix("device"))
  }

  @Test(arguments: [
    (LevelMembers(), nil),
    (LevelMembers(isMuted: true), "it is muted ('soundd unmute --trigger a')"),
    (LevelMembers(volume: 0), "its volume is 0 ('soundd volume --trigger a 0dB')"),
  ])
  func `the test of an alarm that is silent itself says so`(trigger: LevelMembers, note: String?) {
    let found = AlarmsCommand.reasonForSilence("a", trigger)
    #expect(found == note.map { "the test is heard, but the alarm would sound unheard: \($0)" })
  }
}

@Suite struct PlayCommandTests {
  @Test(arguments: [
    (LevelMembers(volume: 0.5), nil),
    (LevelMembers(volume: 0.5, isMuted: true), "it plays unheard: soundd is muted ('soundd unmute')"),
    (
      LevelMembers(volume: 0.5, isMuted: true, mutedUntil: Timestamp(seconds: 43_200)),
      "it plays unheard: soundd is muted until \(Timestamp(seconds: 43_200).localDescription.dropFirst(11).prefix(8)) "
        + "('soundd unmute')"
    ),
    (LevelMembers(volume: 0), "it plays unheard: the volume is 0 ('soundd volume \"-6 dB\"')"),
  ])
  func `a sound that is not heard has its reason`(level: LevelMembers, note: String?) {
    #expect(PlayCommand.reasonForSilence(level, now: Timestamp(seconds: 43_199)) == note)
  }
}
