@testable import SoundTrigger
@testable import soundd

/// soundd ends, and starts again from what it saved, perhaps on another day and with another clock.
extension AlarmWorld {
  func civil(_ instant: Instant) -> Timestamp {
    let milliseconds = Int(instant.nanoseconds / 1_000_000) + civilAhead
    return Timestamp(seconds: Int64(milliseconds / 1000), nanoseconds: Int32(milliseconds % 1000) * 1_000_000)
  }

  func restart() throws {
    let engine = pipeline.conductor.engine
    var state = SavedState()
    state.savedAt.milliseconds = civil(instant).milliseconds
    for (index, definition) in engine.definitions.enumerated() {
      let record = engine.alarmRecord(of: TriggerID(index: index))
      if let record { state.alarms[definition.name] = SavedAlarm(record, civil: civil) }
    }
    for id in pipeline.store.ids { state.contents[pipeline.store.name(of: id)] = pipeline.store.savedContent(of: id) }
    let bytes = state.bytes
    let (stop, savedCivil) = (now, now + civilAhead)
    let downtime = 5 * random.below(200)
    // After the machine has started again its clock begins anew.
    if chance(30) { now = 5 * random.below(1000) } else { now += downtime }
    let jump = chance(30) ? 5 * (random.below(4000) - 2000) : 0
    civilAhead = savedCivil + downtime + jump - now
    note("restart: stopped at \(stop), civil clock moved by \(downtime + jump)")
    let restored = try SavedState(bytes)
    pipeline = try makePipeline()
    for (name, content) in restored.contents { pipeline.store.restore(content, of: name) }
    pipeline.setProfile(profile, at: instant)
    for (name, alarm) in restored.alarms.sorted(by: { $0.key < $1.key }) {
      guard let spec = specs.first(where: { $0.name == name }) else { continue }
      guard let id = pipeline.conductor.engine.trigger(named: spec.name) else { continue }
      let record = alarm.record(
        at: instant, civil: civil(instant), savedAt: restored.savedAt.milliseconds,
        of: pipeline.conductor.engine.definition(of: id))
      pipeline.restore(record, of: name, at: instant)
    }
    // What has ended while soundd did not run ends before anything is read.
    pipeline.advance(to: instant)
    contents = [:]
    (lastHeard, throttleEnds) = ([:], [:])
    let back = now + civilAhead - savedCivil
    for index in alarms.indices { alarms[index] = restarted(alarms[index], stop: stop, movedBy: back) }
    setSounds()
    for index in alarms.indices {
      alarms[index].advance(to: now, awake: now)
      alarms[index].settle(at: now)
    }
    for name in Self.texts + Self.numbers + Self.gates where chance(60) { try set([name]) }
    pipeline.resumeAlarms(at: instant)
  }

  /// What a restart leaves of an alarm: times stay where the civil clock had them, but none lies ahead that has passed.
  func restarted(_ old: NaiveAlarm, stop: Int, movedBy moved: Int) -> NaiveAlarm {
    func past(_ time: Int) -> Int { now - max(0, stop - time + moved) }
    var alarm = NaiveAlarm(old.spec)
    alarm.snoozedUntil =
      moved < 0 ? nil : old.snoozedUntil.flatMap { $0 - stop > moved ? now + $0 - stop - moved : nil }
    alarm.knowsSound = !old.spec.isTable
    let before = old.shownLife
    if before == .normal { return alarm }
    if before == .pending {
      // Which wait goes on is no promise.
      return adopt(alarm)
    }
    (alarm.life, alarm.since, alarm.acknowledgedAt, alarm.sound) =
      (before, past(old.since), past(old.acknowledgedAt), old.sound)
    for (watch, state) in old.watches.enumerated() {
      (alarm.watches[watch].meets, alarm.watches[watch].isRestored) = (state.meets, state.meets)
    }
    if old.offEnd == nil, !old.watches.indices.contains(where: old.isPending) { return alarm }
    let adopted = adopt(alarm)
    let isOver = old.offEnd.map { $0 - stop <= moved } ?? false
    if adopted.life == .normal, !isOver {
      problem = "\(alarm.spec.name) is normal after the restart, and was \(before)"
    }
    return adopted
  }

  /// Takes over what the engine waits for.
  func adopt(_ alarm: NaiveAlarm) -> NaiveAlarm {
    var alarm = alarm
    let engine = pipeline.conductor.engine
    guard let id = engine.trigger(named: alarm.spec.name) else { return alarm }
    alarm.adopt(engine, id)
    return alarm
  }
}

extension NaiveAlarm {
  /// Takes over what the engine makes of an alarm whose waits a restart has cut.
  mutating func adopt(_ engine: TriggerEngine, _ id: TriggerID) {
    func milliseconds(_ time: Instant?) -> Int? { time.map { Int($0.nanoseconds / 1_000_000) } }
    let machine = engine.machines[id.index]
    // Its limit may have acknowledged it meanwhile, which ends a snooze.
    if machine.alarm.life == .acknowledged, life != .acknowledged { snoozedUntil = nil }
    life = machine.alarm.life
    if case .sound(let name) = machine.alarm.choice { sound = name }
    (since, acknowledgedAt) = (milliseconds(machine.alarm.since) ?? 0, milliseconds(machine.alarm.acknowledgedAt) ?? 0)
    offEnd = milliseconds(machine.alarm.offEnd)
    for watch in watches.indices {
      (watches[watch].meets, watches[watch].isRestored) = (
        machine.watches[watch].meetsCondition, machine.watches[watch].isRestored
      )
      watches[watch].delayEnd = milliseconds(machine.watches[watch].delay?.deadline)
    }
  }
}
