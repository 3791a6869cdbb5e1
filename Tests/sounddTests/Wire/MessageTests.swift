import SoundTrigger
import SoundWire
import Testing

/// A message with each kind of member.
private struct Sample: Message, Equatable {
  enum Colour: String, Sendable { case red, green }

  var name = ""
  var count = 3
  var factor = 1.0
  var isOn = false
  var length = Duration.zero
  var time = Timestamp(seconds: 0)
  var colour = Word(Colour.red)
  var note: String? = "none"
  var content: RawJSON?
  var words: [String] = []
  var part = Part()
  var parts: [String: Part] = [:]
  var extra: Int?

  mutating func members(_ m: inout some Members) {
    m.required("name", &name)
    m("count", &count)
    m("factor", &factor)
    m("on", &isOn)
    m("length", &length)
    m("time", &time)
    m("colour", &colour)
    m("note", &note)
    m("content", &content)
    m("words", &words)
    m("part", &part)
    m("parts", &parts)
    m.ifPresent("extra", &extra)
  }
}

/// A message in another.
private struct Part: Message, Equatable {
  var name = ""
  var size = 0

  init(name: String, size: Int) { (self.name, self.size) = (name, size) }
  init() {}

  mutating func members(_ m: inout some Members) {
    m.required("name", &name)
    m("size", &size)
  }
}

/// What holds for all messages: one list of members writes and reads them.
struct MessageTests {
  private func sample(_ json: String) throws(MessageError) -> Sample { try Sample(Array(json.utf8)) }

  /// A sample that differs from an empty one in each member.
  private static var full: Sample {
    var sample = Sample()
    (sample.name, sample.count, sample.factor, sample.isOn) = ("a \"b\"\n", -7, 0.25, true)
    (sample.length, sample.time) = (.microseconds(1500), Timestamp(seconds: 1_769_847_300, nanoseconds: 250_000_000))
    (sample.colour, sample.note, sample.words) = (Word(.green), "é", ["x", ""])
    sample.content = RawJSON { $0.array([1, 2]) { $1.number($0) } }
    (sample.part, sample.parts, sample.extra) = (Part(name: "p", size: 1), ["z": Part(name: "q", size: 2)], 5)
    return sample
  }

  @Test func `each kind of member is written in the order of the list, and read back as it was`() throws {
    let json = String(decoding: Self.full.json, as: UTF8.self)
    #expect(
      json == #"{"name":"a \"b\"\n","count":-7,"factor":0.25,"on":true,"length":1500,"#
        + #""time":"2026-01-31T08:15:00.250000Z","colour":"green","note":"é","content":[1,2],"words":["x",""],"#
        + #""part":{"name":"p","size":1},"parts":{"z":{"name":"q","size":2}},"extra":5}"#)
    #expect(try sample(json) == Self.full)
  }

  // MARK: What is missing

  @Test func `an absent member is written as null, unless it is left out`() throws {
    var sample = Self.full
    (sample.note, sample.content, sample.extra) = (nil, nil, nil)
    let json = String(decoding: sample.json, as: UTF8.self)
    #expect(json.contains(#""note":null,"content":null,"#) && !json.contains("extra"))
    #expect(try self.sample(json) == sample)
  }

  @Test func `what a document lacks stays as it is, and null makes it absent`() throws {
    let bare = try sample(#"{"name":"a"}"#)
    #expect(bare.count == 3 && bare.note == "none" && bare.words.isEmpty && bare.extra == nil)
    let empty = try sample(#"{"name":"a","note":null,"content":null,"extra":null}"#)
    #expect(empty.note == nil && empty.content == nil && empty.extra == nil)
    // A member that is never absent cannot be null.
    #expect(throws: MessageError.malformed("count")) { try sample(#"{"name":"a","count":null}"#) }
  }

  @Test(arguments: [
    ("{}", "name"), (#"{"count":1}"#, "name"), (#"{"name":"a","part":{}}"#, "part.name"),
    (#"{"name":"a","part":{"size":1}}"#, "part.name"), (#"{"part":{},"colour":7}"#, "name"),
    (#"{"name":"a","parts":{"z":{}}}"#, "parts.name"),
  ])
  func `a required member that is missing has its name in the error`(json: String, name: String) {
    #expect(throws: MessageError.missing(name)) { try sample(json) }
  }

  @Test func `a status of an older daemon lacks a member of its device`() {
    let status = #"{"alarms":[],"warnings":[],"device":{"state":"idle"},"profile":"full","volume":1,"muted":false}"#
    #expect(throws: MessageError.missing("device.name")) { try StatusMessage(Array(status.utf8)) }
  }

  // MARK: What is there besides

  @Test func `members that the message does not have are skipped`() throws {
    let read = try sample(
      #" {"new":{"name":"x","deep":[{"count":9},null]},"name":"a","newer":[1],"count":4,"part":{"x":1,"name":"p"},"z":"}"} "#
    )
    #expect(read.name == "a" && read.count == 4 && read.part == Part(name: "p", size: 0))
  }

  @Test func `the order of members does not matter`() throws {
    let members = [#""name":"a""#, #""count":4"#, #""part":{"size":2,"name":"p"}"#, #""on":true"#]
    for rotation in members.indices {
      for order in [members, members.reversed()] {
        let rotated = order[rotation...] + order[..<rotation]
        let read = try sample("{\(rotated.joined(separator: ","))}")
        #expect(read.name == "a" && read.count == 4 && read.part == Part(name: "p", size: 2) && read.isOn)
      }
    }
  }

  // MARK: What is of another kind

  @Test(
    arguments: [
      ("name", ["7", "null", "true", "{}", "[]"]), ("count", [#""7""#, "1.5", "1e2", "true", "9223372036854775808"]),
      ("factor", [#""7""#, #""much""#, "true", "[1]"]), ("on", ["1", #""true""#]), ("length", ["1.5", #""1 s""#]),
      ("time", ["0", #""now""#, #""2026-01-31""#, #""𝟚026-01-31T08:15:00.25Z""#]),
      ("colour", ["1", "null"]), ("note", ["1"]), ("words", [#""x""#, "{}", "[1]", "[null]"]),
      ("part", ["1", "[]", #"{"name":1}"#, #""{\"name\":\"p\"}""#]), ("parts", ["[]", #"{"z":1}"#, #""{}""#]),
      ("extra", [#""1""#]),
    ] as [(String, [String])])
  func `a member of another kind is named`(name: String, contents: [String]) {
    for content in contents {
      #expect(throws: MessageError.malformed(name), "\(content)") {
        try sample(name == "name" ? #"{"name":\#(content)}"# : #"{"name":"a","\#(name)":\#(content)}"#)
      }
    }
  }

  @Test func `the first thing that is wrong is said`() {
    #expect(throws: MessageError.malformed("count")) { try sample(#"{"factor":"x","count":"x","name":"a"}"#) }
    #expect(throws: MessageError.missing("name")) { try sample(#"{"count":"x"}"#) }
  }

  @Test(arguments: [
    "", "1", "null", #""{}""#, "[1]", "[{}]", "{", #"{"name":}"#, #"{"name":"a"} x"#, #"{"name":"a",}"#,
  ])
  func `a document that is no object is no message`(text: String) throws {
    let error = #expect(throws: MessageError.self) { try sample(text) }
    guard case .json = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `an error has a sentence`() {
    #expect(MessageError.missing("device.name").description == "'device.name' is missing")
    #expect(MessageError.malformed("count").description == "'count' has a content of another kind than expected")
    let error = #expect(throws: MessageError.self) { try sample("[") }
    #expect(error?.description == "not the JSON that was expected: byte 0: expected '{', found '['")
  }

  // MARK: Arrays of messages

  @Test func `an array gives its messages`() throws {
    let parts = try [Part].read(Array(#" [{"name":"]},{"}, {"name":"2","size":2} ] "#.utf8))
    #expect(parts == [Part(name: "]},{", size: 0), Part(name: "2", size: 2)])
    #expect(try [Part].read(Array("[]".utf8)).isEmpty)
  }

  @Test(arguments: [
    "", "{}", "[", "[1]", "[null]", "[{}]", #"[{"name":"a"}"#, #"[{"name":"a"},]"#, #"[{"name":"a"}] x"#,
  ])
  func `what is no array of messages is refused`(text: String) {
    #expect(throws: MessageError.self) { try [Part].read(Array(text.utf8)) }
  }
}
