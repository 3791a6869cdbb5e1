/// What a reload keeps of the triggers.
extension TriggerEngine {
  /// Replaces the definitions.
  ///
  /// A definition that stays equal keeps everything: counters, throttle, thresholds, waits, queue, alarm and its record of
  /// changes. An alarm keeps what a person did, and what is latched (`TriggerMachine.continueAlarm`). Any other trigger begins
  /// anew, with the present `contents` of its values as their appearance; the plays of the old one run to their end.
  /// `TriggerID`s from before are not valid afterwards. Returns the names of the alarms that were not normal and are no more.
  @discardableResult
  package mutating func replace(
    definitions: [TriggerDefinition], resolve: (ValueName) -> ValueID, isEvent: (ValueID) -> Bool = { _ in false },
    profileGates: [ValueName: Profile] = [:], contents: (ValueID) -> Value? = { _ in nil }, at now: Instant
  ) -> [String] {
    advance(to: now)
    endWindows(all: true)
    var context = context
    context.changedAlarms = []
    var next = TriggerEngine(
      definitions: definitions, resolve: resolve, isEvent: isEvent, profileGates: profileGates, context: context)
    (next.clock, next.chosenProfile) = (clock, chosenProfile)
    for index in next.watchers.indices where next.watchers[index].isGate {
      next.context.gates[index, default: Gate()].isTrue = contents(ValueID(index: index))?.isTrue ?? false
    }
    next.restrictProfile()
    var lost: [String] = []
    for (old, definition) in self.definitions.enumerated() {
      if let index = next.indices[definition.name], definitions[index].isAlarm { continue }
      if machines[old].life != .normal { lost.append(definition.name) }
      if next.indices[definition.name] == nil { machines[old].endAlarm(at: clock, by: .configuration, &next.context) }
    }
    for (trigger, definition) in definitions.enumerated() {
      let old = indices[definition.name]
      if let old, self.definitions[old] == definition {
        next.keep(machines[old], at: trigger)
        continue
      }
      // So that followers learn of what has changed.
      if let old { next.machines[trigger].noted = machines[old].noted }
      let present = definition.values.map { contents(resolve($0)) }
      if let old, next.machines[trigger].continueAlarm(of: machines[old], contents: present, at: clock, &next.context) {
        next.noteDecision(trigger)
        continue
      }
      if let old {
        machines[old].endAlarm(at: clock, by: .configuration, &next.context)
        next.machines[trigger].counters.lastStop = machines[old].counters.lastStop
      }
      for (watch, content) in present.enumerated() {
        guard let content else { continue }
        let appearance = Change(
          value: resolve(definition.values[watch]), old: content, new: content, isAppearance: true)
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

  /// Puts the machine of an equal definition in place of a new one.
  private mutating func keep(_ machine: TriggerMachine, at trigger: Int) {
    let isEvent = machines[trigger].watches.map(\.isEvent)
    let gates = machines[trigger].gates
    machines[trigger] = machine
    machines[trigger].index = trigger
    machines[trigger].gates = gates
    for (watch, isEvent) in isEvent.enumerated() { machines[trigger].watches[watch].isEvent = isEvent }
    noteDecision(trigger)
  }
}
