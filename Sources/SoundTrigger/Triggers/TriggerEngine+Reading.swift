extension TriggerEngine {
  /// The trigger of a name.
  package func trigger(named name: String) -> TriggerID? { places[name].map { TriggerID(index: $0) } }

  /// What a trigger has done so far.
  package func counters(of trigger: TriggerID) -> TriggerCounters { machines[trigger.index].counters }

  /// The last changes that a trigger saw, appearances and staleness included: oldest first, at most 32.
  package func judgedChanges(of trigger: TriggerID) -> [JudgedChange] { machines[trigger.index].log.changes }

  /// Has it noted, or not, what each sound is started for.
  package mutating func noteCauses(_ isWanted: Bool) {
    if isWanted == shared.notesCauses { return }
    shared.notesCauses = isWanted
    _ = shared.takeCauses()
  }

  /// What each sound was started for since the last call: one for each `play` that was performed, in their order.
  package mutating func takeCauses() -> [PlayCause] { shared.takeCauses() }

  /// What a trigger is doing now.
  package func activity(of trigger: TriggerID) -> TriggerActivity { machines[trigger.index].activity }

  /// From when the `throttle` of a trigger counts; `nil`: it has played nothing.
  package func lastPlay(of trigger: TriggerID) -> Instant? { machines[trigger.index].lastPlay }

  /// Has the `throttle` of a trigger count from a play of an earlier run of soundd; does nothing if there is no such trigger.
  package mutating func restore(lastPlay: Instant, of name: String) {
    guard let place = places[name] else { return }
    machines[place].lastPlay = lastPlay
  }
}
