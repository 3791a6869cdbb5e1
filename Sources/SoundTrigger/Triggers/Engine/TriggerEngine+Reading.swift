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

  /// The trigger of a name; that of a member is `TRIGGER[VALUE]`.
  package func trigger(named name: String) -> TriggerID? {
    if let index = indices[name] { return TriggerID(index: index) }
    guard let (rule, member) = member(named: name) else { return nil }
    return rules[rule]?.members[member].map { TriggerID(index: $0) }
  }

  /// Every trigger, with the members of each rule instead of the rule.
  package var triggers: [TriggerID] {
    machines.indices.filter { $0 < definitions.count ? rules[$0] == nil : machines[$0].membership.exists }
      .map { TriggerID(index: $0) }
  }

  /// How many places for triggers there are, free ones included.
  package var placeCount: Int { machines.count }

  package func definition(of trigger: TriggerID) -> TriggerDefinition { machines[trigger.index].definition }

  package func name(of trigger: TriggerID) -> String { machines[trigger.index].name }

  /// The values that a trigger watches; of a rule, those that it names.
  package func values(of trigger: TriggerID) -> [ValueName] { machines[trigger.index].values }

  /// The counters of a trigger; of a rule, the sums of all members that there were.
  package func counters(of trigger: TriggerID) -> TriggerCounters {
    members(of: trigger)?.reduce(into: machines[trigger.index].counters) { $0.add(machines[$1.index].counters) }
      ?? machines[trigger.index].counters
  }

  /// How often a change of its `cancel` value, or a person, has called a trigger off.
  package func callOffs(of trigger: TriggerID) -> UInt32 { machines[trigger.index].callOffs }

  /// The last changes that a trigger saw, appearances and staleness included: oldest first. The last 32,
  /// and before them those of the last 8 plays that are older. A rule sees none itself.
  package func judgedChanges(of trigger: TriggerID) -> [JudgedChange] { machines[trigger.index].log.changes }

  /// The same with their values; of a rule, the last 32 of all members.
  package func watchedChanges(of trigger: TriggerID) -> [(change: JudgedChange, value: ValueName)] {
    guard let members = members(of: trigger) else {
      let values = machines[trigger.index].values
      return judgedChanges(of: trigger).map { ($0, values[$0.watch]) }
    }
    return members.flatMap(watchedChanges).sorted { $0.change.at < $1.change.at }.suffix(ChangeLog.capacity)
  }

  /// The last of these; `nil` if the trigger saw none.
  package func lastWatchedChange(of trigger: TriggerID) -> (change: JudgedChange, value: ValueName)? {
    guard let members = members(of: trigger) else {
      return machines[trigger.index].log.last.map { ($0, machines[trigger.index].values[$0.watch]) }
    }
    return members.compactMap(lastWatchedChange).max { $0.change.at < $1.change.at }
  }

  /// The present activity of a trigger; of a rule, that of its loudest member, with all that is queued.
  package func activity(of trigger: TriggerID) -> TriggerActivity {
    guard let members = members(of: trigger) else { return machines[trigger.index].activity }
    let state = loudestMember(of: trigger).map { machines[$0.index].activity.state }
    return TriggerActivity(
      state: state ?? .resting, queued: members.reduce(0) { $0 + machines[$1.index].queue.count })
  }

  /// When the next wait of a trigger ends, a debounce or a delay; `nil` if it does not wait.
  package func waitEnd(of trigger: TriggerID) -> Instant? {
    (members(of: trigger) ?? [trigger]).flatMap { machines[$0.index].watches }
      .reduce(nil) { Instant.earlier($0, $1.deadline) }
  }

  /// When the last heard play of a trigger began; `nil` if none was heard. After a restart its `throttle` counts from then.
  package func lastHeardPlay(of trigger: TriggerID) -> Instant? { machines[trigger.index].lastHeardPlay }

  /// From when the `throttle` of a trigger counts; `nil` if it has played nothing.
  package func lastPlay(of trigger: TriggerID) -> Instant? { machines[trigger.index].lastPlay }

  /// The plays of members of an earlier run that have not joined yet, from which their throttles count.
  package var restoredPlays: [(name: String, rule: TriggerDefinition, at: Instant)] {
    rules.all.values.flatMap { rule in
      let definition = rule.shared.definition
      return rule.lastPlays.map { (String(member: $0.key, of: definition.name), definition, $0.value) }
    }
  }

  /// Lets the `throttle` of a trigger count from a play of an earlier run of soundd, also of a member that has not joined yet.
  /// Ignores a name that no trigger has.
  package mutating func restore(lastPlay: Instant, of name: String) {
    if let trigger = trigger(named: name) {
      machines[trigger.index].lastHeardPlay = lastPlay
    } else if let (rule, member) = member(named: name) {
      rules[rule]?.lastPlays[member] = lastPlay
    }
  }
}
