import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// What follows when a value is forgotten.
struct UnsetTests {
  private let pipeline: Pipeline
  private let output = OfflineOutput(writer: nil, rate: 1000)

  init() throws {
    let text = """
      [value.declared]
      type = "number"
      [value.high]
      of = "n"
      type = "bool"
      equals = "9"
      [[trigger]]
      name = "loop"
      value = ["a", "b"]
      to = "on"
      loop = true
      sound = "s"
      [[trigger]]
      name = "delay"
      value = "c"
      to = "on"
      delay = "1 s"
      sound = "s"
      [[trigger]]
      name = "debounce"
      value = "c"
      debounce = "1 s"
      sound = "s"
      cancel = "ack"
      [[trigger]]
      name = "derived"
      value = "high"
      to = true
      loop = true
      sound = "s"
      """
    let configuration = try ConfigurationText(file: "c.toml", bytes: Array(text.utf8)).configuration(.test)
    pipeline = try Pipeline(configuration, player: Player(output))
    var sounds = LoadedSounds()
    sounds.set("s", .success(Clip(stereo: [Float](repeating: 0.1, count: 2000), rate: 1000)))
    pipeline.setSounds(sounds, at: Instant(nanoseconds: 0))
  }

  private func set(_ name: String, _ content: String) throws {
    try pipeline.assign(Array(name.utf8).span, Array(content.utf8).span, at: Instant(nanoseconds: 0))
    _ = pipeline.collect(at: Instant(nanoseconds: 0))
  }

  private func unset(_ names: String...) throws {
    try pipeline.unset(names, at: Instant(nanoseconds: 0))
    _ = pipeline.collect(at: Instant(nanoseconds: 0))
  }

  private func activity(_ trigger: String) -> TriggerActivity.State? {
    pipeline.conductor.engine.trigger(named: trigger).map { pipeline.conductor.engine.activity(of: $0).state }
  }

  private func verdict(_ trigger: String) -> Verdict? {
    pipeline.conductor.engine.trigger(named: trigger).flatMap {
      pipeline.conductor.engine.judgedChanges(of: $0).last?.verdict
    }
  }

  @Test func `a loop ends with the last of its values`() throws {
    for name in ["a", "b"] {
      try set(name, "off")
      try set(name, "on")
    }
    try unset("a")
    #expect(activity("loop") == .looping)
    try unset("b")
    #expect(activity("loop") != .looping)
  }

  @Test func `what waits is called off, and cancels nothing`() throws {
    try set("c", "off")
    try set("ack", "1")
    try set("c", "on")
    #expect(verdict("delay") == .delayed(for: .seconds(1)))
    try unset("ack")
    #expect(activity("debounce") == .waiting)
    try unset("c")
    #expect(verdict("delay") == .calledOff)
    #expect(verdict("debounce") == .calledOff)
    #expect(activity("debounce") == .resting)
    try set("c", "on")
    #expect(verdict("debounce") == .appeared)
  }

  @Test func `what is derived loses its content, and begins anew with its base`() throws {
    try set("n", "1")
    try set("n", "9")
    #expect(activity("derived") == .looping)
    try unset("n")
    #expect(activity("derived") != .looping)
    let high = try #require(pipeline.store.id(of: ValueName(literal: "high")))
    #expect(pipeline.store.value(of: high) == nil)
    try set("n", "9")
    #expect(pipeline.store.value(of: high) == .bool(true))
    // The alarm follows the state that it finds.
    #expect(activity("derived") == .looping)
  }

  @Test func `a name that the triggers know keeps its place, any other one is gone`() throws {
    let count = pipeline.store.count
    try set("stranger", "1")
    try set("a", "1")
    #expect(pipeline.store.count == count + 1)
    try unset("stranger", "a")
    #expect(pipeline.store.count == count)
    #expect(pipeline.store.id(of: ValueName(literal: "stranger")) == nil)
    #expect(pipeline.store.id(of: ValueName(literal: "a")).map { pipeline.store.lastUpdate(of: $0) } == .some(nil))
  }

  @Test func `a declared or unknown name keeps all others from being forgotten`() throws {
    try set("a", "1")
    #expect(throws: UnsetProblem.declared("declared")) { try unset("a", "declared") }
    #expect(throws: UnsetProblem.declared("high")) { try unset("a", "high") }
    #expect(throws: UnsetProblem.unknown("nobody")) { try unset("a", "nobody") }
    #expect(
      pipeline.store.id(of: ValueName(literal: "a")).flatMap { pipeline.store.value(of: $0) } == .text(Array("1".utf8)))
  }
}
