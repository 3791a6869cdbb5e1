import SoundTrigger
import SoundWire
import Testing

/// Lines of `events`.
struct EventTests {
  private static let time = Timestamp(seconds: 1_769_847_300, nanoseconds: 250_000_000)

  private func event(_ line: String) throws -> Event { try Event(Array(line.utf8)) }

  @Test func `an event is written with its kind first, and read back`() throws {
    var play = PlayMessage()
    (play.id, play.trigger, play.sound, play.verdict) = (3, "t", "tick", Word(.played))
    var writer = JSONWriter()
    writer.event(.play, at: Self.time, &play)
    #expect(
      String(decoding: writer.bytes, as: UTF8.self)
        == #"{"event":"play","at":"2026-01-31T08:15:00.250000Z","id":3,"trigger":"t","sound":"tick","value":null,"#
        + #""old":null,"new":null,"verdict":"played"}"#)
    #expect(writer.bytes.starts(with: EventHead.mark(.play)) && writer.bytes.starts(with: EventHead.mark))
    let event = try Event(writer.bytes)
    #expect(event.kind == .play && event.at == Self.time)
    guard case .play(let read) = event.content else {
      Issue.record("\(event)")
      return
    }
    #expect(read.id == 3 && read.trigger == "t" && read.sound == "tick" && read.verdict == .played)
  }

  @Test func `state has no time`() throws {
    var ready = ReadyMessage()
    var writer = JSONWriter()
    writer.event(.ready, at: nil, &ready)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"event":"ready"}"#)
    #expect(try event(#"{"event":"ready"}"#).at == nil)
  }

  @Test func `each kind of a line has its own message`() throws {
    let level = #""volume":1,"muted":false"#
    let lines = [
      #"{"event":"value","name":"a","value":1}"#, #"{"event":"trigger","name":"t","state":"ok",\#(level)}"#,
      #"{"event":"alarm","name":"t","state":"active","life":"active","sentence":"active"}"#, #"{"event":"ready"}"#,
      #"{"event":"change","name":"a","old":1,"new":2}"#, #"{"event":"unset","name":"a"}"#,
      #"{"event":"play","id":1,"sound":"s","verdict":"played"}"#,
      #"{"event":"stop","id":1,"sound":"s","reason":"ended"}"#, #"{"event":"settings","profile":"full",\#(level)}"#,
      #"{"event":"verdict","id":1,"trigger":"t","verdict":"played","reason":"played"}"#,
    ]
    #expect(try lines.map { try event($0).kind.kind } == EventHead.Kind.allCases)
    for line in lines {
      if case .unknown = try event(line).content { Issue.record("\(line)") }
    }
  }

  @Test func `a kind of a newer daemon is known by its word alone`() throws {
    let event = try event(#"{"event":"weather","at":"2026-01-31T08:15:00.250000Z","name":7}"#)
    #expect(event.kind.text == "weather" && event.kind.kind == nil && event.at == Self.time)
    guard case .unknown = event.content else {
      Issue.record("\(event)")
      return
    }
  }

  @Test(arguments: [
    (#"{"name":"a"}"#, MessageError.missing("event")), (#"{"event":"play","id":1,"sound":"s"}"#, .missing("verdict")),
    (#"{"event":"change","name":7}"#, .malformed("name")), (#"{"event":"change","name":"a","at":7}"#, .malformed("at")),
  ])
  func `a line that lacks something is refused`(line: String, error: MessageError) {
    #expect(throws: error) { try event(line) }
  }
}
