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

@Suite struct PlayCommandTests {
  @Test(arguments: [
    (#"{"muted":false,"volume":0.5}"#, nil),
    (#"{"muted":true,"volume":0.5}"#, "it plays unheard: soundd is muted ('soundd unmute')"),
    (#"{"muted":false,"volume":0}"#, "it plays unheard: the volume is 0 ('soundd volume \"-6 dB\"')"),
  ])
  func `a sound that is not heard has its reason`(status: String, note: String?) throws {
    #expect(PlayCommand.reasonForSilence(try JSONObject(Array(status.utf8))) == note)
  }
}
