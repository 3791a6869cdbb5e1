/// Decides about one trigger. Changes of its values, the ends of its waits and what became of its plays go in; decisions
/// are appended to the context.
///
/// Waits belong to each of the trigger's values (`WatchState`). Plays, throttle, queue and loop belong to the trigger.
/// After each call the engine asks for `deadline` again, and calls `endLoopIfOver` once all changes of a transaction are in.
struct TriggerMachine: Sendable {
  /// A play that has not ended.
  struct RunningPlay: Sendable {
    var id: PlayID
    /// Whether it fades out because it was stopped. Such plays come first in `plays`.
    var isStopping = false
    /// From when the throttle counts for it, or `nil` if it does not count: it repeats a loop, or stands for a group.
    var throttleStart: Instant?
  }

  /// A play that waits until the trigger's sounds have ended.
  struct QueuedPlay: Sendable {
    var change: PendingChange
    var choice: SoundChoice.Selection
    var settings: PlaySettings
    /// When it joined the queue.
    var throttleStart: Instant
  }

  /// What machines share: those of a rule's members have one.
  final class Shared: Sendable {
    let definition: TriggerDefinition
    /// The indices of the values in `unless`.
    let gates: [Int]
    /// Whether it may ever have a deadline. Stored, because each decision asks.
    let isTimed: Bool

    init(_ definition: TriggerDefinition, gates: [Int] = []) {
      (self.definition, self.gates) = (definition, gates)
      isTimed = definition.timing.debounce != nil || definition.timing.delay != nil || definition.isAlarm
    }
  }

  var shared: Shared
  var definition: TriggerDefinition { @inline(__always) get { shared.definition } }
  /// The trigger's index in the engine.
  var index: Int
  /// Which member of a rule it decides for.
  var membership: Membership
  /// Those of the definition, unless `setSound` or `spread` has replaced them.
  private(set) var sound: SoundChoice, settings: PlaySettings

  var watches: [WatchState]
  var counters = TriggerCounters()
  var log = ChangeLog()
  /// From when the throttle counts for the plays that were heard.
  var lastHeardPlay: Instant?
  /// How often a change of its `cancel` value, or a person, has called it off.
  private(set) var callOffs: UInt32 = 0
  /// The plays that have not ended, in the order in which they began.
  var plays: [RunningPlay] = []
  var queue: [QueuedPlay] = []
  /// Which sound of a list was the last, see `SoundChoice.Selection.sound`.
  var listPosition = 0
  private var rareAlarm = Rare<Alarm>()
  /// Normal unless the definition has a `loop`.
  var alarm: Alarm {
    @inline(__always) get { rareAlarm[absent: Alarm()] }
    @inline(__always) _modify { yield &rareAlarm[absent: Alarm()] }
  }
  /// The last of the trigger's values that met the condition and ceased to, as its index in `TriggerDefinition.values`.
  var conditionEnder = 0
  /// The play that `counters.lastVerdict` speaks of, while it is starting.
  var startingPlay: PlayID?

  /// A machine at rest. `isEvent`: for each value whether every arrival is a change, even an equal one.
  init(_ shared: Shared, index: Int, isEvent: [Bool], _ membership: Membership = Membership()) {
    self.shared = shared
    self.index = index
    self.membership = membership
    let definition = shared.definition
    sound = definition.sound
    settings = definition.settings
    if let name = membership.name, settings.spread {
      let (pan, pitch) = name.spread
      (settings.pan, settings.pitch) = (min(1, max(-1, settings.pan + pan)), pitch)
    }
    let condition = TriggerCondition(definition)
    watches = isEvent.map { WatchState(condition, isEvent: $0) }
  }

  /// The watched values. That of a member is its own.
  var values: [ValueName] { membership.name.map { [$0] } ?? definition.values }

  @inline(__always)
  func value(_ watch: Int) -> ValueName { membership.name ?? definition.values[watch] }

  /// The trigger's name; that of a member is `TRIGGER[VALUE]`. Inlined, because a call copies the machine.
  @inline(__always)
  var name: String { membership.name.map { String(member: $0, of: definition.name) } ?? definition.name }

  /// After it has decided: ends its alarm if the condition is over. Returns its earliest deadline.
  mutating func finishDecision(at now: Instant, _ context: inout DecisionContext) -> Instant? {
    if definition.isAlarm {
      endConditionIfOver(at: now, &context)
      numberOccurrence(&context)
      noteAlarmChange(&context)
    }
    return deadline
  }

  /// The earliest deadline of its waits and its alarm.
  var deadline: Instant? {
    var earliest = alarmDeadline
    for watch in watches.indices { earliest = Instant.earlier(earliest, watches[watch].deadline) }
    return earliest
  }

  /// From when the throttle counts: when the last play was decided, even if it then had to wait for its turn. A play that
  /// is refused, or called off in the queue, does not count.
  @inline(__always)
  var lastPlay: Instant? {
    let underWay = queue.last?.throttleStart ?? plays.last { $0.throttleStart != nil }?.throttleStart
    guard let underWay, let lastHeardPlay else { return underWay ?? lastHeardPlay }
    return max(underWay, lastHeardPlay)
  }

  var activity: TriggerActivity {
    let state: TriggerActivity.State =
      if alarm.life != .normal, alarm.life != .acknowledged {
        .looping
      } else if !plays.isEmpty {
        .sounding
      } else {
        watches.contains(where: \.isWaiting) ? .waiting : .resting
      }
    return TriggerActivity(state: state, queued: queue.count)
  }

  /// Replaces the sound of every play from now on; `nil`: none plays.
  mutating func setSound(_ name: String?, volume: Double) {
    settings.volume = volume
    sound = name.map { .sound($0) } ?? .table([:], otherwise: nil)
  }

  /// Takes over what the trigger that this one replaces has played.
  mutating func adoptPlays(of old: TriggerMachine) {
    plays = old.plays
    startingPlay = old.startingPlay
    lastHeardPlay = old.lastHeardPlay
    (counters, callOffs) = (old.counters, old.callOffs)
    // A record names its value by its index among the values.
    if values == old.values { log = old.log }
  }

  // MARK: Changes

  /// Receives a change or an appearance of a value.
  mutating func receive(
    _ change: Change, watch: Int, at now: Instant, _ context: inout DecisionContext
  ) {
    let isAppearance = change.isAppearance
    if watches[watch].isRestored {
      if !isAppearance { counters.changes += 1 }
      return restoredValueAppears(change, watch: watch, at: now, &context)
    }
    if isAppearance {
      guard begin(change, watch: watch, at: now, &context) else { return }
    } else {
      counters.changes += 1
    }
    if definition.initial == .ifChanged, let saved = change.saved {
      return receive(change, after: saved, watch: watch, at: now, &context)
    }
    let pending = PendingChange(id: context.makeChangeID(), at: now, watch: watch, old: change.old, new: change.new)
    receive(pending, change.new, isAppearance: isAppearance, at: now, &context)
  }

  /// Compares the first content of a run with the saved one.
  @inline(never)
  private mutating func receive(
    _ change: Change, after saved: SavedContent, watch: Int, at now: Instant, _ context: inout DecisionContext
  ) {
    let old = content(saved, watch: watch)
    let pending = PendingChange(id: context.makeChangeID(), at: now, watch: watch, old: old, new: change.new)
    receive(pending, change.new, after: saved, isAppearance: false, at: now, &context)
  }

  /// Receives a change that is judged against its old value. `saved`: the content of the last run, if that is the old value.
  @inline(__always)
  private mutating func receive(
    _ change: PendingChange, _ new: Value, after saved: SavedContent? = nil, isAppearance: Bool, at now: Instant,
    _ context: inout DecisionContext
  ) {
    let watch = change.watch
    if definition.isMapped, definition.isAlarm || definition.timing.delay != nil {
      watches[watch].latest = WatchState.Latest(old: change.old, new: new)
    }
    if var delay = watches[watch].delay {
      delay.latest = new
      watches[watch].delay = delay
    }
    guard let debounce = definition.timing.debounce else {
      return judge(change, new, isAppearance: isAppearance, at: now, &context)
    }
    var pending = change
    // Only an event brings its old value once more without appearing.
    let isEvent = watches[watch].isEvent || (!isAppearance && pending.old == pending.new)
    let deadline = now.end(of: debounce)
    if let before = watches[watch].burstChange {
      conclude(before, .superseded, &context)
      postpone(&pending, .waiting(for: debounce), &context)
      pending.old = before.old
      watches[watch].continueBurst(with: pending, isEvent: isEvent, until: deadline)
    } else {
      postpone(&pending, .waiting(for: debounce), &context)
      watches[watch].burst = WatchState.Burst(
        change: pending, saved: saved, isAppearance: isAppearance, isEvent: isEvent, deadline: deadline)
    }
    if definition.isAlarm {
      let meetsCondition = burstMeetsCondition(watch, &context)
      watches[watch].burst?.meetsCondition = meetsCondition
    }
  }

  /// The content of the last run, as far as a condition asks for it: a number, or one of those in `from`.
  private func content(_ saved: SavedContent, watch: Int) -> Value? {
    if let number = saved.number { return .number(number) }
    let isEvent = watches[watch].isEvent
    return definition.from.first { saved.equals($0, as: $0.kind(isEvent: isEvent)) }
  }

  /// Starts anew at a value's first content. Returns whether the trigger judges it like a change (`initial`).
  private mutating func begin(
    _ change: Change, watch: Int, at now: Instant, _ context: inout DecisionContext
  ) -> Bool {
    callOffWaits(watch, &context)
    let initial = definition.initial
    // An event has no present content that an alarm could follow.
    let isJudged = initial == .yes && !(definition.isAlarm && watches[watch].isEvent)
    if isJudged || (initial == .ifChanged && change.differsFromLastRun) { return true }
    watches[watch].condition.begin(at: change.new)
    if !holds(change.new, watch: watch, &context) {
      conditionEnded(watch, &context)
    } else if definition.isAlarm, !watches[watch].isEvent {
      // One that began inside keeps an alarm that another one begins.
      watches[watch].meetsCondition = true
    }
    let pending = PendingChange(id: context.makeChangeID(), at: now, watch: watch, old: change.old, new: change.new)
    conclude(pending, initial == .ifChanged ? .asBefore : .appeared, &context)
    return false
  }

  /// Receives that a value was not reported in time. `last` is `nil` if it never had any content.
  mutating func becomeStale(_ last: Value?, watch: Int, at now: Instant, _ context: inout DecisionContext) {
    let pending = PendingChange(id: context.makeChangeID(), at: now, watch: watch, old: last, new: last)
    follow(watches[watch].condition.judgeStale(last: last, within: &context.searches), pending, at: now, &context)
  }

  /// Receives that a value has lost its content: calls off what it waits for. An alarm ends in `endConditionIfOver`.
  mutating func forget(_ watch: Int, _ context: inout DecisionContext) {
    if let burst = watches[watch].burst { conclude(burst.change, .calledOff, &context) }
    watches[watch].burst = nil
    watches[watch].held = nil
    watches[watch].isRestored = false
    conditionEnded(watch, &context)
  }

  /// Ends the delay of a value that no longer meets the conditions. An alarm ends in `endConditionIfOver`.
  mutating func conditionEnded(_ watch: Int, _ context: inout DecisionContext) {
    callOffDelay(watch, &context)
    if watches[watch].meetsCondition { conditionEnder = watch }
    watches[watch].meetsCondition = false
  }

  /// Whether the present content of a value keeps a delay or an alarm, after the condition began at it.
  func holds(_ content: Value, watch: Int, _ context: inout DecisionContext) -> Bool {
    watches[watch].condition.holds(content, within: &context.searches)
      && (!definition.isAlarm || sound[content] != nil)
  }

  // MARK: Time

  /// Handles the earliest deadline, which has passed.
  ///
  /// At one instant the delay ends before the burst, because the end of a burst may begin a delay.
  mutating func deadlinePassed(at now: Instant, _ context: inout DecisionContext) {
    for watch in watches.indices {
      if let delay = watches[watch].delay, delay.deadline <= now {
        watches[watch].delay = nil
        // After a restart the content may not be known yet.
        let choice = watches[watch].isRestored ? usualChoice(for: delay.latest) : sound[delay.latest]
        guard let choice else { return conclude(delay.change, .calledOff, &context) }
        return play(delay.change, choice, at: now, &context)
      }
      if let burst = watches[watch].burst, burst.deadline <= now {
        watches[watch].burst = nil
        guard !burst.hasReturned, let new = burst.change.new else {
          conclude(burst.change, .returned, &context)
          return playHeldCrossings(at: now, &context)
        }
        return judge(burst.change, new, isAppearance: burst.isAppearance, at: now, &context)
      }
    }
    alarmDeadlinePassed(at: now, &context)
  }

  /// Calls off every wait and stops every sound, because a person has acknowledged them.
  mutating func cancel(at now: Instant, by cause: StopCause, _ context: inout DecisionContext) {
    callOffs &+= 1
    _ = acknowledge(at: now, by: cause, callsOff: true, &context)
    callOffHeldCrossings(&context)
    dropQueue(.cancelled, &context)
    if let group = definition.group {
      for change in context.groups[group.name]?.remove(trigger: index) ?? [] { conclude(change, .cancelled, &context) }
    }
    stop(at: now, by: cause, &context)
  }

  /// Stops every sound and empties the queue. A debounce or a delay continues. An alarm that sounds is acknowledged, unless soundd
  /// is ending.
  mutating func stopSounds(at now: Instant, by cause: StopCause, _ context: inout DecisionContext) {
    dropQueue(.cancelled, &context)
    if cause != .ending, alarm.life != .normal { _ = acknowledge(at: now, by: cause, &context) }
    stop(at: now, by: cause, &context)
  }

  // MARK: Judging

  private mutating func judge(
    _ change: PendingChange, _ new: Value, isAppearance: Bool, at now: Instant, _ context: inout DecisionContext
  ) {
    let wasBeyond = watches[change.watch].condition.isBeyond
    var judgement = watches[change.watch].condition.judge(
      old: change.old, new: new, isAppearance: isAppearance, within: &context.searches)
    if definition.isAlarm, sound[new] == nil { judgement.holds = false }
    if watches[change.watch].holdsCrossing,
      continueHeldCrossing(change, &judgement, wasBeyond: wasBeyond, at: now, &context)
    {
      return
    }
    follow(judgement, change, at: now, &context)
  }

  private mutating func follow(
    _ judgement: TriggerCondition.Judgement, _ change: PendingChange, at now: Instant,
    _ context: inout DecisionContext
  ) {
    let watch = change.watch
    if !judgement.holds { conditionEnded(watch, &context) }
    if judgement.holds, definition.isAlarm, conditionLasts(change, at: now, &context) { return }
    if let verdict = judgement.verdict { return conclude(change, verdict, &context) }
    if watches[watch].delay != nil { return conclude(change, .alreadyDelayed, &context) }
    guard let choice = sound[change.new] else { return conclude(change, .noSound, &context) }
    guard let delay = definition.timing.delay else { return play(change, choice, at: now, &context) }
    var delayed = change
    postpone(&delayed, .delayed(for: delay), &context)
    watches[watch].delay = WatchState.Delay(change: delayed, latest: change.new, deadline: now.end(of: delay))
  }

  /// Calls off the waits for a value, because the value or the trigger begins anew.
  mutating func callOffWaits(_ watch: Int, _ context: inout DecisionContext) {
    if let burst = watches[watch].burst { conclude(burst.change, .superseded, &context) }
    watches[watch].burst = nil
    watches[watch].held = nil
    callOffDelay(watch, &context)
  }

  private mutating func callOffDelay(_ watch: Int, _ context: inout DecisionContext) {
    guard let delay = watches[watch].delay else { return }
    watches[watch].delay = nil
    conclude(delay.change, .calledOff, &context)
  }

  // MARK: Verdicts

  /// Records the verdict on a change.
  mutating func conclude(
    _ change: PendingChange, _ verdict: Verdict, play: PlayID? = nil, _ context: inout DecisionContext
  ) {
    _ = record(change, verdict, play: play, &context)
  }

  /// Records that a change waits, and why. The change then knows its record.
  mutating func postpone(
    _ change: inout PendingChange, _ verdict: Verdict, play: PlayID? = nil, _ context: inout DecisionContext
  ) {
    change.record = record(change, verdict, play: play, &context)
  }

  /// Writes a verdict into the change's record, or into a new one. Returns the number of the record.
  private mutating func record(
    _ change: PendingChange, _ verdict: Verdict, play: PlayID?, _ context: inout DecisionContext
  ) -> Int {
    counters.lastVerdict = verdict
    startingPlay = play
    let record =
      if let known = change.record, log.replaceVerdict(of: known, with: verdict, play: play) {
        known
      } else {
        log.append(change, verdict, play: play)
      }
    if context.notesVerdicts { note(record, &context) }
    return record
  }

  /// Lets those who follow verdicts know of a new one; `sound` is what a device accepted or refused.
  func note(_ record: Int, sound: String? = nil, _ context: inout DecisionContext) {
    let change = log[record]
    context.verdicts.append(
      TriggerVerdict(trigger: name, value: value(change.watch), change: change, sound: sound))
  }
}

extension Instant {
  /// The end of an interval that begins here. An interval that would end after the last instant ends there.
  func end(of interval: Duration) -> Instant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(interval.nanoseconds)
    return Instant(nanoseconds: overflow ? .max : sum)
  }
}
