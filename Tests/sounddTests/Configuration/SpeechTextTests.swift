import SoundTrigger
import Testing

@testable import soundd

struct SpeechTextTests {
  private func text(_ template: String, old: Value? = .number(1), new: Value? = .number(12.5)) throws -> String {
    let name = try #require(ValueName("bat/1"))
    return SpeechText(template: template).text(of: "low[bat/1]", Cause(value: name, old: old, new: new))
  }

  @Test func `placeholders stand for the change`() throws {
    #expect(try text("battery {value} percent, before {old}") == "battery 12.5 percent, before 1")
    #expect(try text("{name} of {trigger}: {value}{value}") == "bat/1 of low[bat/1]: 12.512.5")
    #expect(try text("{old} to {value}", old: nil, new: .bool(true)) == "nothing to true")
  }

  @Test func `a content cannot place anything`() throws {
    #expect(try text("{value}", new: .text(Array("{old} {value}".utf8))) == "{old} {value}")
  }

  @Test func `control characters and markup are not spoken`() throws {
    func clean(_ value: String) throws -> String { try text("say {value} now", new: .text(Array(value.utf8))) }
    #expect(try clean("a\u{1B}[2J\u{0}\n\t b\u{202E}c") == "say a [2J b c now")
    #expect(try clean("<b>bold</b> <speak rate='9'>x</speak>") == "say bold x now")
    #expect(try clean("1 < 2") == "say 1 < 2 now")
    #expect(try clean("<<a>>") == "say <> now")
    #expect(try text("{value}", new: .text([0xFF, 0x61])) == "\u{FFFD}a")
  }

  @Test(
    arguments: [
      ("load < 5 and > 3", "load < 5 and > 3"), ("a<5 b>3", "a<5 b>3"), ("< b>", "< b>"), ("a <", "a <"),
      ("x</b>y<!-- z -->w<?pi?>v", "xywv"), ("<é>u", "u"),
      // What is not closed is no markup.
      ("a <b and c", "a <b and c"), ("</", "</"),
      ("load &lt; 5 &amp; &gt; 3", "load < 5 & > 3"), ("&quot;a&apos;s&quot;", "\"a's\""),
      ("&#60;5&#x3E;&#X26;", "<5>&"),
      ("&#233;&#x1F600;", "é\u{1F600}"), ("&amp;lt;", "&lt;"), ("<b>&lt;</b>", "<"),
      ("AT&T; &nbsp; &; &#; &#x; &#xD800; &#99999999; &lt", "AT&T; &nbsp; &; &#; &#x; &#xD800; &#99999999; &lt"),
      ("a&#0;b&#10;c&#x202E;d", "a b c d"),
      // No way round: an engine must not take it for a command.
      ("&lt;audio src='x'/&gt;", "< audio src='x'/>"), ("a &lt;b", "a <b"),
    ])
  func `only markup is dropped, and entities are what they stand for`(text: String, spoken: String) {
    #expect(SpeechText.clean(text) == spoken)
  }

  @Test func `a text is cut at 200 characters`() throws {
    #expect(try text("{value}", new: .text([UInt8](repeating: 0x61, count: 5000))).count == 200)
    #expect(try text("{value}", new: .text(Array(String(repeating: "👩‍👩‍👧", count: 300).utf8))).count == 200)
  }

  @Test(arguments: [
    ("{valu}", "expected {value}, {old}, {name} or {trigger}, found '{valu}'"),
    ("a } b", "expected {value}, {old}, {name} or {trigger}, found '} b'"),
    ("{", "expected {value}, {old}, {name} or {trigger}, found '{'"),
    ("", "expected a text, found nothing to speak"), (" \n", "expected a text, found nothing to speak"),
  ]) func `a wrong template says what is wrong`(template: String, problem: String) {
    #expect(SpeechText.problem(template) == problem)
  }

  @Test func `a good template has no problem`() {
    for template in ["hello", "{value}", "a{old}b{name}c{trigger}"] { #expect(SpeechText.problem(template) == nil) }
  }
}
