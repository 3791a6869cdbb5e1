import Testing

@testable import SoundTrigger

@Suite struct ValueReportTests {
  private typealias News = ValueReport.News

  /// What the value `a` has.
  private func state(_ text: String?) -> News { News(name: "a", text: text, isChange: false) }
  private func change(_ text: String?) -> News { News(name: "a", text: text, isChange: true) }

  private func news(_ lines: String...) -> [News] {
    var report = ValueReport(["a"])
    return lines.flatMap { report.receive(Array($0.utf8)) }
  }

  @Test func `the state is complete when the daemon says so`() {
    #expect(news(#"{"event":"value","name":"a","value":"x"}"#) == [])
    #expect(
      news(#"{"event":"value","name":"a","value":"x\n\"y\""}"#, #"{"event":"ready"}"#)
        == [state("x\n\"y\"")])
  }

  @Test func `a value that a reload reads in another way is state again`() {
    #expect(
      news(
        #"{"event":"ready"}"#, #"{"event":"value","name":"a","value":7}"#, #"{"event":"value","name":"a","value":null}"#
      )
        == [nil, "7", nil].map(state))
  }

  @Test func `a value that is missing, or has no content, has none`() {
    #expect(news(#"{"event":"ready"}"#) == [state(nil)])
    #expect(
      news(#"{"event":"value","name":"a","value":null}"#, #"{"event":"ready"}"#) == [state(nil)])
  }

  @Test(arguments: [("1.50", "1.50"), ("true", "true"), (#"{"a":[1]}"#, #"{"a":[1]}"#), (#""""#, "")])
  func `each change has the new content, as it is written`(new: String, text: String) {
    #expect(
      news(#"{"event":"change","at":"2026-01-31T08:15:00Z","name":"a","old":null,"new":\#(new)}"#) == [change(text)])
  }

  @Test func `of several values each gets its state, and what none follows is left out of it`() {
    var report = ValueReport(["a", "b"])
    func news(_ line: String) -> [News] { report.receive(Array(line.utf8)) }
    #expect(news(#"{"event":"value","name":"a","value":"x"}"#) == [])
    #expect(news(#"{"event":"value","name":"c","value":"y"}"#) == [])
    #expect(
      news(#"{"event":"ready"}"#)
        == [state("x"), News(name: "b", text: nil, isChange: false)])
    #expect(news(#"{"event":"change","name":"b","new":1}"#) == [News(name: "b", text: "1", isChange: true)])
  }

  @Test func `a change before the end of the state is part of it`() {
    #expect(
      news(
        #"{"event":"value","name":"a","value":"x"}"#, #"{"event":"change","name":"a","new":"y"}"#, #"{"event":"ready"}"#
      )
        == [change("y"), state("y")])
  }

  @Test func `sounds, triggers and what is no event say nothing`() {
    #expect(
      news(
        #"{"event":"play","trigger":"t","new":"x"}"#, #"{"event":"stop","trigger":"t"}"#,
        #"{"event":"trigger","name":"t","value":"a"}"#, #"{"event":"later","new":"x"}"#, "", "ok", "error: line 1", "[]"
      )
        == [])
  }
}
