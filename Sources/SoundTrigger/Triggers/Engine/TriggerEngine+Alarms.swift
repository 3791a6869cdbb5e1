/// Alarms, and the values that silence triggers.
extension TriggerEngine {
  // MARK: Gates

  /// Changes a gate. Call `restrictProfile` when all gates of a transaction have changed, and `silenceGated` after it.
  mutating func setGate(_ value: Int, _ change: (inout Gate) -> Void) {
    let before = context.gates[value]?.silences ?? false
    change(&context.gates[value, default: Gate()])
    if context.gates[value]?.silences != before, watchers.indices.contains(value) { gated += watchers[value].gated }
  }

  /// Receives that a value became stale, or is stale no more. It is noted of every value, because a reload may make it a gate.
  mutating func setStale(_ value: ValueID, _ isStale: Bool) {
    setGate(value.index) { $0.isStale = isStale }
    restrictProfile()
    silenceGated()
  }

  /// Finds the profile that holds. If it is another one, it concerns every trigger.
  mutating func restrictProfile() {
    let profile = profileGates.reduce(chosenProfile) { profile, gate in
      context.gates[gate.key]?.silences == true ? max(profile, gate.value) : profile
    }
    if profile == context.profile { return }
    context.profile = profile
    gated += machines.indices
  }

  /// Silences the triggers whose gates or profile have changed, or lets them sound.
  mutating func silenceGated() {
    var triggers: [Int] = []
    swap(&triggers, &gated)
    rules.expand(&triggers)
    for trigger in triggers { decide(trigger) { $0.silenceChanged(at: $1, &$2) } }
    // The next gates need no memory of their own.
    triggers.removeAll(keepingCapacity: true)
    swap(&triggers, &gated)
  }

  /// Whether a snooze, a gate or the profile silences a trigger's plays of this importance now.
  package func isSilenced(_ trigger: TriggerID, _ importance: PlaySettings.Importance) -> Bool {
    machines[trigger.index].silentVerdict(importance, at: clock, context) != nil
  }

  // MARK: Alarms

  /// Acknowledges an alarm. Returns false if there is nothing to acknowledge.
  package mutating func acknowledge(_ trigger: TriggerID, at now: Instant) -> Bool {
    advance(to: now)
    defer { restartAlarms() }
    var didAcknowledge = false
    decide(trigger.index) { didAcknowledge = $0.acknowledge(at: $1, by: .acknowledged, &$2) }
    return didAcknowledge
  }

  /// Acknowledges one occurrence of an alarm, and no later one. Returns false if it has ended; a later one may begin at `now`.
  package mutating func acknowledge(_ id: AlarmID, at now: Instant) -> Bool {
    advance(to: now)
    guard let trigger = alarm(withID: id) else { return false }
    return acknowledge(trigger, at: now)
  }

  /// Silences an alarm until a time, or no longer (`nil`).
  package mutating func snooze(_ trigger: TriggerID, until end: Instant?, at now: Instant) {
    advance(to: now)
    decide(trigger.index) { $0.snooze(until: end, at: $1, &$2) }
    restartAlarms()
  }

  /// The plays of a trigger are no longer muted, or at volume 0: its alarm sounds at once.
  package mutating func becameAudible(_ trigger: TriggerID, at now: Instant) {
    advance(to: now)
    decide(trigger.index) { $0.becomeAudible(at: $1, &$2) }
    restartAlarms()
  }

  /// The device is there again: alarms that found none sound at once.
  package mutating func deviceReturned(at now: Instant) {
    advance(to: now)
    for trigger in waitingAlarms.all { decide(trigger) { $0.restartAlarm(at: $1, &$2) } }
  }

  /// The number that the next occurrence of an alarm gets.
  ///
  /// Set it before `restore`, to the microseconds of the civil clock: the numbers then rise over a restart, even if the state is lost.
  /// `restore` raises it above the number of each restored alarm. A number below the present one is ignored.
  package var nextAlarmID: AlarmID {
    get { context.nextAlarm }
    set { context.raiseNextAlarm(to: newValue) }
  }

  /// Makes an alarm what it was at the end of an earlier run. Ignores a name that no alarm has. Call it before any value has content.
  package mutating func restore(_ record: AlarmRecord, of name: String, at now: Instant) {
    advance(to: now)
    if let id = record.id, AlarmID.valid.contains(id) { context.raiseNextAlarm(to: id.next) }
    guard let trigger = trigger(named: name) else { return }
    machines[trigger.index].membership.isVacant = machines[trigger.index].membership.exists
    decide(trigger.index) { $0.restore(record, at: $1, &$2) }
  }

  /// Lets the restored alarms sound, now that the sources have been looked at.
  package mutating func resumeAlarms(at now: Instant) {
    advance(to: now)
    gated += machines.indices
    silenceGated()
  }

  /// The alarms whose life, snooze or silence may be another one since `removeChangedAlarms`, in order.
  package var changedAlarms: [TriggerID] { context.changedAlarms }

  /// Empties `changedAlarms`, and keeps the memory.
  package mutating func removeChangedAlarms() { context.changedAlarms.removeAll(keepingCapacity: true) }

  package var hasChangedAlarms: Bool { !context.changedAlarms.isEmpty }

  /// An alarm as it is now; `nil` if the trigger is none.
  package func alarm(_ trigger: TriggerID) -> AlarmReport? {
    machines[trigger.index].definition.isAlarm ? machines[trigger.index].report(context) : nil
  }

  /// The alarm whose present occurrence has this number, or `nil` if that occurrence has ended.
  package func alarm(withID id: AlarmID) -> TriggerID? {
    machines.indices.first { machines[$0].alarm.id == id }.map { TriggerID(index: $0) }
  }

  /// The alarms that a name means: an alarm, a member, or all members of a rule; `nil`: the name is that of no alarm.
  package func alarms(named name: String) -> [TriggerID]? {
    guard let trigger = trigger(named: name), definition(of: trigger).isAlarm else { return nil }
    return members(of: trigger) ?? [trigger]
  }

  /// The alarms that are active or latched and have been heard.
  package var soundingAlarms: [TriggerID] {
    machines.indices.filter { machines[$0].alarm.life.sounds && machines[$0].alarm.wasAudible }.map {
      TriggerID(index: $0)
    }
  }

  /// What is to outlive soundd of an alarm; `nil` if there is nothing.
  package func alarmRecord(of trigger: TriggerID) -> AlarmRecord? {
    machines[trigger.index].definition.isAlarm ? machines[trigger.index].record : nil
  }

  /// Lets the alarms that have no limit end with the end of their sounds, because no value will change any more.
  package mutating func finishAlarms(at now: Instant) {
    advance(to: now)
    for trigger in machines.indices where isEndless(trigger) {
      decide(trigger) { machine, _, context in machine.finishAlarm(&context) }
    }
  }

  /// An alarm that sounds until a value changes or somebody acknowledges it.
  package var endlessAlarm: TriggerID? { machines.indices.first(where: isEndless).map { TriggerID(index: $0) } }

  private func isEndless(_ trigger: Int) -> Bool {
    let alarm = machines[trigger].alarm
    return machines[trigger].definition.loop.map { alarm.life != .normal && ($0.limit == nil || $0.realarm != nil) }
      ?? false
  }

  /// Lets as many of the alarms that wait for a voice try again as voices may have become free, the most important first.
  ///
  /// No more, because with hundreds of them every end of a sound would cost hundreds of refusals.
  @inline(__always)
  mutating func restartAlarms() {
    let free = context.freedVoices
    if free == 0 { return }
    context.freedVoices = 0
    if !waitingAlarms.isEmpty, !isEnding { takeVoices(free) }
  }

  @inline(never)
  private mutating func takeVoices(_ voices: Int) {
    var free = voices
    for trigger in waitingAlarms.all where machines[trigger].mayTakeVoice(at: clock) {
      decide(trigger) { if $0.roomAvailable(at: $1, &$2) { free -= 1 } }
      if free == 0 { break }
    }
    // An alarm that restarts frees no voice.
    context.freedVoices = 0
  }
}
