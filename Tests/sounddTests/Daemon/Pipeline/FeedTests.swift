import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// Lines of a feed, and who may set what is beneath its prefix.
struct FeedTests {
  private let pipeline: Pipeline
  private let feed: FeedDeclaration
  private let output = OfflineOutput(writer: nil, rate: 1000)
  private static let start = Instant(nanoseconds: 0)

  private static func configuration(_ text: String) throws -> Configuration {
    try ConfigurationText(file: "c", bytes: Array(text.utf8)).configuration(.test)
  }

  private static let text = """
    [[feed]]
    name = "broker"
    prefix = "mqtt/"
    command = "p"
    [value."mqtt/n"]
    type = "number"
    [[trigger]]
    value = "mqtt/n"
    above = 5
    loop = true
    sound = "s"
    cancel = "mqtt/ack"
    [[trigger]]
    name = "stale"
    value = "mqtt/n"
    when = "stale"
    sound = "s"
    """

  init() throws {
    let configuration = try Self.configuration(Self.text)
    pipeline = try Pipeline(configuration, player: Player(output))
    feed = try #require(configuration.feeds.first)
  }

  private func apply(_ line: String) throws {
    try pipeline.apply(Array(line.utf8).span, of: feed, at: Self.start)
  }

  private func id(_ name: String) throws -> ValueID {
    try #require(ValueName(name).flatMap { pipeline.store.id(of: $0) })
  }

  /// The content as text; `nil` if there is none.
  private func value(_ name: String) throws -> String? { pipeline.store.snapshot(of: try id(name)).text }

  private func verdicts(_ trigger: String) throws -> Int {
    let id = try #require(pipeline.conductor.engine.trigger(named: trigger))
    return Array(pipeline.conductor.engine.judgedChanges(of: id)).count
  }

  @Test func `the prefix stands before each name, in lines and in objects`() throws {
    try apply("door=open")
    try apply(#"{"n": 3, "a/b": {"x": 1}}"#)
    #expect(try value("mqtt/door") == "open")
    #expect(try value("mqtt/n") == "3")
    #expect(try value("mqtt/a/b") == #"{"x": 1}"#)
    try apply("# a comment")
    try apply("")
  }

  @Test func `a null forgets a value, and is refused for a declared one`() throws {
    try apply("door=open")
    try apply(#"{"door": null, "gone": null, "window": "shut"}"#)
    #expect(ValueName("mqtt/door").flatMap { pipeline.store.id(of: $0) } == nil)
    #expect(try value("mqtt/window") == "shut")
    #expect(throws: AssignmentRefusal.null(name: "n")) { try apply(#"{"window": "open", "n": null}"#) }
    #expect(try value("mqtt/window") == "shut")
  }

  @Test func `nobody else sets what is beneath the prefix`() throws {
    let refusal = ValueStoreError.fedByFeed(name: "mqtt/new", feed: "broker")
    #expect(throws: refusal) {
      try pipeline.assign(Array("mqtt/new".utf8).span, Array("1".utf8).span, at: Self.start)
    }
    #expect(throws: AssignmentRefusal.value(.fedByFeed(name: "mqtt/n", feed: "broker"))) {
      try pipeline.assign(object: Array(#"{"x": 1, "mqtt/n": 2}"#.utf8).span, at: Self.start)
    }
    #expect(refusal.description == "'mqtt/new' belongs to the feed 'broker', and nobody else can set it")
    try pipeline.assign(Array("mqt".utf8).span, Array("1".utf8).span, at: Self.start)
  }

  @Test func `nobody else forgets what is beneath the prefix, nor anything beside it`() throws {
    try apply("door=open")
    try pipeline.assign(Array("other".utf8).span, Array("1".utf8).span, at: Self.start)
    #expect(throws: UnsetProblem.fedByFeed("mqtt/door", feed: "broker")) {
      try pipeline.unset(["other", "mqtt/door"], at: Self.start)
    }
    #expect(try value("mqtt/door") == "open")
    #expect(try value("other") == "1")
    #expect(throws: UnsetProblem.declared("mqtt/n")) { try pipeline.unset(["mqtt/n"], at: Self.start) }
  }

  @Test(arguments: [
    "list", "=1", " a=1", "a =1", "a\tb=1", "a\u{0}=1", "a\u{1b}[2J=1", "Error: broker (rc=5)", #"{"a ": 1}"#,
    #"{"": 1}"#, #"{"a\u0007": 1}"#, #"{"a": 1"#, "n=x", #"{"new": 1, "n": "x"}"#, #"{"new": 1, " ": 1}"#,
    #"{"new": 1, "n": null}"#, #"{"new": 1, "\ud800": 2}"#, String(repeating: "n", count: 251) + "=1",
  ])
  func `what is no value is refused, and changes nothing`(line: String) throws {
    try apply("n=1")
    let count = pipeline.store.count
    #expect(throws: (any Error).self) { try apply(line) }
    #expect(try value("mqtt/n") == "1")
    #expect(pipeline.store.count == count)
  }

  @Test func `a name may have any other characters, in lines and in objects`() throws {
    try apply("home/Back Door=open")
    try apply(#"{"home/K\u00fcche": "shut", "$SYS/x: y": 1, "/": 2}"#)
    #expect(try value("mqtt/home/Back%20Door") == "open")
    #expect(try value("mqtt/home/K%C3%BCche") == "shut")
    #expect(try value("mqtt/%24SYS/x:%20y") == "1")
    #expect(try value("mqtt//") == "2")
    try apply(#"{"home/Back Door": null}"#)
    #expect(ValueName("mqtt/home/Back%20Door").flatMap { pipeline.store.id(of: $0) } == nil)
  }

  @Test func `the names of clients are not escaped`() {
    #expect(throws: AssignmentRefusal.self) {
      try pipeline.assign(object: Array(#"{"a b": 1}"#.utf8).span, at: Self.start)
    }
  }

  @Test func `of a name that comes twice in an object the last one counts, be it null`() throws {
    try apply(#"{"door": null, "door": "open", "n": null, "n": 2}"#)
    #expect(try value("mqtt/door") == "open")
    #expect(try value("mqtt/n") == "2")
    try apply(#"{"door": "shut", "gone": 1, "d\u006for": null, "gone": null}"#)
    for name in ["mqtt/door", "mqtt/gone"] {
      #expect(ValueName(name).flatMap { pipeline.store.id(of: $0) } == nil)
    }
  }

  // MARK: Silence

  /// A pipeline in which lines are expected every minute.
  private func expecting(ignoringSources: Bool = false) throws -> (Pipeline, FeedDeclaration) {
    let configuration = try Self.configuration(
      Self.text.replacing("command = \"p\"", with: "command = \"p\"\nexpect_every = \"60 s\"")
        + "\n[[trigger]]\nname = \"gated\"\nvalue = \"x\"\nunless = \"mqtt/quiet\"\nsound = \"s\"\n")
    let pipeline = try Pipeline(configuration, player: Player(output), ignoringSources: ignoringSources)
    return (pipeline, try #require(configuration.feeds.first))
  }

  private static func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

  @Test(arguments: ["# alive", "", "other=1", "n=1", #"{"n": 1}"#, "{}"])
  func `without a line for too long all values are stale, and any accepted line ends it`(line: String) throws {
    let (pipeline, feed) = try expecting()
    func apply(_ line: String, _ seconds: Int64) throws {
      try pipeline.apply(Array(line.utf8).span, of: feed, at: Self.at(seconds))
    }
    try apply(#"{"n": 1, "quiet": "on"}"#, 10)
    let (n, quiet) = (
      try #require(pipeline.store.id(of: ValueName(literal: "mqtt/n"))),
      try #require(pipeline.store.id(of: ValueName(literal: "mqtt/quiet")))
    )
    #expect(pipeline.isStale(n) == false)
    #expect(throws: (any Error).self) { try apply("n=x", 69) }
    #expect(throws: (any Error).self) { try apply("Error: gone", 69) }
    pipeline.advance(to: Self.at(70))
    #expect([n, quiet].map { pipeline.isStale($0) } == [true, true])
    let stale = try #require(pipeline.conductor.engine.trigger(named: "stale"))
    #expect(Array(pipeline.conductor.engine.judgedChanges(of: stale)).last?.at == Self.at(70))
    // A refused line is not a sign of life.
    #expect(throws: (any Error).self) { try apply("Error: gone", 71) }
    #expect(pipeline.isStale(n) == true)
    try apply(line, 80)
    #expect([n, quiet].map { pipeline.isStale($0) } == [false, false])
    pipeline.advance(to: Self.at(139))
    #expect(pipeline.isStale(n) == false)
    pipeline.advance(to: Self.at(140))
    #expect(pipeline.isStale(n) == true)
  }

  @Test func `a gate of a silent feed is false until a line comes`() throws {
    let (pipeline, feed) = try expecting()
    try pipeline.apply(Array(#"{"quiet": "on"}"#.utf8).span, of: feed, at: Self.at(0))
    func verdict(_ content: String, _ seconds: Int64) throws -> VerdictWord? {
      try pipeline.assign(Array("x".utf8).span, Array(content.utf8).span, at: Self.at(seconds))
      let id = try #require(pipeline.conductor.engine.trigger(named: "gated"))
      return Array(pipeline.conductor.engine.judgedChanges(of: id)).last?.verdict.word
    }
    _ = try verdict("1", 1)
    #expect(try verdict("2", 2) == .suppressed)
    #expect(try verdict("3", 61) != .suppressed)
    try pipeline.apply(Array("# alive".utf8).span, of: feed, at: Self.at(62))
    #expect(try verdict("4", 63) == .suppressed)
  }

  @Test func `a reload keeps the silence of a feed, and ends it with the key`() throws {
    let (pipeline, _) = try expecting()
    let n = try #require(pipeline.store.id(of: ValueName(literal: "mqtt/n")))
    pipeline.advance(to: Self.at(60))
    #expect(pipeline.isStale(n) == true)
    let text = Self.text.replacing("command = \"p\"", with: "command = \"p\"\nexpect_every = \"30 s\"")
    try pipeline.replace(
      try Self.configuration(text + "\n[value.\"mqtt/added\"]\n"), at: Self.at(61))
    #expect(pipeline.isStale(n) == true)
    let added = try #require(pipeline.store.id(of: ValueName(literal: "mqtt/added")))
    #expect(pipeline.isStale(added) == true)
    try pipeline.replace(try Self.configuration(Self.text), at: Self.at(62))
    #expect(pipeline.isStale(n) == nil)
  }

  @Test func `on a timeline each line that sets a value of the feed is one of its lines`() throws {
    let (pipeline, _) = try expecting(ignoringSources: true)
    let n = try #require(pipeline.store.id(of: ValueName(literal: "mqtt/n")))
    try pipeline.assign(Array("x".utf8).span, Array("1".utf8).span, at: Self.at(50))
    pipeline.advance(to: Self.at(60))
    #expect(pipeline.isStale(n) == true)
    try pipeline.assign(Array("mqtt/other".utf8).span, Array("1".utf8).span, at: Self.at(61))
    #expect(pipeline.isStale(n) == false)
  }

  @Test func `what a feed reports first for a cancel value is no change, each time that it is started`() throws {
    pipeline.started(feed)
    try apply("n=1")
    try apply("n=9")
    let id = try #require(pipeline.conductor.engine.trigger(named: "mqtt/n"))
    try apply("ack=1")
    #expect(pipeline.conductor.engine.alarmRecord(of: id)?.life == .active)
    pipeline.started(feed)
    try apply(#"{"ack": 1}"#)
    #expect(pipeline.conductor.engine.alarmRecord(of: id)?.life == .active)
    try apply("ack=1")
    #expect(pipeline.conductor.engine.alarmRecord(of: id)?.life == .acknowledged)
  }

  @Test func `values whose feed does not work are stale until it works again, also without an interval`() throws {
    try apply("n=1")
    let id = try id("mqtt/n")
    #expect(pipeline.isStale(id) == nil)
    pipeline.sourceChanged(of: [id], works: false, at: Self.start)
    pipeline.sourceChanged(of: [id], works: false, at: Self.start)
    #expect(pipeline.isStale(id) == true)
    #expect(try verdicts("stale") == 2)
    pipeline.sourceChanged(of: [id], works: true, at: Self.start)
    #expect(pipeline.isStale(id) == nil)
    pipeline.sourceChanged(of: [id], works: false, at: Self.start)
    #expect(try verdicts("stale") == 3)
  }

  @Test func `a reload keeps the values of a feed, and takes them from one that is gone`() throws {
    try apply("door=open")
    try pipeline.replace(try Self.configuration(Self.text + "\nvolume = 0.5"), at: Self.start)
    #expect(try value("mqtt/door") == "open")
    try pipeline.replace(
      try Self.configuration(
        Self.text.replacing("mqtt/\"\ncommand", with: "m/\"\ncommand").replacing("mqtt/n", with: "m/n")), at: Self.start
    )
    #expect(try value("mqtt/door") == nil)
    try pipeline.assign(Array("mqtt/door".utf8).span, Array("1".utf8).span, at: Self.start)
  }

  @Test func `on a timeline anybody sets the values of commands and feeds`() throws {
    let pipeline = try Pipeline(try Self.configuration(Self.text), player: Player(output), ignoringSources: true)
    try pipeline.assign(Array("mqtt/n".utf8).span, Array("1".utf8).span, at: Self.start)
  }
}
