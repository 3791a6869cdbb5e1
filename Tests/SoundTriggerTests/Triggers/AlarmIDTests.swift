import Testing

@testable import SoundTrigger

/// The numbers of the occurrences of alarms: `ack id=17` acknowledges that occurrence and no later one.
@Suite struct AlarmIDTests {
  private static let alarm = TriggerDefinition.test(name: "alarm", above: 5, loop: .init())

  private func id(_ rig: TriggerRig, _ index: Int = 0) -> Int64? { rig.alarm(index)?.id?.rawValue }

  @Test func `an occurrence begins when the alarm leaves normal, and ends when it is normal again`() {
    var rig = TriggerRig(Self.alarm)
    rig.set(.number(1), at: 0)
    #expect(id(rig) == nil)
    rig.set(.number(6), at: 1)
    #expect(id(rig) == 1)
    rig.set(.number(7), at: 2)
    #expect(id(rig) == 1)
    rig.set(.number(1), at: 3)
    #expect(id(rig) == nil)
    rig.set(.number(6), at: 4)
    #expect(id(rig) == 2)
  }

  @Test func `alarms share one sequence`() {
    var rig = TriggerRig(Self.alarm, Self.alarm.with { $0.name = "other" })
    rig.set([1, 6])
    #expect([id(rig, 0), id(rig, 1)] == [1, 2])
  }

  @Test func `a pending alarm keeps its number when it becomes active`() {
    for timing in [{ $0.timing.delay = .seconds(1) }, { $0.timing.debounce = .seconds(1) }]
      as [(inout TriggerDefinition) -> Void]
    {
      var rig = TriggerRig(Self.alarm.with(timing))
      rig.set(.number(1), at: 0)
      rig.advance(to: 2_000)
      rig.set(.number(6), at: 2_001)
      #expect(rig.alarm()?.life == .pending)
      #expect(id(rig) == 1)
      rig.advance(to: 3_001)
      #expect(rig.alarm()?.life == .active)
      #expect(id(rig) == 1)
    }
  }

  @Test func `a pending alarm that was called off has had its number`() {
    var rig = TriggerRig(Self.alarm.with { $0.timing.delay = .seconds(1) })
    rig.set([1, 6, 1, 6])
    #expect(id(rig) == 2)
  }

  @Test func `an alarm that is active after an acknowledgement begins a new occurrence`() {
    var rig = TriggerRig(Self.alarm.with { $0.loop = .init(realarm: .seconds(10)) })
    rig.set([1, 6])
    rig.acknowledge(at: 10)
    #expect(id(rig) == 1)
    rig.advance(to: 10_010)
    #expect(rig.alarm()?.life == .active)
    #expect(id(rig) == 2)
  }

  @Test func `an acknowledged alarm keeps its number while another value waits, and gets one when that is active`() {
    let definition = Self.alarm.with {
      $0.values = [.v0, .name("v1")]
      $0.timing.delay = .milliseconds(10)
    }
    var rig = TriggerRig(definition)
    rig.set([(.v0, .number(1)), (.name("v1"), .number(1))], at: 0)
    rig.set(.number(6), at: 1)
    rig.advance(to: 11)
    rig.acknowledge(at: 12)
    rig.set(.number(6), at: 13, name: .name("v1"))
    #expect(id(rig) == 1)
    rig.advance(to: 23)
    #expect(rig.alarm()?.life == .active)
    #expect(id(rig) == 2)
  }

  @Test func `a latched alarm whose condition returns continues its occurrence`() {
    var rig = TriggerRig(Self.alarm.with { $0.loop = .init(latch: true) })
    rig.set([1, 6, 1])
    #expect(rig.alarm()?.life == .latched)
    #expect(id(rig) == 1)
    rig.set(.number(6), at: 3)
    #expect(rig.alarm()?.life == .active)
    #expect(id(rig) == 1)
  }

  @Test func `what waits while another value ends its alarm is an occurrence of its own`() {
    let definition = Self.alarm.with {
      $0.values = [.v0, .name("v1")]
      $0.timing.delay = .milliseconds(10)
    }
    var rig = TriggerRig(definition)
    rig.set([(.v0, .number(1)), (.name("v1"), .number(1))], at: 0)
    rig.set(.number(6), at: 1)
    rig.advance(to: 11)
    rig.set(.number(6), at: 12, name: .name("v1"))
    rig.set(.number(1), at: 13)
    #expect(rig.alarm()?.life == .pending)
    #expect(id(rig) == 2)
  }

  @Test func `a snooze and a silence change no number`() {
    var rig = TriggerRig(Self.alarm)
    rig.set([1, 6])
    rig.snooze(until: 100, at: 10)
    rig.setProfile(.silent, at: 20)
    rig.advance(to: 200)
    rig.setProfile(.full, at: 300)
    #expect(id(rig) == 1)
  }

  // MARK: The alarm of a number

  @Test func `a number finds the alarm as long as that occurrence lasts`() {
    var rig = TriggerRig(.test(name: "once"), Self.alarm)
    #expect(rig.engine.alarm(withID: AlarmID(1)) == nil)
    rig.set([1, 6])
    #expect(rig.engine.alarm(withID: AlarmID(1)) == TriggerID(index: 1))
    #expect(rig.engine.alarm(withID: AlarmID(2)) == nil)
    rig.acknowledge(at: 10, 1)
    #expect(rig.engine.alarm(withID: AlarmID(1)) == TriggerID(index: 1))
    rig.set([1, 6], from: 20)
    #expect(rig.engine.alarm(withID: AlarmID(1)) == nil)
    #expect(rig.engine.alarm(withID: AlarmID(2)) == TriggerID(index: 1))
  }

  @Test func `an acknowledgement of a number concerns no later occurrence, even one that begins at that time`() {
    var rig = TriggerRig(Self.alarm.with { $0.loop = .init(realarm: .milliseconds(100)) })
    rig.set([1, 6])
    let first = rig.engine.acknowledge(AlarmID(1), at: Instant(10))
    #expect(first)
    #expect(rig.alarm()?.life == .acknowledged)
    let late = rig.engine.acknowledge(AlarmID(1), at: Instant(110))
    #expect(!late)
    #expect(rig.alarm()?.life == .active)
    let second = rig.engine.acknowledge(AlarmID(2), at: Instant(120))
    #expect(second)
    #expect(rig.alarm()?.life == .acknowledged)
  }

  @Test func `a number finds the member of a rule`() throws {
    let pattern = try #require(ValuePattern("*"))
    let rule = Self.alarm.with { ($0.values, $0.patterns) = ([], [pattern]) }
    var rig = TriggerRig(rule)
    rig.engine.join(TriggerRig.id(.v0), .v0, isEvent: false)
    rig.set([1, 6])
    let member = try #require(rig.engine.alarm(withID: AlarmID(1)))
    #expect(rig.engine.name(of: member) == "alarm[v0]")
  }

  // MARK: Reloads and restarts

  @Test func `a reload keeps the number of what continues`() {
    var rig = TriggerRig(Self.alarm)
    rig.set([1, 6])
    rig.reload([.test(name: "new"), Self.alarm], at: 9)
    #expect(id(rig, 1) == 1)
    rig.reload([Self.alarm.with { $0.settings.volume = 0.5 }], at: 10)
    #expect(id(rig) == 1)
    rig.acknowledge(at: 11)
    rig.reload([Self.alarm], at: 12)
    #expect(rig.alarm()?.life == .acknowledged)
    #expect(id(rig) == 1)
    rig.reload([Self.alarm.with { $0.threshold = Threshold(above: 9) }], at: 13)
    #expect(id(rig) == nil)
    rig.set(.number(10), at: 14)
    #expect(id(rig) == 2)
  }

  @Test func `a reload keeps the number of a pending alarm`() {
    let pending = Self.alarm.with { $0.timing.delay = .seconds(1) }
    var rig = TriggerRig(pending)
    rig.set([1, 6])
    rig.reload([pending.with { $0.timing.delay = .seconds(2) }], at: 9)
    #expect(rig.alarm()?.life == .pending)
    #expect(id(rig) == 1)
    rig.reload([Self.alarm], at: 10)
    #expect(rig.alarm()?.life == .active)
    #expect(id(rig) == 1)
  }

  @Test func `the shell says where the numbers begin`() {
    var rig = TriggerRig(Self.alarm)
    rig.engine.nextAlarmID = AlarmID(1_790_000_000_000_000)
    rig.engine.nextAlarmID = AlarmID(17)
    rig.set([1, 6])
    #expect(id(rig) == 1_790_000_000_000_000)
    #expect(rig.engine.nextAlarmID == AlarmID(1_790_000_000_000_001))
  }

  @Test func `a restart keeps the number, and what begins later has a greater one, even if the clock is behind`() {
    var rig = TriggerRig(Self.alarm, Self.alarm.with { $0.name = "other" })
    rig.engine.nextAlarmID = AlarmID(100)
    rig.set([1, 6])
    rig.acknowledge(at: 5, 1)
    rig.restart(at: 10)
    #expect([id(rig, 0), id(rig, 1)] == [100, 101])
    rig.set(.number(6), at: 11)
    #expect([id(rig, 0), id(rig, 1)] == [100, 101])
    rig.set([1, 6], from: 12)
    #expect([id(rig, 0), id(rig, 1)] == [102, 103])
  }

  @Test func `a restart keeps the number of a pending alarm`() {
    var rig = TriggerRig(Self.alarm.with { $0.timing.delay = .seconds(1) })
    rig.engine.nextAlarmID = AlarmID(100)
    rig.set([1, 6])
    rig.restart(at: 10)
    #expect(rig.alarm()?.life == .pending)
    #expect(id(rig) == 100)
    rig.advance(to: 1_001)
    #expect(rig.alarm()?.life == .active)
    #expect(id(rig) == 100)
  }

  @Test(arguments: [nil, 0, -5, Int64.min, Int64.max])
  func `an alarm of an earlier version, or with a number that makes no sense, gets one`(saved: Int64?) {
    var record = AlarmRecord()
    (record.life, record.values, record.since) = (.active, [.v0], Instant(1))
    record.id = saved.map { AlarmID($0) }
    var rig = TriggerRig(Self.alarm)
    rig.engine.nextAlarmID = AlarmID(100)
    rig.engine.restore(record, of: "alarm", at: Instant(2))
    #expect(id(rig) == 100)
  }

  @Test func `the number of an alarm that no trigger has is not given again`() {
    var record = AlarmRecord()
    (record.life, record.id, record.values) = (.active, AlarmID(7), [.v0])
    var rig = TriggerRig(Self.alarm)
    rig.engine.restore(record, of: "gone", at: Instant(0))
    rig.set([1, 6])
    #expect(id(rig) == 8)
  }
}
