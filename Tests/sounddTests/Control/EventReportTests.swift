import Foundation
import SoundTrigger
import Testing

@testable import soundd

@Suite struct EventReportTests {
  private func line(_ event: EventReport) -> String {
    var writer = ReportWriter()
    event.write(to: &writer, at: Array("2026-01-31T08:15:00.250000Z".utf8))
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func text(_ text: String) -> Value { .text(Array(text.utf8)) }

  @Test(arguments: [
    (EventReport.change(name: "a", old: .number(1), new: .number(1.5)), #""name":"a","old":1,"new":1.5}"#),
    (.change(name: "a/b", old: nil, new: .bool(true)), #""name":"a/b","old":null,"new":true}"#),
    (
      .change(name: "j", old: .json(Array("[1]".utf8)), new: .json(Array(#"{"a":null}"#.utf8))),
      #""name":"j","old":[1],"new":{"a":null}}"#
    ),
    (
      .change(name: "t", old: .text([]), new: .text(Array("\"\\\n\u{7F}é".utf8) + [0xFF])),
      #""name":"t","old":"","new":"\"\\\n\u007fé"# + "\u{FFFD}\"}"
    ),
  ])
  func `a change has its name, what was and what is`(event: EventReport, rest: String) {
    #expect(line(event) == #"{"event":"change","at":"2026-01-31T08:15:00.250000Z","# + rest)
  }

  @Test func `a play has its cause and what became of it`() {
    let cause = EventReport.Cause(value: "door", old: text("open"), new: text("closed"))
    #expect(
      line(.play(.init(trigger: "t", sound: "tick", cause: cause, verdict: "muted")))
        == #"{"event":"play","at":"2026-01-31T08:15:00.250000Z","trigger":"t","sound":"tick","value":"door","#
        + #""old":"open","new":"closed","verdict":"muted"}"#)
    #expect(
      line(.play(.init(trigger: nil, sound: "tick", cause: nil, verdict: "played")))
        == #"{"event":"play","at":"2026-01-31T08:15:00.250000Z","trigger":null,"sound":"tick","value":null,"#
        + #""old":null,"new":null,"verdict":"played"}"#)
  }

  @Test func `a cause that was cut is still JSON`() throws {
    let cause = EventReport.Cause(
      value: "j", old: .json(Array(#"{"a": [1, 2"#.utf8)), new: .text(Array("caf".utf8) + [0xC3]))
    let bytes = Array(line(.play(.init(trigger: "t", sound: "s", cause: cause, verdict: "played"))).utf8)
    let members = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    #expect(members["old"] as? String == #"{"a": [1, 2"#)
    #expect(members["new"] as? String == "caf")
  }

  @Test(arguments: [
    (EventReport.Reason.ended, "ended"), (.stopped, "stopped"), (.stolen, "stolen"), (.crowded, "crowded"),
    (.noDevice, "no_device"),
  ])
  func `a stop has its reason in a word`(reason: EventReport.Reason, word: String) {
    #expect(
      line(.stop(.init(trigger: "t", sound: "tick", reason: reason)))
        == #"{"event":"stop","at":"2026-01-31T08:15:00.250000Z","trigger":"t","sound":"tick","reason":""# + word
        + #""}"#)
  }

  @Test func `a writer that is used again begins anew`() {
    var writer = ReportWriter()
    for _ in 0..<2 {
      writer.removeAll()
      writer.object { $0.member("a", 1) }
      #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"a":1}"#)
    }
  }
}
