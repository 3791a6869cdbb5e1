/// What a reload keeps of the triggers.
extension TriggerEngine {
  /// Replaces the definitions.
  ///
  /// A definition that stays equal keeps everything: counters, throttle, thresholds, waits, queue, alarm and its record of
  /// changes. An alarm keeps what a person did, and what is latched (`TriggerMachine.continueAlarm`). Any other trigger begins
  /// anew, with the present `contents` of its values as their appearance. Its throttle counts from the last play all the same, and
  /// the plays of the old one run to their end.
  /// `TriggerID`s from before are not valid afterwards. `values`: those that may be members of rules. Returns the names of the
  /// alarms that were not normal and are no more.
  @discardableResult
  package mutating func replace(
    definitions: [TriggerDefinition], resolve: (ValueName) -> ValueID, isEvent: (ValueID) -> Bool = { _ in false },
    profileGates: [ValueName: Profile] = [:], values: [(ValueID, ValueName)] = [],
    contents: (ValueID) -> Value? = { _ in nil }, at now: Instant
  ) -> [String] {
    advance(to: now)
    endWindows(all: true)
    var context = context
    context.changedAlarms = []
    var next = TriggerEngine(
      definitions: definitions, resolve: resolve, isEvent: isEvent, profileGates: profileGates, context: context)
    (next.clock, next.chosenProfile) = (clock, chosenProfile)
    for index in next.watchers.indices where next.watchers[index].isGate {
      next.context.gates[index, default: Gate()].isTrue =
        contents(ValueID(index: index))?.isTrue(isEvent: next.watchers[index].isEvent) ?? false
    }
    next.restrictProfile()
    for (value, name) in values where contents(value) != nil || isKept(value) {
      next.join(value, name, isEvent: isEvent(value))
    }
    let lost = endAlarms(without: &next)
    for trigger in next.machines.indices {
      let old = self.trigger(named: next.machines[trigger].name)?.index
      if let old, machines[old].definition == next.machines[trigger].definition {
        next.keep(machines[old], at: trigger)
        continue
      }
      // So that followers learn of what has changed.
      if let old, machines[old].definition.isAlarm { next.machines[trigger].alarm.noted = machines[old].alarm.noted }
      let watched = next.machines[trigger].membership
      let values = watched.exists ? [ValueID(index: watched.value)] : next.machines[trigger].values.map(resolve)
      let present = values.map(contents)
      if let old, next.machines[trigger].continueAlarm(of: machines[old], contents: present, at: clock, &next.context) {
        next.noteDecision(trigger)
        continue
      }
      if let old {
        machines[old].endAlarm(at: clock, by: .configuration, &next.context)
        next.machines[trigger].counters.lastStop = machines[old].counters.lastStop
        next.machines[trigger].lastHeardPlay = machines[old].lastPlay
      }
      for (watch, content) in present.enumerated() {
        guard let content else { continue }
        let appearance = Change(
          value: values[watch], old: content, new: content, isAppearance: true)
        next.machines[trigger].receive(appearance, watch: watch, at: clock, &next.context)
      }
      next.noteDecision(trigger)
    }
    // The triggers that stay may have moved.
    next.context.owners = next.machines.flatMap { machine in machine.plays.map { ($0.id, machine.index) } }
      .sorted { $0.0.rawValue < $1.0.rawValue }
    // Their gates may be others, too.
    next.gated += next.machines.indices
    next.silenceGated()
    next.restartAlarms()
    self = next
    return lost
  }

  /// Ends the alarms that have no trigger in the next engine. Returns the names of those that were not normal and are no alarms
  /// there.
  private mutating func endAlarms(without next: inout TriggerEngine) -> [String] {
    var lost: [String] = []
    for old in triggers.map(\.index) {
      let name = machines[old].name
      let index = next.trigger(named: name)?.index
      if let index, next.machines[index].definition.isAlarm { continue }
      if machines[old].life != .normal { lost.append(name) }
      if index == nil { machines[old].endAlarm(at: clock, by: .configuration, &next.context) }
    }
    return lost
  }

  /// Puts the machine of an equal definition in place of a new one.
  private mutating func keep(_ machine: TriggerMachine, at trigger: Int) {
    let isEvent = machines[trigger].watches.map(\.isEvent)
    let (shared, membership) = (machines[trigger].shared, machines[trigger].membership)
    machines[trigger] = machine
    (machines[trigger].shared, machines[trigger].index) = (shared, trigger)
    (machines[trigger].membership.rule, machines[trigger].membership.value) = (membership.rule, membership.value)
    for (watch, isEvent) in isEvent.enumerated() { machines[trigger].watches[watch].isEvent = isEvent }
    noteDecision(trigger)
  }
}
