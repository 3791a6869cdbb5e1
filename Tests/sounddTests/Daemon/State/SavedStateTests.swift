import Foundation
import SoundTrigger
import SoundWire
import Testing

@testable import soundd

struct SavedStateTests {
  private static let digest = SIMD8<UInt32>(
    0xe3b0_c442, 0x98fc_1c14, 0x9afb_f4c8, 0x996f_b924, 0x27ae_41e4, 0x649b_934c, 0xa495_991b, 0x7852_b855)

  /// One with everything in it.
  private func state() throws -> SavedState {
    var state = SavedState(volume: 0.501_187_233_627_272_2)
    state.profile = ProfileChoice(profile: .quiet, chosenAt: 1_790_000_000)
    state.volumes = ["reactor": 0.25, "a b": 0]
    state.unknownSince = ["a b": 1_790_000_001]
    state.plays = ["reactor": 1_790_000_000_123, "50 % hot\u{7F} é\n": -1, "": 0]
    state.contents = [
      try #require(ValueName("a/b:c")): SavedContent(digest: Self.digest, number: -0.1),
      try #require(ValueName("A")): SavedContent(digest: .zero),
    ]
    return state
  }

  /// The lines after the first as a file of them.
  private func file(_ lines: [String], version: Int = 4) throws -> [UInt8] {
    let body = lines.map { $0 + "\n" }.joined()
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data(body.utf8).write(to: folder)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Not our own: coreutils'.
    let process = Process()
    let output = Foundation.Pipe()
    process.executableURL = URL(filePath: "/usr/bin/sha256sum")
    process.arguments = [folder.path]
    process.standardOutput = output
    try process.run()
    let sum = String(decoding: output.fileHandleForReading.readDataToEndOfFile().prefix(64), as: UTF8.self)
    process.waitUntilExit()
    return Array((#"{"soundd_state":\#(version),"sha256":"\#(sum)"}"# + "\n" + body).utf8)
  }

  @Test func `members that do not come back are kept for a week, so the file does not grow in two months`() throws {
    var state = SavedState()
    var sizes: [Int] = []
    for day in 20_000..<20_060 {
      // Each day soundd starts again, and sees forty agents that were never there before.
      let earlier = state
      state = SavedState()
      for agent in 0..<40 {
        let name = try #require(ValueName("agent/\(day)-\(10 + agent)"))
        (state.contents[name], state.days[name]) = (SavedContent(digest: Self.digest), day)
      }
      state.keep(absent: earlier.days, today: day) { earlier.contents[$0] }
      sizes.append(state.bytes.count)
    }
    #expect(state.contents.count == 7 * 40)
    #expect(Set(sizes[7...]).count == 1, "\(sizes)")
  }

  @Test
  func
    `alarms that no trigger claims are kept for a day, volumes and throttles for a week, from when they became unknown`()
  {
    var record = AlarmRecord()
    record.life = .active
    var state = SavedState()
    state.alarms = ["a": SavedAlarm(record), "known": SavedAlarm(record)]
    (state.volumes, state.plays) = (["a": 0.5, "known": 0.5], ["a": 1, "known": 1])
    let start: Int64 = 1_790_000_000
    var rest = state.unknown(at: start) { $0 == "known" }
    #expect((Array(rest.alarms.keys), rest.volumes, rest.plays) == (["a"], ["a": 0.5], ["a": 1]))
    #expect(rest.unknownSince == ["a": start])
    // Each start in between reads what the one before has written.
    rest = rest.unknown(at: start + 86_399) { _ in false }
    #expect((rest.alarms.count, rest.unknownSince) == (1, ["a": start]))
    rest = rest.unknown(at: start + 86_400) { _ in false }
    #expect((rest.alarms.count, rest.volumes.count, rest.plays.count) == (0, 1, 1))
    #expect(rest.unknown(at: start + 7 * 86_400) { _ in false } == SavedState())
    #expect(rest.unknown(at: start - 86_400) { _ in false }.volumes.count == 1, "the clock was set back")
  }

  @Test func `a state is lines of JSON and their checksum`() throws {
    #expect(
      try state().bytes
        == file([
          #"{"volume":0.5011872336272722,"profile":"quiet","profile_chosen_at":1790000000,"saved_at":null}"#,
          #"{"trigger":"a b","volume":0,"unknown_since":1790000001}"#, #"{"trigger":"reactor","volume":0.25}"#,
          #"{"trigger":"","played_at":0}"#, #"{"trigger":"50 % hot\u007f é\n","played_at":-1}"#,
          #"{"trigger":"reactor","played_at":1790000000123}"#,
          #"{"value":"A","sha256":"0000000000000000000000000000000000000000000000000000000000000000"}"#,
          #"{"value":"a/b:c","sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","number":-0.1}"#,
        ]))
    #expect(
      try SavedState().bytes == file([#"{"volume":1,"profile":"full","profile_chosen_at":null,"saved_at":null}"#]))
  }

  @Test func `what was written is read again`() throws {
    for state in [SavedState(), try state()] { #expect(try SavedState(state.bytes) == state) }
  }

  @Test func `a file that is cut off anywhere is refused`() throws {
    let bytes = try state().bytes
    for count in bytes.indices {
      #expect(throws: Record.Problem.self) { try SavedState(Array(bytes[..<count])) }
    }
    #expect(throws: Record.Problem.damaged) { try SavedState(bytes + [10]) }
  }

  @Test func `a file of which any bit is another one is refused`() throws {
    let bytes = try state().bytes
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        if (try? SavedState(damaged)) != nil { Issue.record("byte \(index) as \(damaged[index]) is taken") }
      }
    }
  }

  @Test func `damage of every kind is refused`() throws {
    let bytes = try state().bytes
    var mutations = RandomMutations(seed: 7)
    for _ in 0..<5000 {
      let damaged = mutations.mutate(bytes, edits: 5)
      if damaged != bytes, (try? SavedState(damaged)) != nil { Issue.record("\(damaged) is taken") }
    }
  }

  @Test(arguments: [
    #"{"volume":1.5,"profile":"full"}"#, #"{"volume":"nan","profile":"full"}"#, #"{"volume":1,"profile":"loud"}"#,
    #"{"volume":1}"#, #"{"trigger":"a"}"#, #"{"trigger":"a","played_at":"x"}"#, #"{"value":"a","sha256":"00"}"#,
    #"{"value":"a b","sha256":"0000000000000000000000000000000000000000000000000000000000000000"}"#,
    #"{"muted":true}"#, "{", "", "volume 1",
  ])
  func `lines that make no sense are refused, whatever their checksum`(line: String) throws {
    let bytes = try file([#"{"volume":1,"profile":"full"}"#, line])
    #expect(throws: Record.Problem.damaged) { try SavedState(bytes) }
  }

  @Test func `a later version is told from damage`() throws {
    let later = Array("{\"soundd_state\":12}\nwhatever it says\n".utf8)
    #expect(throws: Record.Problem.newer(version: 12, known: 4)) { try SavedState(later) }
    #expect(
      "\(Record.Problem.newer(version: 12, known: 4))"
        == "is of a newer soundd (version 12, and this one knows 4)")
    #expect(throws: Record.Problem.damaged) { try SavedState(Array("{\"soundd_state\":1}\n".utf8)) }
    #expect(throws: Record.Problem.damaged) { try SavedState([]) }
  }

  // MARK: Earlier versions

  @Test func `a state of version 2 is read`() throws {
    let state = try SavedState(
      Array(
        """
        {"soundd_state":2,"sha256":"dcd353607f5c1f86561a804f26871c0743c41003e0af11c8c00af380e33ee077"}
        {"volume":0.5,"profile":"quiet","profile_chosen_at":1790000000}
        {"trigger":"reactor","volume":0.25}
        {"trigger":"reactor","played_at":1790000000123}
        {"value":"a/b:c","sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}

        """.utf8))
    var expected = SavedState(volume: 0.5)
    expected.profile = ProfileChoice(profile: .quiet, chosenAt: 1_790_000_000)
    (expected.volumes, expected.plays) = (["reactor": 0.25], ["reactor": 1_790_000_000_123])
    expected.contents = [try #require(ValueName("a/b:c")): SavedContent(digest: Self.digest)]
    #expect(state == expected)
  }

  @Test func `a state of version 3 is read, with an alarm`() throws {
    let state = try SavedState(
      Array(
        """
        {"soundd_state":3,"sha256":"5a8c461270e19662a0f4abfa2ddff5b75104663640f10e3086f55b260b425839"}
        {"volume":1,"profile":"silent","profile_chosen_at":1790000000,"profile_until":1790003600,"profile_before":"quiet","saved_at":1790000000500}
        {"alarm":"reactor","life":"active","since":1790000000000,"acknowledged_at":null,"snoozed_until":1790000600000,"pending_until":null,"values":["reactor"],"content":95,"content_type":"number","heard":true,"repetitions":3}
        {"value":"agent/7","sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","day":20000}

        """.utf8))
    #expect(
      state.profile
        == ProfileChoice(profile: .silent, chosenAt: 1_790_000_000, until: 1_790_003_600, before: .quiet))
    #expect(state.savedAt.milliseconds == 1_790_000_000_500)
    #expect(state.days == [try #require(ValueName("agent/7")): 20_000])
    let now = Instant(nanoseconds: 1_000_000_000_000)
    let alarm = try #require(state.alarms["reactor"]).record(
      at: now, civil: Timestamp(seconds: 1_790_000_060), savedAt: nil,
      of: TriggerDefinition(name: "reactor", values: [], sound: .sound("alarm")))
    var expected = AlarmRecord()
    expected.life = .active
    expected.since = now.advanced(by: .seconds(-60))
    expected.snoozedUntil = now.advanced(by: .seconds(540))
    (expected.values, expected.content) = ([try #require(ValueName("reactor"))], .number(95))
    (expected.isHeard, expected.repetitions) = (true, 3)
    #expect(alarm == expected)
  }

  @Test func `a state of version 4 without numbers of alarms is read, and written as it was`() throws {
    let bytes = Array(
      #"""
      {"soundd_state":4,"sha256":"97562a0acd10ef7243ae0053542491137fd35fc9c76b0e1486331646b1199b5e"}
      {"volume":1,"profile":"full","profile_chosen_at":null,"saved_at":1790000000500}
      {"trigger":"gone","volume":0.25,"unknown_since":1790000000}
      {"alarm":"a b","life":"latched","since":1790000000000,"acknowledged_at":null,"snoozed_until":null,"pending_until":null,"values":["a","b"],"content":"x \"y\"","content_type":"text","sound":"error","heard":false,"repetitions":0}
      {"value":"unread","sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","number":3}
      {"value":"heartbeat","reported_at":1790000000123,"stale":true}

      """#.utf8)
    let state = try SavedState(bytes)
    #expect(state.volumes == ["gone": 0.25] && state.unknownSince == ["gone": 1_790_000_000])
    #expect(state.alarms.mapValues(\.life) == ["a b": .latched])
    #expect(state.contents[try #require(ValueName("unread"))]?.number == 3)
    #expect(state.reports.values[try #require(ValueName("heartbeat"))]?.milliseconds == 1_790_000_000_123)
    #expect(String(decoding: state.bytes, as: UTF8.self) == String(decoding: bytes, as: UTF8.self))
  }

  @Test(arguments: [0, 1, 5]) func `a state that claims a version which was never read is refused`(version: Int) throws
  {
    let file = try file([#"{"volume":1,"profile":"full"}"#], version: version)
    #expect(throws: version > 4 ? Record.Problem.newer(version: version, known: 4) : .damaged) { try SavedState(file) }
  }

  private static let now = Timestamp(seconds: 500)
  /// Clocks in milliseconds: what it showed when something happened, and how long ago that was.
  private static let ages: [(Int64, Int64)] = [
    (499_000, 1000), (500_000, 0), (0, 500_000),
    // The clock was set back by a minute, by ages: it was just now.
    (560_000, 0), (.max, 0),
    // It showed 1869, or nonsense.
    (-3_187_296_000_000, 3_155_760_000_000), (.min, 3_155_760_000_000),
  ]

  @Test(arguments: ages)
  func `what happened in an earlier run never lies ahead`(civil: Int64, age: Int64) {
    #expect(SavedState.age(of: civil, at: Self.now) == .milliseconds(age))
  }

  @Test func `a moment has the same civil time whenever it is asked for, to a millisecond`() {
    let moment = EventLoop.clock()
    let times = (0..<100).map { _ in Timestamp(of: moment).milliseconds }
    #expect((times.max() ?? 0) - (times.min() ?? 0) <= 1)
    #expect(abs(Timestamp(of: moment.advanced(by: .seconds(-1))).milliseconds - times[0] + 1000) <= 1)
  }
}
