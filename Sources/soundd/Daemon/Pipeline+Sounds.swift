import SoundTrigger

/// What those who make the noise tell the triggers, and ask them for.
extension Pipeline {
  /// A sound of a trigger has come to its end, or was ended.
  func soundEnded(of trigger: String, at now: Instant) {
    guard let trigger = engine.trigger(named: trigger) else { return }
    hasDecided = true
    engine.soundEnded(trigger, at: now, perform)
  }

  /// Calls off what waits and ends what sounds, for one trigger or for all of them.
  func callOff(_ trigger: String?, at now: Instant) {
    let all = engine.definitions.indices.map { TriggerID(index: $0) }
    for trigger in trigger.map({ engine.trigger(named: $0).map { [$0] } ?? [] }) ?? all {
      engine.callOff(trigger, at: now, perform)
    }
  }

  /// A sound was not heard after all.
  func noteUnheard(_ trigger: String, _ verdict: Verdict, at now: Instant) {
    if let trigger = engine.trigger(named: trigger) { engine.noteUnheard(trigger, verdict, at: now) }
  }

  /// There may be sounds again that were missing, or room for them.
  func retryLoops(at now: Instant) {
    hasDecided = true
    engine.retryLoops(at: now, perform)
  }

  /// The triggers that are not among these definitions, and whether they wait for something, or sound as long as their
  /// conditions last.
  func triggers(notAmong definitions: [TriggerDefinition]) -> [(name: String, isBusy: Bool)] {
    let unchanged = Set(definitions)
    return engine.definitions.enumerated().filter { !unchanged.contains($0.element) }.map { place, definition in
      let activity = engine.activity(of: TriggerID(index: place))
      return (definition.name, activity.queued > 0 || activity.state == .waiting || activity.state == .looping)
    }
  }

  /// A trigger that goes on sounding until a value changes.
  var endlessLoop: String? {
    engine.definitions.indices.first {
      engine.definitions[$0].loop.map { $0.limit == nil } ?? false
        && engine.activity(of: TriggerID(index: $0)).state == .looping
    }.map { engine.definitions[$0].name }
  }
}
