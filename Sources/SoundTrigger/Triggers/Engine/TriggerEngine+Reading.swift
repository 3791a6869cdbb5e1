/// The index of a trigger in `TriggerEngine.definitions`, until the next reload.
package struct TriggerID: Hashable, Sendable {
  package var index: Int
  package init(index: Int) { self.index = index }
}

/// Queries about the triggers of an engine.
extension TriggerEngine {
  /// Every sound that any trigger may play, each once.
  package var sounds: [String] {
    var known: Set<String> = []
    return definitions.flatMap(\.sounds).filter { known.insert($0).inserted }
  }

  /// The trigger of a name.
  package func trigger(named name: String) -> TriggerID? { indices[name].map { TriggerID(index: $0) } }

  /// The counters of a trigger.
  package func counters(of trigger: TriggerID) -> TriggerCounters { machines[trigger.index].counters }

  /// The last changes that a trigger saw, appearances and staleness included: oldest first. The last 32,
  /// and before them those of the last 8 plays that are older.
  package func judgedChanges(of trigger: TriggerID) -> [JudgedChange] { machines[trigger.index].log.changes }

  /// The present activity of a trigger.
  package func activity(of trigger: TriggerID) -> TriggerActivity { machines[trigger.index].activity }

  /// When the next wait of a trigger ends, a debounce or a delay; `nil` if it does not wait.
  package func waitEnd(of trigger: TriggerID) -> Instant? {
    machines[trigger.index].watches.reduce(nil) { Instant.earlier($0, $1.deadline) }
  }

  /// When the last heard play of a trigger began; `nil` if none was heard. After a restart its `throttle` counts from then.
  package func lastHeardPlay(of trigger: TriggerID) -> Instant? { machines[trigger.index].lastHeardPlay }

  /// From when the `throttle` of a trigger counts; `nil` if it has played nothing.
  package func lastPlay(of trigger: TriggerID) -> Instant? { machines[trigger.index].lastPlay }

  /// Lets the `throttle` of a trigger count from a play of an earlier run of soundd. Ignores a name that no trigger has.
  package mutating func restore(lastPlay: Instant, of name: String) {
    guard let index = indices[name] else { return }
    machines[index].lastHeardPlay = lastPlay
  }
}
