import SoundTrigger
import SoundWire
import Testing

/// What members of messages may be, each written and read by itself.
struct WireValueTests {
  private func json(_ value: some WireValue) -> String {
    var writer = JSONWriter()
    value.write(to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func read<Content: WireValue>(_ json: String, as type: Content.Type = Content.self) throws -> Content {
    try Content.read(JSONDocument(Array(json.utf8)))
  }

  // MARK: Numbers and times

  @Test(arguments: [
    (0.0, "0"), (-0.0, "-0.0"), (1, "1"), (-1.5, "-1.5"), (1e300, "1e+300"), (.infinity, #""inf""#),
    (-.infinity, #""-inf""#),
  ])
  func `a number reads back as the same, and one that is not finite is a string`(number: Double, json: String) throws {
    #expect(self.json(number) == json)
    #expect(try read(json, as: Double.self).bitPattern == number.bitPattern)
  }

  @Test func `no number is one, too`() throws {
    #expect(json(Double.nan) == #""nan""#)
    #expect(try read(#""nan""#, as: Double.self).isNaN)
  }

  @Test(arguments: [
    (Duration.zero, "0"), (.seconds(1), "1000000"), (.nanoseconds(499), "0"), (.nanoseconds(500), "1"),
    (.nanoseconds(-499), "0"), (.nanoseconds(-500), "-1"), (.nanoseconds(1_499), "1"), (.nanoseconds(-1_500), "-2"),
  ])
  func `a duration is in whole microseconds, rounded to the nearest`(duration: Duration, json: String) throws {
    #expect(self.json(duration) == json)
    #expect(try read(json, as: Duration.self) == .microseconds(Int(json) ?? 0))
  }

  @Test func `a time is read to the microsecond, as it is written`() throws {
    let time = Timestamp(seconds: 1_769_847_300, nanoseconds: 250_000_999)
    #expect(json(time) == #""2026-01-31T08:15:00.250000Z""#)
    #expect(try read(json(time), as: Timestamp.self) == Timestamp(seconds: 1_769_847_300, nanoseconds: 250_000_000))
  }

  // MARK: Words and texts

  @Test func `an unknown word of a list is kept, and written as it was`() throws {
    let known = try read(#""active""#, as: Word<AlarmState>.self)
    #expect(known.kind == .active && known == .active && known != .latched && known == Word(.active))
    let unknown = try read(#""shelved""#, as: Word<AlarmState>.self)
    #expect(unknown.kind == nil && unknown.text == "shelved" && unknown != .active)
    #expect(json(unknown) == #""shelved""#)
  }

  @Test func `what other programs write as they please is read as text`() throws {
    let contents = [#""7""#: "7", "7": "7", "true": "true", #""a\nb""#: "a\nb", "[1, 2]": "[1, 2]"]
    for (json, text) in contents { #expect(try read(json, as: AnyText.self).text == text) }
  }

  @Test func `of a repeated name of a user's the last one counts`() throws {
    #expect(try read(#"{"b":1,"a":2,"b":3,"\u0063":4}"#, as: [String: Int].self) == ["a": 2, "b": 3, "c": 4])
    #expect(json(["b": 1, "a": 2]) == #"{"a":2,"b":1}"#)
  }

  // MARK: Documents in documents

  @Test(arguments: [
    "1.50", "1e3", "true", "[1, 2 ,{ }]", #"{ "b" : 1,"a":"\u00e9" }"#, #""x\ny\u0041""#, #""""#, "[]", "-0",
  ])
  func `a content stays as it stands`(json: String) throws {
    let raw = try read("  \(json)\n", as: RawJSON.self)
    #expect(String(decoding: raw.bytes, as: UTF8.self) == json)
    #expect(self.json(raw) == json)
    let event = try ChangeMessage(Array(#"{"old":null,"new": \#(json) ,"name":"a"}"#.utf8))
    #expect(event.old == nil && event.new == raw)
    #expect(String(decoding: event.json, as: UTF8.self) == #"{"name":"a","old":null,"new":\#(json)}"#)
  }

  @Test func `the text of a content is a string's characters, or what is written`() throws {
    #expect(try read(#""x\ny\u0041\ud83d\ude00\/""#, as: RawJSON.self).text == "x\nyA\u{1F600}/")
    #expect(try read("1.50", as: RawJSON.self).text == "1.50")
    #expect(try read("[1, 2]", as: RawJSON.self).text == "[1, 2]")
    #expect(RawJSON { $0.string("a\"") }.text == "a\"")
  }

  @Test func `a part of a document is found with its text and its members`() throws {
    let document = try JSONDocument(
      Array(#" {"a":"x\ny","b":1.50,"c":null,"d":[{"e":[1, 2]},"]"],"\u0068":"\u00e9"} "#.utf8))
    let members = try #require(document.members)
    #expect(members.map(\.name) == ["a", "b", "c", "d", "h"])
    #expect(members.map(\.document.text) == ["x\ny", "1.50", "null", #"[{"e":[1, 2]},"]"]"#, "é"])
    #expect(String(decoding: members[0].document.written, as: UTF8.self) == #""x\ny""#)
    let elements = try #require(members[3].document.elements)
    #expect(elements.map(\.text) == [#"{"e":[1, 2]}"#, "]"])
    #expect(elements[0].members?.first?.document.elements?.map(\.text) == ["1", "2"])
    #expect(document.elements == nil && members[0].document.members == nil && members[1].document.elements == nil)
  }

  @Test(arguments: ["", "{", #"{"a":}"#, #"{"a":1} x"#, "nul", "[1,]"])
  func `what is no document is refused`(text: String) {
    #expect(throws: JSONError.self) { try JSONDocument(Array(text.utf8)) }
  }
}
