import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// What an alarm is after the first content of its value.
struct FirstLookTests {
  /// A pipeline on a virtual clock in milliseconds.
  private struct Rig {
    let pipeline: Pipeline
    private let output = OfflineOutput(writer: nil, rate: 1000, acceptsAtOnce: true)

    init(_ text: String) throws {
      pipeline = try Pipeline(try Self.read(text), player: Player(output))
      setSounds()
    }

    static func read(_ text: String) throws -> Configuration {
      try ConfigurationText(file: "c.toml", bytes: Array(text.utf8)).configuration(.test)
    }

    private func setSounds() {
      var sounds = LoadedSounds()
      let clip = Clip(stereo: [Float](repeating: 0.1, count: 20_000), rate: 1000)
      for name in pipeline.conductor.engine.sounds { sounds.set(name, .success(clip)) }
      pipeline.setSounds(sounds, at: Instant(nanoseconds: 0))
    }

    func set(_ name: String, _ content: String, at milliseconds: Int64) throws {
      let now = Instant(nanoseconds: milliseconds * 1_000_000)
      try pipeline.assign(Array(name.utf8).span, Array(content.utf8).span, at: now)
      _ = pipeline.collect(at: now)
    }

    func advance(to milliseconds: Int64) {
      let now = Instant(nanoseconds: milliseconds * 1_000_000)
      pipeline.advance(to: now)
      _ = pipeline.collect(at: now)
    }

    func reload(_ text: String, at milliseconds: Int64) throws {
      try pipeline.replace(try Self.read(text), at: Instant(nanoseconds: milliseconds * 1_000_000)) { setSounds() }
    }

    /// The content of `v`.
    var value: Value? { ValueName("v").flatMap { pipeline.store.id(of: $0) }.flatMap { pipeline.store.value(of: $0) } }

    func life(_ trigger: String = "t") throws -> AlarmLife {
      let id = try #require(pipeline.conductor.engine.trigger(named: trigger))
      return try #require(pipeline.conductor.engine.alarm(id)).life
    }
  }

  private static func alarm(_ condition: String, type: String = "number") -> String {
    "[value.v]\ntype = '\(type)'\n[[trigger]]\nname = 't'\nvalue = 'v'\nsound = 'alarm'\nloop = true\n\(condition)\n"
  }

  @Test(arguments: [
    ("above = 90", "97", AlarmLife.active), ("above = 90", "90", .normal),
    ("above = 90\nhysteresis = 5", "88", .normal),
    ("above = 90\ninitial = true", "97", .active), ("above = 90\ninitial = 'if-changed'", "97", .active),
    // Only this declines.
    ("above = 90\ninitial = false", "97", .normal),
    // A delay runs, and a debounce does as well.
    ("above = 90\ndelay = '1 s'", "97", .pending), ("above = 90\ndebounce = '1 s'", "97", .pending),
    // These ask for a change.
    ("above = 90\nwhen = 'increase'", "97", .normal), ("to = 97\nfrom = 3", "97", .normal),
  ])
  func `it is active if its condition holds`(condition: String, content: String, life: AlarmLife) throws {
    let rig = try Rig(Self.alarm(condition))
    try rig.set("v", content, at: 0)
    #expect(try rig.life() == life)
    rig.advance(to: 1000)
    #expect(try rig.life() == (life == .pending ? .active : life))
  }

  @Test func `an event has no content that it could follow: only an arrival begins it`() throws {
    let text = "[value.v]\ntype = 'event'\n"
    let rig = try Rig(text + "[[trigger]]\nname = 'u'\nvalue = 'v'\nsound = 'tick'\n")
    try rig.set("v", "smoke", at: 0)
    try rig.reload(Self.alarm("to = 'smoke'", type: "event"), at: 1)
    #expect(try rig.life() == .normal)
    try rig.set("v", "smoke", at: 2)
    #expect(try rig.life() == .active)
  }

  @Test func `a row of a table begins it, and a content without a row does not`() throws {
    let text = Self.alarm("", type: "text").replacing("sound = 'alarm'", with: "sounds = { failed = 'error' }")
    for (content, life) in [("failed", AlarmLife.active), ("passed", .normal)] {
      let rig = try Rig(text)
      try rig.set("v", content, at: 0)
      #expect(try rig.life() == life)
    }
  }

  @Test func `a value of a list that begins inside makes an acknowledged alarm active again`() throws {
    let rig = try Rig(
      "[[trigger]]\nname = 't'\nvalue = ['a', 'b']\nto = 'on'\nsound = 'alarm'\nloop = true\n")
    try rig.set("a", "on", at: 0)
    let id = try #require(rig.pipeline.conductor.engine.trigger(named: "t"))
    _ = rig.pipeline.acknowledge(id, at: Instant(nanoseconds: 1))
    #expect(try rig.life() == .acknowledged)
    try rig.set("b", "on", at: 1)
    #expect(try rig.life() == .active)
  }

  @Test func `a member whose first word meets the condition rings`() throws {
    let rig = try Rig("[[trigger]]\nname = 't'\nvalue = 'door/*'\nto = 'open'\nsound = 'alarm'\nloop = true\n")
    try rig.set("door/1", "open", at: 0)
    try rig.set("door/2", "shut", at: 0)
    #expect(try rig.life("t[door/1]") == .active)
    #expect(try rig.life("t[door/2]") == .normal)
  }

  @Test func `an alarm that a reload adds follows the content that is there`() throws {
    let rig = try Rig("[value.v]\ntype = 'number'\n")
    try rig.set("v", "97", at: 0)
    try rig.reload(Self.alarm("above = 90"), at: 1)
    #expect(try rig.life() == .active)
  }

  // MARK: A value that a reload declares

  @Test(arguments: [
    ("97", AlarmLife.active, Value.number(97) as Value?), ("3", .normal, .number(3)),
    // The new type does not take it.
    ("hot", .normal, nil),
  ])
  func `what was set before its declaration is its content`(content: String, life: AlarmLife, value: Value?) throws {
    let rig = try Rig("")
    try rig.set("v", content, at: 0)
    try rig.reload(Self.alarm("above = 90"), at: 1)
    #expect(try rig.life() == life)
    #expect(rig.value == value)
  }

  @Test func `the new extraction is applied to it, and what is derived follows`() throws {
    let rig = try Rig("")
    try rig.set("v", "{\"t\": 95}", at: 0)
    let text =
      "[value.v]\ntype = 'number'\njson = '/t'\n[value.hot]\nof = 'v'\nabove = 90\n"
      + "[[trigger]]\nname = 't'\nvalue = 'hot'\nto = true\nsound = 'alarm'\nloop = true\n"
    try rig.reload(text, at: 1)
    #expect(try rig.life() == .active)
  }

  @Test func `an event that was set before its declaration does not happen once more`() throws {
    let rig = try Rig("")
    try rig.set("v", "smoke", at: 0)
    try rig.reload(Self.alarm("to = 'smoke'", type: "event"), at: 1)
    #expect(try rig.life() == .normal)
  }

  @Test(arguments: [(Int64(5), Value.text(Array("12".utf8)) as Value?), (20, nil)])
  func `what is set while a configuration is read counts after it`(begin: Int64, kept: Value?) throws {
    let rig = try Rig("[value.v]\ntype = 'number'\n[[trigger]]\nvalue = 'v'\nsound = 'alarm'\n")
    try rig.set("v", "12", at: 10)
    rig.pipeline.store.carryUpdates(since: Instant(nanoseconds: begin * 1_000_000))
    try rig.reload("[value.v]\n[[trigger]]\nvalue = 'v'\nsound = 'alarm'\n", at: 30)
    #expect(rig.value == kept)
  }
}
