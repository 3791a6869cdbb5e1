import Logging
import SoundTrigger
import SoundWire
import TestSupport
import Testing

@testable import soundd

struct ActivityCountsTests {
  private let folder = TemporaryFolder()
  private var file: StateFile { StateFile(path: folder("soundd/state")).report }
  private let time = Timestamp(seconds: 1_790_000_000)

  private func second(_ number: Int) -> Instant { Instant(nanoseconds: Int64(number) * 1_000_000_000) }

  /// An alarm that becomes active and then normal again at each of these seconds.
  private func ring(_ name: String, at seconds: [Int], in counts: inout ActivityCounts) {
    for now in seconds.map(second) {
      counts.alarm(name, .active, since: now, isAcknowledged: false, at: now, hour: 100)
      counts.alarm(name, .normal, since: nil, isAcknowledged: false, at: now, hour: 100)
    }
  }

  private func figures(_ name: String, _ counts: ActivityCounts) -> ActivityCounts.Figures? {
    counts.hours.last?.triggers[name]
  }

  @Test(arguments: [
    // When it rings, the most in a minute, the most in ten minutes.
    ([0], 1, 1), ([0, 59], 2, 2), ([0, 60], 1, 2), ([0, 30, 59, 60, 89], 4, 5), ([0, 599], 1, 2), ([0, 600], 1, 1),
    (Array(0..<12).map { $0 * 60 }, 1, 10),
  ])
  func `the most alarms in a minute and in ten minutes are counted`(seconds: [Int], inMinute: Int, inTen: Int) {
    var counts = ActivityCounts()
    ring("a", at: seconds, in: &counts)
    #expect(figures("a", counts)?.alarms == seconds.count)
    #expect(figures("a", counts)?.alarmsInMinute == inMinute)
    #expect(figures("a", counts)?.allInTenMinutes == inTen)
  }

  @Test func `in ten minutes the alarms of all triggers count, in a minute those of the trigger`() {
    var counts = ActivityCounts()
    for second in 0..<12 { ring("t\(second)", at: [second], in: &counts) }
    #expect(figures("t11", counts)?.alarmsInMinute == 1)
    #expect(figures("t11", counts)?.allInTenMinutes == 12)
    #expect(figures("t9", counts)?.allInTenMinutes == 10)
  }

  @Test func `an alarm counts once for each time it becomes active`() {
    var counts = ActivityCounts()
    let steps: [(AlarmLife, since: Int?, now: Int, alarms: Int?)] = [
      (.pending, 1, 1, nil), (.active, 5, 5, 1),
      // A snooze, and the first frames.
      (.active, 5, 7, 1), (.active, 5, 8, 1),
      // It goes on sounding, as it did.
      (.latched, 5, 9, 1), (.active, 5, 10, 1),
      (.acknowledged, 5, 11, 1), (.acknowledged, 5, 12, 1),
      // realarm
      (.active, 20, 20, 2), (.normal, nil, 21, 2), (.active, 22, 22, 3),
    ]
    for (life, since, now, alarms) in steps {
      counts.alarm(
        "a", life, since: since.map(second), isAcknowledged: life == .acknowledged, at: second(now), hour: 100)
      #expect(figures("a", counts)?.alarms == alarms, "\(now)")
    }
    #expect(figures("a", counts)?.acknowledged == 1)
    #expect(figures("a", counts)?.wait == 6_000_000)
  }

  @Test func `the time to acknowledge is counted, also of a latched alarm and of one of an earlier run`() {
    var counts = ActivityCounts()
    counts.resume("old", .latched, since: second(0))
    counts.alarm("old", .latched, since: second(0), isAcknowledged: false, at: second(100), hour: 100)
    #expect(!counts.hasNews)
    counts.alarm("old", .normal, since: nil, isAcknowledged: true, at: second(400), hour: 100)
    // Its limit ended the second one, and its condition the third one.
    for (begin, end, isAcknowledged) in [(500, 600, true), (700, 800, false), (800, 900, false)] {
      counts.alarm("old", .active, since: second(begin), isAcknowledged: false, at: second(begin), hour: 100)
      counts.alarm("old", .normal, since: nil, isAcknowledged: isAcknowledged, at: second(end), hour: 100)
    }
    let found = figures("old", counts)
    #expect(found?.alarms == 3)
    #expect(found?.acknowledged == 2)
    #expect(found?.wait == 500_000_000)
    #expect(found?.longestWait == 400_000_000)
  }

  @Test func `seven days are kept`() {
    var counts = ActivityCounts()
    for hour in 1...400 { counts.played("a", hour: hour) }
    #expect(counts.hours.map(\.number) == Array(233...400))
  }

  @Test func `if the clock is set back, the hour continues, and one that is a week off is forgotten`() {
    var counts = ActivityCounts()
    for hour in [100, 101, 100, 101, 101] { counts.played("a", hour: hour) }
    #expect(counts.hours.map(\.number) == [100, 101])
    #expect(counts.hours.map { $0.triggers["a"]?.plays } == [2, 3])
    counts.played("a", hour: 90_000)
    counts.played("a", hour: 100)
    #expect(counts.hours.map(\.number) == [100])
  }

  // MARK: The file

  @Test func `a file gives back what was counted`() throws {
    var counts = ActivityCounts()
    ring("a \"b\"\n", at: [0, 1, 2], in: &counts)
    counts.alarm("c", .active, since: second(3), isAcknowledged: false, at: second(3), hour: 100)
    counts.alarm("c", .acknowledged, since: second(3), isAcknowledged: true, at: second(5), hour: 100)
    for hour in [100, 101, 99] { counts.played("é", hour: hour) }
    #expect(try ActivityCounts(file) == nil, "there is none")
    try file.write(counts.bytes(at: time))
    let read = try #require(try ActivityCounts(file))
    #expect(read.writtenAt == time)
    #expect(read.hours.map(\.number) == [100, 101, 99])
    #expect(read.hours.map(\.triggers) == counts.hours.map(\.triggers))
  }

  @Test func `with 10,000 triggers it stays within its bounds, and the oldest hours go`() throws {
    var counts = ActivityCounts()
    for hour in 1...200 {
      for trigger in 0..<10_000 { counts.played("trigger-\(trigger)", hour: hour) }
    }
    #expect(counts.hours.map(\.number) == [198, 199, 200])
    let bytes = counts.bytes(at: time)
    #expect(bytes.count <= ActivityCounts.limit)
    #expect(bytes.count > ActivityCounts.limit - 100, "what fits is written")
    try file.write(bytes)
    let read = try #require(try ActivityCounts(file))
    #expect(read.hours.map(\.number) == [199, 200])
    #expect(read.hours.last?.triggers.count == 10_000)
  }

  private static let head = "{\"written_at\":\"2026-01-31T08:15:00.250000Z\"}\n"

  @Test(arguments: [
    "", "\n", "nonsense", "{}\n", "{\"written_at\":1}\n", head + "x\n", head + "{}\n", head + head,
    head + #"{"hour":1,"trigger":"a"}"#, head + #"{"hour":1,"trigger":"a","figures":[1,2,3,4,5,6]}"#,
    head + #"{"hour":1,"trigger":"a","figures":[1,2,3,4,5,6,-1]}"#,
    head + #"{"hour":1,"trigger":"a","figures":[9223372036854775807,0,0,0,0,0,0]}"#,
    head + #"{"hour":-9223372036854775808,"trigger":"a","figures":[1,0,0,0,0,0,0]}"#,
    head + #"{"hour":1,"figures":[1,0,0,0,0,0,0]}"#, head + String(repeating: " ", count: ActivityCounts.limit),
  ])
  func `a damaged file is found out`(content: String) throws {
    try file.write(Array(content.utf8))
    #expect(throws: Failure(.badData, "\(file.path) is damaged; the daemon will replace it")) {
      try ActivityCounts(file)
    }
  }

  private static let lines = #"""
    {"written_at":"2026-01-31T08:15:00.250000Z"}
    {"hour":497222,"trigger":"reactor","figures":[41,3,0,0,2,3,0]}
    {"hour":497221,"trigger":"reactor","figures":[1,0,2,30000000,0,0,20000000]}

    """#
  private static let recordHead =
    #"{"soundd_report":1,"sha256":"fe2e63c00625e0659fb724bbe45ae10a2b83e89391beb46f29fa5f684fb0b267"}"#

  @Test func `a file of 0.2.0 is read, and has a checksum when it is written again`() throws {
    try file.write(Array(Self.lines.utf8))
    let counts = try #require(try ActivityCounts(file))
    #expect(counts.writtenAt?.description == "2026-01-31T08:15:00.250000Z")
    #expect(counts.hours.map(\.number) == [497_221, 497_222])
    var present = ActivityCounts.Figures()
    (present.plays, present.alarms, present.alarmsInMinute, present.allInTenMinutes) = (41, 3, 2, 3)
    #expect(figures("reactor", counts) == present)
    var before = ActivityCounts.Figures()
    (before.plays, before.acknowledged, before.wait, before.longestWait) = (1, 2, 30_000_000, 20_000_000)
    #expect(counts.hours.first?.triggers["reactor"] == before)

    let written = counts.bytes(at: try #require(counts.writtenAt))
    #expect(String(decoding: written, as: UTF8.self) == Self.recordHead + "\n" + Self.lines)
    try file.write(written)
    #expect(try ActivityCounts(file)?.hours.map(\.triggers) == counts.hours.map(\.triggers))
  }

  @Test func `a file with a checksum of which any byte is another one is refused`() throws {
    let bytes = Array((Self.recordHead + "\n" + Self.lines).utf8)
    for index in bytes.indices {
      for damaged in [bytes[index] ^ 1, bytes[index] ^ 0x10] {
        var copy = bytes
        copy[index] = damaged
        try file.write(copy)
        #expect(throws: Failure.self, "byte \(index) as \(damaged)") { try ActivityCounts(file) }
      }
    }
    try file.write(Array(bytes.dropLast()))
    #expect(throws: Failure.self) { try ActivityCounts(file) }
  }

  @Test func `a file of a later version is named as such`() throws {
    try file.write(Array("{\"soundd_report\":2}\n".utf8))
    #expect(throws: Failure(.noInput, "\(file.path) was written by a newer soundd; it stays as it is")) {
      try ActivityCounts(file)
    }
  }

  // MARK: The reply

  @Test func `the reply to a client has what the file has`() throws {
    try file.write(Array(Self.lines.utf8))
    var message = ActivityMessage()
    (message.until, message.counts) = (time, try #require(try ActivityCounts(file)).lines)
    message.standing = [StandingMessage]([("reactor", Timestamp(seconds: 1_700_000_000))])
    #expect(
      String(decoding: message.json, as: UTF8.self)
        == #"{"until":"2026-09-21T14:13:20.000000Z","counts":["#
        + #"{"hour":497222,"trigger":"reactor","figures":[41,3,0,0,2,3,0]},"#
        + #"{"hour":497221,"trigger":"reactor","figures":[1,0,2,30000000,0,0,20000000]}],"#
        + #""standing":[{"trigger":"reactor","since":"2023-11-14T22:13:20.000000Z"}]}"#)
    let counts = try ActivityCounts(try ActivityMessage(message.json))
    #expect(counts.writtenAt == time)
    #expect(counts.hours.map(\.triggers) == (try ActivityCounts(file)?.hours.map(\.triggers)))
  }

  @Test func `a reply stays within the limit of the file, whatever names triggers have`() throws {
    var counts = ActivityCounts()
    for trigger in 0..<8000 { counts.played(String(repeating: "\u{7F}", count: 200) + "\(trigger)", hour: 100) }
    var message = ActivityMessage()
    message.counts = counts.lines
    #expect(message.json.count <= ActivityCounts.limit && message.counts.count > 800)
  }

  @Test func `the members of a pattern stand as their trigger, the oldest first, a thousand at most`() {
    func standing(_ alarms: [(String, Int64)]) -> [StandingMessage] {
      [StandingMessage](alarms.map { (name: $0.0, since: Timestamp(seconds: $0.1)) })
    }
    let alarms = standing([("rule[b]", 5), ("rule[a]", 3), ("b", 3), ("a", 4)])
    #expect(alarms.map { "\($0.trigger) \($0.since.seconds)" } == ["b 3", "rule 3", "a 4"])
    let many = standing((0..<5000).map { ("t\($0)", 5000 - Int64($0)) })
    #expect(many.count == 1000 && many.first?.trigger == "t4999")
  }

  @Test(arguments: [
    #"{"hour":1,"trigger":"a","figures":[1,2,3]}"#, #"{"hour":-1,"trigger":"a","figures":[1,0,0,0,0,0,0]}"#,
    #"{"hour":1,"trigger":"a","figures":[9223372036854775807,0,0,0,0,0,0]}"#,
  ])
  func `a reply that makes no sense is refused`(line: String) throws {
    let message = try ActivityMessage(Array(#"{"until":null,"counts":[\#(line)],"standing":[]}"#.utf8))
    #expect(throws: Failure(.badData, "the daemon's answer is not understood: its counts")) {
      try ActivityCounts(message)
    }
  }

  // MARK: The keeper

  /// Takes the messages of a logger.
  private final class Log: LogHandler, @unchecked Sendable {
    // Used on the test's thread alone.
    var messages: [String] = []
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.trace
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) { messages.append("\(event.message)") }
  }

  @Test func `what was counted is written when that is asked for, and nothing if nothing was counted`() throws {
    let loop = try EventLoop()
    let worker = try BackgroundWorker(name: "report-test", on: loop)
    let log = Log()
    let logger = Logger(label: "test") { _ in log }
    var keeper = ActivityKeeper(file, worker: worker, on: loop, log: logger)
    keeper.saveNow()
    keeper.count { counts, hour in
      counts.resume("a", .active, since: second(1))
      counts.alarm("a", .active, since: second(1), isAcknowledged: false, at: second(2), hour: hour)
    }
    keeper.saveNow()
    worker.waitUntilIdle()
    #expect(try file.read() == nil)
    #expect(try loop.comesToRest())

    keeper.count { $0.played("a", hour: $1) }
    keeper.saveNow()
    worker.waitUntilIdle()
    let written = try #require(try file.read())
    keeper.saveNow()
    worker.waitUntilIdle()
    #expect(try file.read() == written)

    keeper = ActivityKeeper(file, worker: worker, on: loop, log: logger)
    keeper.count { $0.played("a", hour: $1) }
    #expect(keeper.counts.hours.reduce(0) { $0 + ($1.triggers["a"]?.plays ?? 0) } == 2)
    #expect(log.messages == [])

    try file.write(Array("nonsense".utf8))
    keeper = ActivityKeeper(file, worker: worker, on: loop, log: logger)
    #expect(keeper.counts.hours.isEmpty)
    #expect(log.messages == ["\(file.path) is damaged; the daemon will replace it; 'soundd report' counts anew"])
    keeper.count { $0.played("b", hour: $1) }
    keeper.saveNow()
    worker.waitUntilIdle()
    #expect(try ActivityCounts(file)?.hours.map { Array($0.triggers.keys) } == [["b"]])
  }

  @Test func `the counts of a newer soundd stay as they are`() throws {
    let loop = try EventLoop()
    let worker = try BackgroundWorker(name: "report-test", on: loop)
    let log = Log()
    let newer = Array("{\"soundd_report\":99}\n".utf8)
    try file.write(newer)
    let keeper = ActivityKeeper(file, worker: worker, on: loop, log: Logger(label: "test") { _ in log })
    keeper.count { $0.played("a", hour: $1) }
    keeper.saveNow()
    worker.waitUntilIdle()
    #expect(try file.read() == newer)
    #expect(
      log.messages == [
        "\(file.path) was written by a newer soundd; it stays as it is; 'soundd report' counts anew, and nothing of it is saved"
      ])
  }
}
