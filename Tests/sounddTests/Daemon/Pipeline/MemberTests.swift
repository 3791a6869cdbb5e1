import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// The members of patterns: when they come and go, and what they cost.
struct MemberTests {
  private let pipeline: Pipeline
  private let output = OfflineOutput(writer: nil, rate: 1000)
  private static let day = 86_400

  init() throws {
    pipeline = try Pipeline(Self.configuration(), player: Player(output))
    var sounds = LoadedSounds()
    sounds.set("s", .success(Clip(stereo: [Float](repeating: 0.1, count: 200), rate: 1000)))
    pipeline.setSounds(sounds, at: Instant(nanoseconds: 0))
  }

  private static func configuration(_ addition: String = "") throws -> Configuration {
    let text = """
      [value."agent/*"]
      forget_after = "12 h"
      [value."temp/*"]
      type = "number"
      expect_every = "60 s"
      [[trigger]]
      name = "needs"
      value = "agent/*"
      to = "waiting"
      sound = "s"
      throttle = "1 min"
      initial = "if-changed"
      [[trigger]]
      name = "stuck"
      value = "agent/*"
      to = "stuck"
      loop_every = "1 min"
      latch = true
      sound = "s"
      [[trigger]]
      name = "hot"
      value = ["temp/*", "temp/a"]
      above = 50
      sound = "s"
      [[trigger]]
      name = "silent"
      value = "temp/*"
      when = "stale"
      sound = "s"
      [limits]
      members = 20
      \(addition)
      """
    return try ConfigurationText(file: "c.toml", bytes: Array(text.utf8)).configuration(.test)
  }

  private static func instant(_ seconds: Int) -> Instant { Instant(nanoseconds: Int64(seconds) * 1_000_000_000) }

  private func set(_ name: String, _ content: String, at seconds: Int = 0) throws {
    try pipeline.assign(Array(name.utf8).span, Array(content.utf8).span, at: Self.instant(seconds))
    finishSounds(at: seconds)
  }

  /// Lets what sounds end, and tells the pipeline.
  private func finishSounds(at seconds: Int) {
    _ = pipeline.collect(at: Self.instant(seconds))
    _ = try? output.advance(to: Self.instant(seconds + 1))
    _ = pipeline.collect(at: Self.instant(seconds))
  }

  private func id(_ name: String) -> ValueID? { pipeline.store.id(of: Array(name.utf8).span) }

  private func set(object text: String) throws {
    let object = Array(text.utf8)
    try pipeline.assign(object: object.span, at: Self.instant(0))
  }

  private func verdict(_ trigger: String) -> Verdict? {
    pipeline.conductor.engine.trigger(named: trigger).flatMap {
      pipeline.conductor.engine.watchedChanges(of: $0).last?.change.verdict
    }
  }

  private func life(_ trigger: String) -> AlarmLife? {
    pipeline.conductor.engine.trigger(named: trigger).flatMap { pipeline.conductor.engine.alarm($0)?.life }
  }

  @Test func `a member has its own throttle`() throws {
    try set("agent/1", "waiting")
    try set("agent/2", "waiting")
    #expect(verdict("needs[agent/1]") == .played)
    #expect(verdict("needs[agent/2]") == .played)
    try set("agent/1", "busy", at: 1)
    try set("agent/1", "waiting", at: 2)
    guard case .throttled = verdict("needs[agent/1]") else { return #expect(Bool(false), "it is throttled") }
  }

  @Test func `a name that a list has twice plays once`() throws {
    try set("temp/a", "20")
    try set("temp/a", "60", at: 2)
    let hot = try #require(pipeline.conductor.engine.trigger(named: "hot"))
    #expect(pipeline.conductor.engine.members(of: hot)?.count == 1)
    #expect(pipeline.conductor.engine.counters(of: hot).played == 1)
  }

  @Test func `a content that the type refuses leaves no name behind`() throws {
    #expect(throws: ValueStoreError.self) { try set("temp/b", "warm") }
    #expect(id("temp/b") == nil)
    // Nor does it in a transaction, of which nothing is applied.
    #expect(throws: AssignmentRefusal.self) { try set(object: #"{"agent/9": "busy", "temp/b": "warm", "temp/c": 3}"#) }
    #expect(pipeline.store.ids.allSatisfy { ["temp/a"].contains(pipeline.store.name(of: $0).description) })
  }

  @Test func `members beyond the limit are refused, counted and named, and room comes with those that leave`() throws {
    for number in 0..<20 { try set("agent/\(number)", "busy") }
    #expect(throws: ValueStoreError.tooManyMembers(name: "agent/20", pattern: "agent/*", limit: 20)) {
      try set("agent/20", "busy")
    }
    #expect(throws: AssignmentRefusal.self) { try set(object: #"{"agent/21": "busy", "temp/c": 3}"#) }
    #expect(pipeline.store.refusedMembers.map(\.count) == [2])
    // Those that are there may change.
    try set("agent/3", "waiting")
    try pipeline.unset(["agent/4"], at: Self.instant(0))
    try set("agent/20", "busy")
  }

  @Test func `a value is forgotten when nobody has reported it for long enough, and its members go with it`() throws {
    try set("agent/1", "busy")
    try set("agent/2", "busy", at: 10)
    try set("agent/1", "busy", at: 3600)
    pipeline.advance(to: Self.instant(10 + 12 * 3600))
    #expect(id("agent/2") == nil)
    #expect(pipeline.conductor.engine.trigger(named: "needs[agent/2]") == nil)
    #expect(pipeline.conductor.engine.trigger(named: "needs[agent/1]") != nil)
    // It is a newcomer when it comes again.
    try set("agent/2", "waiting", at: 50_000)
    #expect(verdict("needs[agent/2]") == .played)
  }

  @Test func `a value is not forgotten while an alarm of it is not normal`() throws {
    try set("agent/1", "stuck")
    pipeline.advance(to: Self.instant(13 * 3600))
    #expect(life("stuck[agent/1]") == .active)
    let stuck = try #require(pipeline.conductor.engine.trigger(named: "stuck[agent/1]"))
    #expect(pipeline.acknowledge(stuck, at: Self.instant(13 * 3600)))
    pipeline.advance(to: Self.instant(14 * 3600))
    // It is acknowledged, and its condition holds.
    #expect(life("stuck[agent/1]") == .acknowledged)
  }

  @Test func `a latched alarm outlives its value, and goes when somebody acknowledges it`() throws {
    try set("agent/1", "stuck")
    try pipeline.unset(["agent/1"], at: Self.instant(5))
    #expect(life("stuck[agent/1]") == .latched)
    let stuck = try #require(pipeline.conductor.engine.trigger(named: "stuck[agent/1]"))
    #expect(pipeline.acknowledge(stuck, at: Self.instant(6)))
    finishSounds(at: 6)
    #expect(pipeline.conductor.engine.trigger(named: "stuck[agent/1]") == nil)
    #expect(id("agent/1") == nil)
  }

  @Test func `each member is expected by itself`() throws {
    try set("temp/x", "20")
    try set("temp/y", "20", at: 50)
    pipeline.advance(to: Self.instant(60))
    #expect(verdict("silent[temp/x]") == .starting || verdict("silent[temp/x]") == .played)
    #expect(verdict("silent[temp/y]") == .appeared)
    let y = try #require(id("temp/y"))
    #expect(pipeline.isStale(y) == false)
  }

  @Test func `a reload keeps members, and lets those of a new rule begin with what is there`() throws {
    try set("agent/1", "waiting")
    let addition = """
      [[trigger]]
      name = "new"
      value = "agent/*"
      sound = "s"
      """
    try pipeline.replace(Self.configuration(addition), at: Self.instant(1))
    #expect(verdict("needs[agent/1]") == .played)
    #expect(verdict("new[agent/1]") == .appeared)
    #expect(pipeline.nextDeadline != nil)
    pipeline.advance(to: Self.instant(12 * 3600))
    #expect(pipeline.conductor.engine.trigger(named: "new[agent/1]") == nil)
  }

  @Test func `forty agents a day for two months leave nothing behind`() throws {
    for day in 0..<60 {
      for agent in 0..<40 {
        let second = day * Self.day + agent * 600
        let name = "agent/\(day)-\(agent)"
        do {
          try set(name, "busy", at: second)
          try set(name, agent % 7 == 0 ? "stuck" : "waiting", at: second + 20)
          if agent % 7 == 0 { try set(name, "done", at: second + 40) }
        } catch ValueStoreError.tooManyMembers {
          // Twenty at a time: the others are refused.
        }
        for alarm in pipeline.conductor.engine.soundingAlarms {
          _ = pipeline.acknowledge(alarm, at: Self.instant(second + 50))
        }
      }
    }
    pipeline.advance(to: Self.instant(62 * Self.day))
    finishSounds(at: 62 * Self.day)
    #expect(pipeline.store.ids.map { pipeline.store.name(of: $0).description } == ["temp/a"])
    #expect(pipeline.store.indices.count < 30)
    #expect(pipeline.conductor.engine.triggers.isEmpty)
    #expect(pipeline.conductor.player.latencies.count <= 4)
  }

  @Test func `a member's place and pitch follow from its name alone`() throws {
    let text = """
      [[trigger]]
      value = "host/*"
      sound = "s"
      spread = true
      """
    let configuration = try ConfigurationText(file: "c.toml", bytes: Array(text.utf8)).configuration(.test)
    func places() throws -> [(pan: Double, pitch: Float)] {
      let pipeline = try Pipeline(configuration, player: Player(OfflineOutput(writer: nil, rate: 1000)))
      var places: [(pan: Double, pitch: Float)] = []
      for number in 0..<100 {
        for content in ["up", "down"] {
          let name = Array("host/\(number)".utf8)
          try pipeline.assign(name.span, Array(content.utf8).span, at: Instant(nanoseconds: 0))
        }
        let play = pipeline.conductor.player.playing.last
        if let play { places.append((play.settings.pan, play.settings.pitch)) }
      }
      return places
    }
    let all = try places()
    let first = all.map(\.pan)
    #expect(try places().elementsEqual(all, by: ==))
    #expect(all.allSatisfy { (-2...2).contains($0.pitch) })
    if all.count == 100 { #expect(all.filter { $0.pitch < 0 }.count > 30 && all.filter { $0.pitch > 0 }.count > 30) }
    #expect(first.allSatisfy { (-1...1).contains($0) })
    // A hundred names are spread over the whole width.
    if first.count == 100 { #expect(first.filter { $0 < 0 }.count > 30 && first.filter { $0 > 0 }.count > 30) }
  }
}
