import Testing

@testable import SoundTrigger

@Suite struct ValueReportTests {
  private typealias News = ValueReport.News

  private func news(_ lines: String...) -> [News] {
    var report = ValueReport()
    return lines.compactMap { report.receive(Array($0.utf8)) }
  }

  @Test func `the state is complete when the daemon says so`() {
    #expect(news(#"{"event":"value","name":"a","value":"x"}"#) == [])
    #expect(
      news(#"{"event":"value","name":"a","value":"x\n\"y\""}"#, #"{"event":"ready"}"#)
        == [News(text: "x\n\"y\"", isChange: false)])
  }

  @Test func `a value that a reload reads in another way is state again`() {
    #expect(
      news(#"{"event":"ready"}"#, #"{"event":"value","name":"a","value":7}"#, #"{"event":"value","value":null}"#)
        == [nil, "7", nil].map { News(text: $0, isChange: false) })
  }

  @Test func `a value that is missing, or has no content, has none`() {
    #expect(news(#"{"event":"ready"}"#) == [News(text: nil, isChange: false)])
    #expect(
      news(#"{"event":"value","name":"a","value":null}"#, #"{"event":"ready"}"#) == [News(text: nil, isChange: false)])
  }

  @Test(arguments: [("1.50", "1.50"), ("true", "true"), (#"{"a":[1]}"#, #"{"a":[1]}"#), (#""""#, "")])
  func `each change has the new content, as it is written`(new: String, text: String) {
    #expect(
      news(#"{"event":"change","at":"…","name":"a","old":null,"new":\#(new)}"#) == [News(text: text, isChange: true)])
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
