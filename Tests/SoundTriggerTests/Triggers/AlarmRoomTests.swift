import SoundTrigger
import Testing

/// What keeps an alarm from being silent for longer than it must: voices that become free at the wrong moment, importances that
/// change, and what a restart keeps.
@Suite struct AlarmRoomTests {
  private static func alarm(
    _ importance: PlaySettings.Importance = .critical, name: String = "t", value: ValueName = .v0,
    escalatesTo next: PlaySettings.Importance? = nil, offDelay: Duration? = nil
  ) -> TriggerDefinition {
    let steps = next.map { [TriggerDefinition.Escalation(after: .milliseconds(100), importance: $0)] } ?? []
    return .test(
      name: name, value: value, above: 5, loop: .init(offDelay: offDelay, escalation: steps), importance: importance)
  }

  @Test func `an alarm without a voice that becomes more important tries again at once`() {
    var rig = TriggerRig(Self.alarm(.high, escalatesTo: .critical))
    rig.answer = .refused(.crowded)
    rig.set([1, 6])
    rig.answer = .heard
    rig.advance(to: 101)
    #expect(rig.times == [1, 101])
    #expect(rig.settings.map(\.importance) == [.high, .critical])
  }

  @Test func `an alarm that is refused after it became more important tries again at once`() throws {
    var rig = TriggerRig(Self.alarm(.high, escalatesTo: .critical))
    rig.answer = .later
    rig.set([1, 6])
    rig.advance(to: 101)
    #expect(rig.adjusted.map(\.importance) == [.critical])
    rig.answer(.refused(.crowded), to: try #require(rig.running.first?.play), at: 150)
    #expect(rig.settings.map(\.importance) == [.high, .critical])
  }

  @Test func `an acknowledged alarm that is refused late stays silent`() throws {
    var rig = TriggerRig(Self.alarm(.high, escalatesTo: .critical))
    rig.answer = .later
    rig.set([1, 6])
    rig.advance(to: 101)
    let play = try #require(rig.running.first?.play)
    rig.callOff(at: 120)
    rig.answer(.refused(.crowded), to: play, at: 150)
    #expect(rig.times == [1])
  }

  @Test func `an alarm that becomes less important gives its voice to one that has none`() {
    var rig = TriggerRig(Self.alarm(escalatesTo: .low), Self.alarm(name: "u", value: .name("v1")))
    rig.set([1, 6])
    rig.answer = .refused(.crowded)
    rig.set(.number(1), at: 2, name: .name("v1"))
    rig.set(.number(6), at: 3, name: .name("v1"))
    rig.answer = .heard
    rig.advance(to: 101)
    #expect(rig.plays.map { "\($0.trigger)\($0.at)" } == ["t1", "u3", "u101"])
  }

  @Test func `an alarm that becomes less important than the profile wants falls silent`() {
    var rig = TriggerRig(Self.alarm(escalatesTo: .low))
    rig.setProfile(.silent, at: 0)
    rig.set([1, 6])
    rig.advance(to: 101)
    #expect(rig.causesOfStops == [.profile])
    #expect(rig.adjusted.isEmpty)
  }

  @Test func `an alarm that finds no voice tries again if one became free meanwhile, and only then`() throws {
    var rig = TriggerRig(Self.alarm(), Self.alarm(name: "u", value: .name("v1")))
    rig.set(.number(1), at: 0, name: .name("v1"))
    rig.set(.number(6), at: 1, name: .name("v1"))
    rig.answer = .later
    rig.set([1, 6], from: 2)
    let play = try #require(rig.running.last?.play)
    // It fades from now on, so its voice may be taken; its end comes much later.
    rig.set(.number(1), at: 4, name: .name("v1"))
    rig.answer = .refused(.crowded)
    rig.answer(.refused(.crowded), to: play, at: 5)
    #expect(rig.plays.map { "\($0.trigger)\($0.at)" } == ["u1", "t3", "t5"])
  }

  @Test
  func `a critical alarm that repeats starts again at once if its voice is stolen, and keeps its beat if it ends`() {
    var rig = TriggerRig(
      .test(above: 5, loop: .init(every: [.milliseconds(100)]), importance: .critical))
    rig.set([1, 6])
    rig.endSound(at: 50, 0, .stolen)
    rig.endSound(at: 70)
    rig.advance(to: 101)
    #expect(rig.times == [1, 50, 101])
  }

  // MARK: A restart

  /// What an engine makes of the records of another one, after this content.
  private static func restarted(
    _ rig: TriggerRig, _ definition: TriggerDefinition, _ content: Value, at milliseconds: Int64
  ) throws -> TriggerRig {
    let record = try #require(rig.engine.alarmRecord(of: TriggerID(index: 0)))
    var next = TriggerRig(definition)
    next.engine.restore(record, of: definition.name, at: Instant(milliseconds))
    next.engine.resumeAlarms(at: Instant(milliseconds))
    next.advance(to: milliseconds)
    next.appear(content, at: milliseconds + 1)
    return next
  }

  @Test func `an alarm whose end off_delay puts off is the same after a restart, and ends when it would have`() throws {
    let definition = Self.alarm(offDelay: .seconds(1))
    var rig = TriggerRig(definition)
    rig.set([1, 6, 1])
    var next = try Self.restarted(rig, definition, .number(1), at: 100)
    #expect(next.times == [100])
    next.advance(to: 1_001)
    #expect(next.stops.isEmpty)
    next.advance(to: 1_002)
    #expect(next.stops.map(\.at) == [1_002])
  }

  @Test(arguments: [false, true])
  func `an acknowledged alarm stays so after a restart if the value changed while it was delayed`(
    isPending: Bool
  ) throws {
    let definition = TriggerDefinition.test(
      sound: .table([.utf8("a"): "sa", .utf8("b"): "sb"], otherwise: nil), delay: .milliseconds(100), loop: .init())
    var rig = TriggerRig(definition)
    for (time, content) in [(0, "x"), (1, "a"), (2, "b")] { rig.set(.utf8(content), at: Int64(time)) }
    if !isPending { rig.advance(to: 101) }
    #expect(rig.sounds == (isPending ? [] : ["sb"]))
    let isAcknowledged = rig.engine.acknowledge(TriggerID(index: 0), at: Instant(isPending ? 50 : 200))
    #expect(isAcknowledged)
    let next = try Self.restarted(rig, definition, .utf8("b"), at: 300)
    #expect(next.times == [])
    #expect(next.engine.alarm(TriggerID(index: 0))?.life == .acknowledged)
  }
}
