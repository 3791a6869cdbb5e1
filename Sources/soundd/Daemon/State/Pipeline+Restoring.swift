import SoundTrigger
import SoundWire

/// What became of something that an earlier run has left for a trigger.
enum Restored {
  case volume(trigger: String, Double)
  case alarm(name: String, AlarmRecord)
  /// The pattern of the alarm has no room for it (limits.members).
  case crowdedAlarm(name: String)
  /// The trigger is no alarm any more.
  case endedAlarm(name: String)
}

/// Gives values and triggers back what an earlier run has saved of them, before any value has a content.
extension Pipeline {
  /// The volume of everything, and what values held.
  func restoreContents(of state: SavedState) {
    conductor.player.setLevel(PlayLevel(volume: state.volume), of: nil)
    for (name, content) in state.contents { store.restore(content, of: name) }
  }

  /// When values were last reported. Call it after the alarms are restored: one that rings because its value is stale goes on.
  func restoreReports(of state: SavedState, at now: Instant) {
    for (name, report) in state.reports.values.sorted(by: { $0.key.description < $1.key.description }) {
      let time = SavedState.instant(of: report.milliseconds, at: now)
      restore(Expectations.Report(time: time, isStale: report.isStale), of: name, at: now)
    }
  }

  /// The volumes, throttles and alarms of the triggers that the configuration has.
  func restoreTriggers(of state: SavedState, at now: Instant, note: (Restored) -> Void = { _ in }) {
    for (name, volume) in state.volumes where conductor.engine.trigger(named: name) != nil {
      conductor.player.setLevel(PlayLevel(volume: volume), of: name)
      note(.volume(trigger: name, volume))
    }
    for (name, civil) in state.plays where isKnown(name) {
      restore(lastPlay: SavedState.instant(of: civil, at: now), of: name)
    }
    for (name, alarm) in state.alarms where isKnown(name) {
      let trigger = restoredTrigger(named: name, at: now)
      guard let id = trigger, conductor.engine.alarm(id) != nil else {
        if alarm.life != .normal { note(trigger == nil ? .crowdedAlarm(name: name) : .endedAlarm(name: name)) }
        continue
      }
      // Both clocks at one moment: else the times of alarms would drift with each start.
      let record = alarm.record(
        at: now, civil: Timestamp(of: now), savedAt: state.savedAt.milliseconds,
        of: conductor.engine.definition(of: id))
      note(.alarm(name: name, record))
      restore(record, of: name, at: now)
    }
  }

  /// Whether the configuration has a trigger of this name, or a rule with such a member.
  func isKnown(_ trigger: String) -> Bool {
    conductor.engine.trigger(named: trigger) != nil || conductor.engine.value(ofMember: trigger) != nil
  }
}
