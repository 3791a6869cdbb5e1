import SoundTrigger
import SoundWire
import Testing

@testable import soundd

/// Alarms over a restart, when the clock of the process begins anew and that of the wall may have been set.
struct SavedAlarmTests {
  private func read(_ state: SavedState) throws -> SavedState { try SavedState(state.bytes) }

  /// The record as the next run has it, by a wall clock that shows `seconds` more than now.
  private func restored(
    _ record: AlarmRecord, after seconds: Int64
  ) throws -> AlarmRecord {
    var state = SavedState()
    let now = Timestamp.now()
    state.savedAt.milliseconds = now.milliseconds
    state.alarms["a"] = SavedAlarm(record)
    let read = try read(state)
    return try #require(read.alarms["a"]).record(
      at: Self.later, civil: Timestamp(seconds: now.seconds + seconds, nanoseconds: now.nanoseconds),
      savedAt: read.savedAt.milliseconds, of: Self.definition)
  }

  private static let definition = TriggerDefinition(
    name: "a", values: [], sound: .sound("alarm"), delay: .seconds(60), loop: .init(offDelay: .seconds(30)))
  private static let later = Instant(nanoseconds: 1_000_000_000_000)

  /// Whole seconds from `later` to a time, because the clocks are read one after the other.
  private func offset(_ time: Instant?) -> Int? {
    time.map { Int((Double(Self.later.duration(to: $0).nanoseconds) / 1e9).rounded()) }
  }

  private var active: AlarmRecord {
    get throws {
      var record = AlarmRecord()
      record.life = .active
      record.since = EventLoop.clock().advanced(by: .seconds(-30))
      record.values = [try #require(ValueName("reactor"))]
      record.content = .number(95)
      record.isHeard = true
      record.repetitions = 3
      return record
    }
  }

  @Test func `an alarm is the same after a restart, and its times are those of the wall clock`() throws {
    var record = try active
    record.snoozedUntil = EventLoop.clock().advanced(by: .seconds(300))
    let restored = try restored(record, after: 100)
    #expect(restored.life == .active && restored.isHeard && restored.repetitions == 3)
    #expect(restored.values.map(\.description) == ["reactor"] && restored.content == .number(95))
    #expect(offset(restored.since) == -130)
    #expect(offset(restored.snoozedUntil) == 200)
  }

  @Test(arguments: [Value.text(Array("a \"b\"\n".utf8)), .bool(true), .number(-0.5), nil])
  func `the content that began it keeps its type`(content: Value?) throws {
    var record = try active
    record.content = content
    #expect(try restored(record, after: 0).content == content)
  }

  @Test func `a clock that stands before the file ends a snooze, and a wait gets no longer than it was`() throws {
    var record = try active
    record.snoozedUntil = EventLoop.clock().advanced(by: .seconds(300))
    #expect(try restored(record, after: -1_000_000_000).snoozedUntil == nil)
    record.life = .pending
    record.pendingUntil = EventLoop.clock().advanced(by: .seconds(20))
    let back = try restored(record, after: -1_000_000_000)
    #expect(offset(back.pendingUntil) == 60)
    #expect(offset(back.since) == 0)
    #expect(offset(try restored(record, after: 15).pendingUntil) == 5)
    #expect(offset(try restored(record, after: 1_000_000_000).pendingUntil) == 0)
  }

  @Test func `each value keeps its own wait, and its content`() throws {
    var record = try active
    record.life = .acknowledged
    let (b, c) = (try #require(ValueName("b")), try #require(ValueName("c")))
    record.waits = [
      .init(value: b, end: EventLoop.clock().advanced(by: .seconds(20)), content: .text(Array("x".utf8))),
      .init(value: c, end: EventLoop.clock().advanced(by: .seconds(50)), content: nil),
    ]
    let back = try restored(record, after: 15)
    #expect(back.values == record.values)
    #expect(back.waits.map(\.value) == [b, c])
    #expect(back.waits.map(\.content) == record.waits.map(\.content))
    #expect(back.waits.map { offset($0.end) } == [5, 35])
    #expect(try restored(record, after: 1000).waits.map { offset($0.end) } == [0, 0])
    #expect(try restored(record, after: -1000).waits.map { offset($0.end) } == [60, 60])
  }

  @Test func `the rest of off_delay is kept, and gets no longer than it was`() throws {
    var record = try active
    record.offUntil = EventLoop.clock().advanced(by: .seconds(20))
    #expect(offset(try restored(record, after: 15).offUntil) == 5)
    #expect(offset(try restored(record, after: -1000).offUntil) == 30)
  }

  @Test func `values that wait in the file of an earlier version wait on`() throws {
    let line = try Record.Line(
      Array(
        #"""
        {"alarm":"a","life":"pending","since":1790000000000,"pending_until":1790000020000,"values":["b","c"],\
        "content":"x","content_type":"text"}
        """#.replacing("\\\n", with: "").utf8))
    let saved = try #require(line.message(AlarmLine.self).flatMap { SavedAlarm($0) })
    func record(_ definition: TriggerDefinition) -> AlarmRecord {
      saved.record(at: Self.later, civil: Timestamp(seconds: 1_790_000_005), savedAt: nil, of: definition)
    }
    let delayed = record(Self.definition)
    #expect(delayed.values.isEmpty && delayed.pendingUntil == nil)
    #expect(delayed.waits.map(\.value.description) == ["b", "c"])
    #expect(delayed.waits.map { offset($0.end) } == [15, 15])
    var throttled = Self.definition
    (throttled.timing.delay, throttled.timing.throttle) = (nil, .seconds(10))
    #expect(record(throttled).values.count == 2 && record(throttled).waits.isEmpty)
    #expect(offset(record(throttled).pendingUntil) == 10)
  }

  @Test func `what began before the machine was off keeps its beginning`() throws {
    #expect(offset(try restored(try active, after: 86_400).since) == -86_430)
  }

  @Test(arguments: [
    #"{"alarm":"a","life":"ringing"}"#, #"{"alarm":"a"}"#,
  ])
  func `a line that makes no sense is refused`(line: String) throws {
    let line = try Record.Line(Array(line.utf8))
    #expect(line.message(AlarmLine.self).flatMap { SavedAlarm($0) } == nil)
  }

  @Test(arguments: [
    #"{"alarm":"a","life":"active","id":1.5}"#, #"{"alarm":"a","life":"active","values":"b"}"#,
    #"{"alarm":"a","life":"active","heard":"yes"}"#, #"{"alarm":"a","life":"active","since":"yesterday"}"#,
    #"{"alarm":1,"life":"active"}"#,
  ])
  func `a member of another kind is damage`(line: String) throws {
    #expect(try Record.Line(Array(line.utf8)).message(AlarmLine.self) == nil)
  }

  @Test func `the number of the occurrence is kept`() throws {
    var record = try active
    record.id = AlarmID(1_795_847_157_566_375)
    #expect(try restored(record, after: 0).id == record.id)
    #expect(String(decoding: SavedAlarm(record).line.json, as: UTF8.self).contains(#""id":1795847157566375,"#))
    record.id = nil
    #expect(try restored(record, after: 0).id == nil)
    #expect(!String(decoding: SavedAlarm(record).line.json, as: UTF8.self).contains(#""id""#))
  }
}
