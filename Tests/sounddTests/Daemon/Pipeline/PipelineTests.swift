import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// Values, what follows from them and what is expected of them, as triggers see it.
struct PipelineTests {
  /// A pipeline on a virtual clock that records what its triggers do: `TIME TRIGGER` for a play, in milliseconds.
  ///
  /// A frame lasts a millisecond, and every sound an hour.
  private final class Rig: PipelineObserver {
    let pipeline: Pipeline
    private let output = OfflineOutput(writer: nil, rate: 1000, acceptsAtOnce: true)
    private(set) var heard: [String] = []
    private(set) var refusals: [String] = []
    private(set) var lost: [String] = []
    private(set) var plays: [Play] = []
    private(set) var transactions: [[Change]] = []

    init(_ text: String) throws {
      pipeline = try Pipeline(try Self.read(text), player: Player(output))
      pipeline.observer = self
      var sounds = LoadedSounds()
      let clip = Clip(stereo: [Float](repeating: 0.1, count: 2 * 3_600_000), rate: 1000)
      for name in pipeline.conductor.engine.sounds { sounds.set(name, .success(clip)) }
      pipeline.setSounds(sounds, at: Instant(nanoseconds: 0))
    }

    static func read(_ text: String) throws -> Configuration {
      try ConfigurationText(file: "c.toml", bytes: Array(text.utf8)).configuration(.test)
    }

    func happened(_ happening: Happening, at now: Instant) {
      switch happening {
      case .changed: transactions.append(pipeline.conductor.changes)
      case .heard(let play, _):
        plays.append(play)
        note(play, play.at, "")
      case .stopping(let play, let time): note(play, time, " stop")
      case .judged, .alarm, .needsDevice, .begins, .refused, .ended: break
      }
    }

    func refused(_ value: ValueID, _ refusal: ValueRefusal) {
      refusals.append("\(pipeline.store.name(of: value)): \(refusal)")
    }

    func lostContent(_ value: ValueID) { lost.append(pipeline.store.name(of: value).description) }

    private func note(_ play: Play, _ at: Instant, _ what: String) {
      let trigger = pipeline.conductor.engine.definitions.firstIndex { $0.name == play.trigger } ?? -1
      heard.append("\(at.nanoseconds / 1_000_000) \(trigger)\(what)")
    }

    func set(_ line: String, at milliseconds: Int64) throws {
      let now = Instant(nanoseconds: milliseconds * 1_000_000)
      defer { _ = pipeline.collect(at: now) }
      if line.hasPrefix("{") { return try pipeline.assign(object: Array(line.utf8).span, at: now) }
      let parts = line.split(separator: "=", maxSplits: 1).map { Array($0.utf8) }
      let (name, content) = (parts[0], parts[1])
      try pipeline.assign(name.span, content.span, at: now)
    }

    func advance(to milliseconds: Int64) {
      let now = Instant(nanoseconds: milliseconds * 1_000_000)
      pipeline.advance(to: now)
      _ = pipeline.collect(at: now)
    }

    func reload(_ text: String, at milliseconds: Int64) throws {
      let now = Instant(nanoseconds: milliseconds * 1_000_000)
      try pipeline.replace(try Self.read(text), at: now)
      _ = pipeline.collect(at: now)
    }

    func value(_ name: String) throws -> Value? { pipeline.store.value(of: try id(name)) }

    func id(_ name: String) throws -> ValueID {
      let id = pipeline.store.id(of: Array(name.utf8).span)
      return try #require(id)
    }

    func takeHeard() -> [String] {
      defer { heard = [] }
      return heard
    }
  }

  @Test(arguments: [
    ("", false), ("[value.seen]", true), ("[[trigger]]\nvalue = 'seen'\nsound = 'x'", true),
    // Patterns name it, too.
    ("[value.'*']", true), ("[value.'seen/*']", false), ("[[trigger]]\nvalue = '*'\nto = 'never'\nsound = 'x'", true),
  ])
  func `a value that only cancel names is an event, so its first content cancels; any other begins there`(
    declaration: String, plays: Bool
  ) throws {
    let rig = try Rig(
      """
      [[trigger]]
      value = "door"
      sound = "alarm"
      to = "open"
      delay = "1 s"
      cancel = "seen"
      \(declaration)
      """)
    try rig.set("door=closed", at: 0)
    try rig.set("door=open", at: 100)
    try rig.set("seen=1", at: 500)
    rig.advance(to: 1_100)
    #expect(rig.takeHeard() == (plays ? ["1100 0"] : []))
  }

  private static let derived = """
    [value.weather]
    [value.temperature]
    of = "weather"
    json = "/t"
    type = "number"
    [value.hot]
    of = "temperature"
    above = 30
    [[trigger]]
    value = "hot"
    to = true
    sound = "x"
    [[trigger]]
    value = "temperature"
    sound = "x"
    [[trigger]]
    value = "weather"
    sound = "x"
    """

  @Test func `what follows from a value changes in the same transaction, along the whole chain`() throws {
    let rig = try Rig(Self.derived)
    try rig.set(#"weather={"t":20}"#, at: 0)
    #expect(try rig.value("hot") == .bool(false))
    try rig.set(#"weather={"t":31,"w":1}"#, at: 1)
    #expect(rig.takeHeard() == ["1 0", "1 1", "1 2"])
    try rig.set(#"weather={"t":31,"w":2}"#, at: 2)
    #expect(rig.takeHeard() == ["2 2"])
    try rig.set(#"weather={"t":32}"#, at: 3)
    #expect(rig.takeHeard() == ["3 1", "3 2"])
  }

  @Test func `what does not follow is refused and told once, and what follows from it stays`() throws {
    let rig = try Rig(Self.derived)
    try rig.set(#"weather={"t":31}"#, at: 0)
    for line in [#"weather={}"#, #"weather={"u":1}"#, "weather=rain", #"weather={"t":5}"#, #"weather={}"#] {
      try rig.set(line, at: 1)
    }
    #expect(
      rig.refusals == [
        "temperature: the document has nothing at '/t'",
        "temperature: 'rain' is not JSON: byte 0: expected a value, found 'r'",
        "temperature: the document has nothing at '/t'",
      ])
    #expect(try rig.value("temperature") == .number(5))
    #expect(try rig.value("hot") == .bool(false))
  }

  @Test func `in a transaction each derived value changes once, after all members`() throws {
    let rig = try Rig(
      """
      [value.a]
      [value.b]
      [value.up]
      of = "a"
      equals = "2"
      [[trigger]]
      value = "up"
      sound = "x"
      [[trigger]]
      value = "a"
      sound = "x"
      [[trigger]]
      value = "b"
      sound = "x"
      """)
    try rig.set(#"{"a": 1, "b": 1}"#, at: 0)
    try rig.set(#"{"a": 2, "b": 2, "b": 3}"#, at: 1)
    #expect(rig.takeHeard() == ["1 0", "1 1", "1 2"])
    // There and back again is silence for what follows, too.
    try rig.set(#"{"a": 1, "a": 2}"#, at: 2)
    #expect(rig.takeHeard().isEmpty)
  }

  @Test func `clients cannot set what is derived, alone or among others`() throws {
    let rig = try Rig(Self.derived)
    #expect(throws: ValueStoreError.derived(name: "hot", from: "temperature")) { try rig.set("hot=true", at: 0) }
    let problem = #expect(throws: AssignmentRefusal.self) { try rig.set(#"{"weather": "x", "hot": true}"#, at: 0) }
    #expect(problem?.description == "'hot' is derived from 'temperature'; set that instead")
    #expect(try rig.value("weather") == nil)
  }

  @Test func `the name of a null is told without what acts on a terminal`() throws {
    let rig = try Rig("")
    let problem = #expect(throws: AssignmentRefusal.self) { try rig.set(#"{"t\n\u001b[2J": null}"#, at: 0) }
    #expect(problem?.description == #"'t\n\u{1b}[2J' is null, and no value can be; leave it out"#)
  }

  @Test func `a value may follow from one that nobody declared`() throws {
    let rig = try Rig("[value.up]\nof = 'state'\nequals = 'up'\n[[trigger]]\nvalue = 'up'\nto = true\nsound = 'x'")
    try rig.set("state=down", at: 0)
    try rig.set("state=up", at: 1)
    #expect(rig.takeHeard() == ["1 0"])
  }

  @Test func `a reload computes what follows anew, in silence`() throws {
    let rig = try Rig(Self.derived)
    try rig.set(#"weather={"t":25}"#, at: 0)
    try rig.reload(Self.derived.replacing("above = 30", with: "above = 20"), at: 1)
    #expect(try rig.value("hot") == .bool(true))
    try rig.reload(Self.derived, at: 2)
    #expect(try rig.value("hot") == .bool(false))
    #expect(rig.takeHeard().isEmpty)
    // A value that is new appears at once.
    try rig.reload(
      Self.derived
        + "\n[value.cold]\nof = 'temperature'\nbelow = 30\n[[trigger]]\nvalue='cold'\ninitial=true\nsound='x'",
      at: 3)
    #expect(try rig.value("cold") == .bool(true))
    #expect(rig.takeHeard() == ["3 3"])
  }

  private static let expected = """
    [value.heartbeat]
    expect_every = "1 s"
    [[trigger]]
    value = "heartbeat"
    when = "stale"
    sound = "x"
    [[trigger]]
    value = "heartbeat"
    debounce = "100 ms"
    sound = "x"
    """

  @Test func `silence is heard at its time, once, until somebody reports`() throws {
    let rig = try Rig(Self.expected)
    // A value that never reports is missed, too.
    #expect(rig.pipeline.nextDeadline == Instant(nanoseconds: 1_000_000_000))
    try rig.set("heartbeat=1", at: 500)
    rig.advance(to: 1499)
    #expect(rig.takeHeard().isEmpty)
    #expect(try rig.pipeline.isStale(rig.id("heartbeat")) == false)
    rig.advance(to: 1500)
    #expect(try rig.pipeline.isStale(rig.id("heartbeat")) == true)
    rig.advance(to: 9000)
    try rig.set("heartbeat=1", at: 10_000)
    #expect(try rig.pipeline.isStale(rig.id("heartbeat")) == false)
    rig.advance(to: 20_000)
    #expect(rig.takeHeard() == ["1500 0", "11000 0"])
  }

  @Test func `deadlines of both kinds come in the order of time`() throws {
    let rig = try Rig(Self.expected)
    try rig.set("heartbeat=1", at: 0)
    try rig.set("heartbeat=2", at: 950)
    #expect(rig.pipeline.nextDeadline == Instant(nanoseconds: 1_000_000_000))
    while let deadline = rig.pipeline.nextDeadline { rig.advance(to: deadline.nanoseconds / 1_000_000) }
    #expect(rig.takeHeard() == ["1050 1", "1950 0"])
    #expect(rig.pipeline.nextWait == nil)
  }

  @Test func `what became stale before an update did so before it, even if nobody looked`() throws {
    let rig = try Rig(Self.expected)
    try rig.set("heartbeat=1", at: 0)
    try rig.set("heartbeat=1", at: 5000)
    #expect(rig.takeHeard() == ["1000 0"])
  }

  @Test func `a report ends the loop of a stale value before its change is judged`() throws {
    let rig = try Rig(
      """
      [value.v]
      expect_every = "1 s"
      [[trigger]]
      value = "v"
      when = "stale"
      loop = true
      sound = "x"
      [[trigger]]
      value = "v"
      sound = "x"
      """)
    try rig.set("v=1", at: 0)
    rig.advance(to: 1000)
    try rig.set("v=2", at: 3000)
    #expect(rig.takeHeard() == ["1000 0", "3000 0 stop", "3000 1"])
  }

  @Test func `a refused or ignored content is no report`() throws {
    let rig = try Rig(
      "[value.v]\ntype='number'\nmatch='t=(.*)'\nexpect_every='1 s'\n[[trigger]]\nvalue='v'\nwhen='stale'\nsound='x'")
    try rig.set("v=t=1", at: 0)
    try rig.set("v=hello", at: 500)
    #expect(throws: ValueStoreError.self) { try rig.set("v=t=warm", at: 600) }
    rig.advance(to: 1000)
    #expect(rig.takeHeard() == ["1000 0"])
  }

  @Test func `what is derived is reported whenever its base is, equal or not`() throws {
    let rig = try Rig(
      "[value.up]\nof='v'\nequals='up'\nexpect_every='1 s'\n[[trigger]]\nvalue='up'\nwhen='stale'\nsound='x'")
    for second in 0..<5 { try rig.set("v=up", at: Int64(second) * 900) }
    rig.advance(to: 4599)
    #expect(rig.takeHeard().isEmpty)
    rig.advance(to: 4600)
    #expect(rig.takeHeard() == ["4600 0"])
  }

  @Test func `what is overdue after a sleep has its time once more`() throws {
    let rig = try Rig(Self.expected)
    try rig.set("heartbeat=1", at: 0)
    rig.pipeline.woke(at: Instant(nanoseconds: 3_600_000_000_000))
    rig.advance(to: 3_600_999)
    #expect(rig.takeHeard().isEmpty)
    rig.advance(to: 3_601_000)
    #expect(rig.takeHeard() == ["3601000 0"])
  }

  @Test func `a reload leaves what follows from an earlier content than the last one`() throws {
    let text = "[value.v]\nof='log'\nmatch='level=(.*)'\n[value.w]\nof='v'\n[[trigger]]\nvalue='w'\nsound='x'"
    let rig = try Rig(text)
    try rig.set("log=level=1", at: 0)
    try rig.set("log=hello", at: 1)
    try rig.reload(text, at: 2)
    #expect(try rig.value("w") == .text(Array("1".utf8)))
    try rig.set("log=level=2", at: 3)
    #expect(rig.takeHeard() == ["3 0"])
  }

  @Test func `what a reload adds appears to the observer, though the sounds are set meanwhile`() throws {
    let text = "[[trigger]]\nvalue='build'\nsound='x'\n"
    let rig = try Rig(text)
    try rig.set("build=failed", at: 0)
    #expect(rig.transactions.count == 1)
    let now = Instant(nanoseconds: 1_000_000)
    let sounds = rig.pipeline.conductor.player.sounds
    try rig.pipeline.replace(try Rig.read(text + "[value.failed]\nof='build'\n"), at: now) {
      rig.pipeline.setSounds(sounds, at: now)
    }
    let change = try #require(rig.transactions.last?.first)
    #expect(change.value == (try rig.id("failed")) && change.isAppearance)
    #expect(rig.transactions.count == 2)
  }

  @Test func `what lasts ends if a reload reads its value in another way`() throws {
    func text(_ value: String) -> String {
      "[value.n]\n\(value)\n[[trigger]]\nvalue='v'\nto=true\nloop=true\nsound='x'\n"
        + "[[trigger]]\nvalue='w'\nto='ab'\ndelay='1 s'\nsound='x'\n"
    }
    let rig = try Rig(text("type='number'\n[value.v]\nof='n'\nabove=50\n[value.w]\nmatch='a.'"))
    for number in ["1", "70"] { try rig.set("n=\(number)", at: 0) }
    for content in ["x ac", "x ab"] { try rig.set("w=\(content)", at: 0) }
    let other = text("type='number'\n[value.v]\nof='n'\nabove=90\n[value.w]\nmatch='x'")
    try rig.reload(other, at: 1)
    #expect(rig.takeHeard() == ["0 0", "1 0 stop"])
    #expect(rig.pipeline.nextWait == nil)
    try rig.reload(text("type='number'\n[value.v]\nof='n'\nabove=50\n[value.w]\nmatch='a.'"), at: 2)
    // The alarm follows what the value is now.
    #expect(rig.takeHeard() == ["2 0"])
    try rig.set("n=71", at: 3)
    #expect(rig.takeHeard().isEmpty)
  }

  @Test func `a threshold that a reload leaves alone is not armed by it`() throws {
    let text = "[value.v]\nof='n'\ntype='number'\n[[trigger]]\nvalue='v'\nabove=9\nhysteresis=5\nsound='x'"
    let rig = try Rig(text)
    for number in ["1", "10", "8"] { try rig.set("n=\(number)", at: 0) }
    try rig.reload(text, at: 1)
    try rig.set("n=10", at: 2)
    #expect(rig.takeHeard() == ["0 0"])
  }

  @Test func `only what is expected tells whether it is stale`() throws {
    let rig = try Rig(Self.expected + "\n[value.other]")
    #expect(try rig.pipeline.isStale(rig.id("other")) == nil)
  }

  @Test func `a value that a reload reads in another way has no content until the next one comes`() throws {
    let trigger = "[[trigger]]\nvalue='v'\nsound='x'\n[value.w]\nof='v'\n"
    let rig = try Rig("[value.v]\n" + trigger)
    try rig.set("v=7", at: 0)
    try rig.reload("[value.v]\ntype='number'\n" + trigger, at: 1)
    #expect(rig.lost == ["v", "w"])
    #expect(try rig.value("v") == nil)
    try rig.set("v=8", at: 2)
    #expect(rig.transactions.last?.map(\.isAppearance) == [true, true])
    try rig.set("v=9", at: 3)
    #expect(rig.takeHeard() == ["3 0"])
  }

  @Test func `the observer sees a transaction before what it causes, and whatever was due before it`() throws {
    let rig = try Rig("[[trigger]]\nvalue='a'\ndelay='100 ms'\nsound='x'")
    try rig.set(#"{"a": 1, "b": 1}"#, at: 0)
    try rig.set(#"{"b": 2, "a": 2}"#, at: 1)
    #expect(rig.transactions.map(\.count) == [2, 2])
    try rig.set("b=3", at: 200)
    // The delay ended before b changed.
    #expect(rig.takeHeard() == ["101 0"])
    #expect(rig.transactions.count == 3)
  }

  @Test func `a play that is heard comes back with its cause`() throws {
    let rig = try Rig("[[trigger]]\nvalue='a'\nsound='x'")
    try rig.set("a=1", at: 0)
    try rig.set("a=2", at: 1)
    let play = try #require(rig.plays.first)
    #expect(play.trigger == "a")
    #expect(play.cause?.old == .text(Array("1".utf8)))
    #expect(play.cause?.new == .text(Array("2".utf8)))
    #expect(rig.pipeline.conductor.engine.counters(of: TriggerID(index: 0)).played == 1)
  }
}
