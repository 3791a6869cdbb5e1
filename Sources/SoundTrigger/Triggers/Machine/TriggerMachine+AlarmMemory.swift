/// What people see of an alarm, and how it outlives a reload and a restart of soundd.
extension TriggerMachine {
  func report(_ context: borrowing DecisionContext) -> AlarmReport {
    let waiting = watches.first(where: \.isPending)?.pendingChange
    let cause = alarm.cause ?? waiting
    return AlarmReport(
      name: name, id: alarm.id, life: life, since: alarm.since ?? cause?.at, acknowledgedAt: alarm.acknowledgedAt,
      snoozedUntil: alarm.snoozedUntil, silence: reportedSilence(context),
      value: cause.map { value($0.watch) }, importance: alarmSettings.importance, volume: alarmSettings.volume,
      isHeard: alarm.wasAudible,
      substitute: alarm.life.sounds ? alarm.substitute : nil)
  }

  private func reportedSilence(_ context: borrowing DecisionContext) -> AlarmSilence? {
    if life == .normal { return nil }
    if let silence = silence(at: context.now, context) { return silence }
    if !context.profile.admits(alarmSettings.importance) { return .profile(context.profile) }
    if !alarm.life.sounds { return nil }
    return alarm.sound == .crowded ? .crowded : alarm.sound == .broken ? .broken : nil
  }

  /// Notes whether the alarm is another one to those who follow.
  mutating func noteAlarmChange(_ context: inout DecisionContext) {
    let life = life
    let note = AlarmNote(
      life: life, since: alarm.since, snoozedUntil: alarm.snoozedUntil, silence: reportedSilence(context),
      substitute: alarm.substitute)
    if note == alarm.noted { return }
    alarm.noted = note
    context.changedAlarms.append(TriggerID(index: index))
  }

  // MARK: A restart

  /// What outlives soundd; `nil` if the alarm is normal and not snoozed.
  var record: AlarmRecord? {
    var record = AlarmRecord()
    (record.life, record.id) = (life, alarm.id)
    (record.since, record.acknowledgedAt) = (alarm.since, alarm.acknowledgedAt)
    (record.snoozedUntil, record.isHeard, record.repetitions) = (alarm.snoozedUntil, alarm.isHeard, alarm.repetitions)
    (record.pendingUntil, record.offUntil) = (alarm.life == .pending ? alarm.resume : nil, alarm.offEnd)
    var cause = alarm.cause
    if record.life == .pending {
      if alarm.life == .normal { cause = watches.first(where: \.isPending)?.pendingChange }
      record.since = cause?.at
    }
    // The value that began it comes first.
    let met = watches.indices.filter { watches[$0].meetsCondition }
    let first = cause.map(\.watch).flatMap { met.contains($0) || alarm.offEnd != nil ? $0 : nil }
    record.values = ([first].compactMap(\.self) + met.filter { $0 != first }).map(value)
    record.waits = watches.indices.filter { watches[$0].isPending && !watches[$0].meetsCondition }.compactMap(wait)
    if sound.isTable, let cause = alarm.cause,
      case .sound(let name) = alarm.choice ?? usualChoice(for: cause.new)
    {
      record.sound = name
    }
    record.content = cause?.new.flatMap(\.ifShort)
    return record.isNormal ? nil : record
  }

  /// The wait after which a value meets the condition; `nil` if it does not wait.
  private func wait(_ watch: Int) -> AlarmRecord.Wait? {
    if let delay = watches[watch].delay {
      return AlarmRecord.Wait(value: value(watch), end: delay.deadline, content: delay.latest.flatMap(\.ifShort))
    }
    guard let burst = watches[watch].burst else { return nil }
    // The delay follows the debounce.
    let end = burst.deadline.end(of: definition.timing.delay ?? .zero)
    return AlarmRecord.Wait(value: value(watch), end: end, content: burst.change.new.flatMap(\.ifShort))
  }

  /// Makes the alarm what it was at the end of an earlier run. Until its values have contents it stays so.
  mutating func restore(_ record: AlarmRecord, at now: Instant, _ context: inout DecisionContext) {
    guard definition.isAlarm else { return }
    alarm.snoozedUntil = record.snoozedUntil.flatMap { $0 > now ? $0 : nil }
    let met = record.values.compactMap { values.firstIndex(of: $0) }
    let waits = record.waits.compactMap { wait in values.firstIndex(of: wait.value).map { (watch: $0, wait) } }
    guard record.life != .normal, let watch = met.first ?? waits.first?.watch ?? (record.life == .latched ? 0 : nil)
    else { return }
    alarm.id = record.id.flatMap { AlarmID.valid.contains($0) ? $0 : nil }
    for (watch, wait) in waits {
      let change = PendingChange(
        id: context.makeChangeID(), at: record.since ?? now, watch: watch, old: nil, new: wait.content)
      watches[watch].delay = WatchState.Delay(change: change, latest: wait.content, deadline: wait.end)
      watches[watch].isRestored = true
    }
    for watch in met {
      watches[watch].isRestored = true
      watches[watch].meetsCondition = record.offUntil == nil
    }
    if record.life == .pending, record.pendingUntil == nil, !waits.isEmpty { return }
    let cause = PendingChange(
      id: context.makeChangeID(), at: record.since ?? now, watch: watch, old: nil, new: record.content)
    (alarm.cause, alarm.isHeard, alarm.repetitions) = (cause, record.isHeard, record.repetitions)
    // Without its content the sound of a table is the one that it had.
    alarm.choice =
      record.sound.flatMap { sound.names.contains($0) ? .sound($0) : nil }
      ?? (record.content == nil && sound.isTable ? nil : sound[record.content])
    (alarm.life, alarm.offEnd) = (record.life, record.offUntil)
    switch record.life {
    case .normal: break
    case .pending: alarm.resume = record.pendingUntil ?? now
    case .acknowledged: (alarm.since, alarm.acknowledgedAt) = (record.since ?? now, record.acknowledgedAt ?? now)
    case .active, .latched:
      alarm.since = record.since ?? now
      alarm.repetition = nextRepetition(after: now)
      while let step = nextStep, step <= now { alarm.steps += 1 }
      // Until the sources have been looked at: perhaps the condition has ended.
      alarm.sound = .silenced
    }
  }

  /// Receives the first content of a value that met the condition at the end of an earlier run: it decides, and is no appearance.
  mutating func restoredValueAppears(
    _ change: Change, watch: Int, at now: Instant, _ context: inout DecisionContext
  ) {
    watches[watch].isRestored = false
    // Inside the hysteresis what was known before decides.
    if watches[watch].meetsCondition || watches[watch].delay != nil {
      watches[watch].condition.resume(at: change.new)
    } else {
      watches[watch].condition.begin(at: change.new)
    }
    let pending = PendingChange(id: context.makeChangeID(), at: now, watch: watch, old: change.old, new: change.new)
    // A content that was written long ago leaves the value stale.
    if definition.when == .stale, context.gates[change.value.index]?.isStale == true {
      return conclude(pending, lastingVerdict(at: now), &context)
    }
    guard holds(change.new, watch: watch, &context) else {
      conditionEnded(watch, &context)
      return conclude(pending, .appeared, &context)
    }
    if watches[watch].delay != nil {
      watches[watch].delay?.latest = change.new
      return conclude(pending, .alreadyDelayed, &context)
    }
    if conditionLasts(pending, at: now, &context) { return }
    // It returned shortly before the end of that run.
    if alarm.life == .latched, let choice = sound[change.new] {
      return beginAlarm(pending, choice, at: now, &context)
    }
    conclude(pending, lastingVerdict(at: now), &context)
  }

  // MARK: A reload

  /// Receives that a value is read anew: if it keeps an alarm, its next content decides, as after a restart.
  mutating func awaitContent(_ watch: Int, _ context: inout DecisionContext) {
    let isKept = definition.isAlarm && (watches[watch].meetsCondition || watches[watch].isPending)
    guard isKept || watches[watch].isRestored else { return forget(watch, &context) }
    watches[watch].isRestored = true
    guard let burst = watches[watch].burst else { return }
    watches[watch].burst = nil
    guard burst.meetsCondition, watches[watch].delay == nil else {
      return conclude(burst.change, .calledOff, &context)
    }
    // What is left of a debounce is waited for like a delay.
    let end = burst.deadline.end(of: definition.timing.delay ?? .zero)
    watches[watch].delay = WatchState.Delay(change: burst.change, latest: burst.change.new, deadline: end)
  }

  /// Continues the alarm of the trigger that this one replaces, with the present `contents` of this one's values.
  ///
  /// What a person did (acknowledged, snoozed) and what is latched stay. The rest is decided anew, without a crossing. Returns false
  /// if the values appear: neither trigger is an alarm, or the old one was normal.
  mutating func continueAlarm(
    of old: TriggerMachine, contents: [Value?], at now: Instant, _ context: inout DecisionContext
  ) -> Bool {
    guard definition.isAlarm, old.definition.isAlarm else { return false }
    alarm.snoozedUntil = old.alarm.snoozedUntil
    let before = old.life
    if before == .normal { return false }
    alarm.id = old.alarm.id
    for (watch, content) in contents.enumerated() {
      let earlier = old.values.firstIndex(of: value(watch)).map { old.watches[$0] }
      let didMeet = earlier.map { $0.meetsCondition || $0.isRestored || $0.isPending } ?? false
      resume(watch, at: content, didMeet: didMeet, wasStale: old.definition.when == .stale, &context)
      if content == nil, didMeet { watches[watch].isRestored = earlier?.isRestored ?? false }
    }
    var old = old
    for watch in old.watches.indices { old.callOffWaits(watch, &context) }
    adoptPlays(of: old)
    stop(at: now, by: .configuration, &context)
    let watch = watches.firstIndex(where: \.meetsCondition)
    switch before {
    case .normal: break
    case .pending:
      for watch in watches.indices where watches[watch].meetsCondition {
        beginAnew(watch, contents[watch], at: now, &context)
      }
    case .acknowledged where watch == nil: noteStop(at: now, by: .configuration)
    case .active where watch == nil && definition.loop?.latch != true: noteStop(at: now, by: .configuration)
    case .active, .latched, .acknowledged:
      alarm = old.alarm
      alarm.offEnd = nil
      if before == .active, watch == nil { alarm.life = .latched }
      if before == .latched, watch != nil { alarm.life = .active }
      alarm.steps = 0
      while let step = nextStep, step <= now { alarm.steps += 1 }
      let beginner = alarm.cause.map { old.value($0.watch) }
      let place = values.firstIndex { $0 == beginner } ?? watch ?? 0
      alarm.cause?.watch = place
      if values != old.values { alarm.cause?.record = nil }
      let content = watch.flatMap { contents[$0] }
      if content != nil || alarm.choice != nil { alarm.choice = sound[content ?? alarm.cause?.new] }
      if alarm.life == .acknowledged { break }
      alarm.repetition = nextRepetition(after: now)
      soundAlarm(at: now, &context)
    }
    return true
  }

  /// Starts a value's condition at its content, and notes whether it meets the condition.
  private mutating func resume(
    _ watch: Int, at content: Value?, didMeet: Bool, wasStale: Bool, _ context: inout DecisionContext
  ) {
    if definition.when == .stale {
      watches[watch].meetsCondition =
        didMeet && wasStale && watches[watch].condition.judgeStale(last: content, within: &context.searches).holds
        && sound[content] != nil
    } else if let content {
      if didMeet { watches[watch].condition.resume(at: content) } else { watches[watch].condition.begin(at: content) }
      watches[watch].meetsCondition = holds(content, watch: watch, &context)
    } else {
      watches[watch].meetsCondition = didMeet
    }
  }

  /// Lets a value that meets the condition wait for its delay, or begin the alarm.
  private mutating func beginAnew(_ watch: Int, _ content: Value?, at now: Instant, _ context: inout DecisionContext) {
    watches[watch].meetsCondition = false
    var change = PendingChange(id: context.makeChangeID(), at: now, watch: watch, old: content, new: content)
    // After a restart the content may not be known yet.
    guard let choice = usualChoice(for: content) else { return }
    guard let delay = definition.timing.delay ?? definition.timing.debounce else {
      return beginAlarm(change, choice, at: now, &context)
    }
    postpone(&change, .delayed(for: delay), &context)
    watches[watch].delay = WatchState.Delay(change: change, latest: content, deadline: now.end(of: delay))
  }
}

/// What followers of an alarm know of it.
struct AlarmNote: Equatable, Sendable {
  var life = AlarmLife.normal
  var since: Instant?
  var snoozedUntil: Instant?
  var silence: AlarmSilence?
  var substitute: AlarmSubstitute?
}

extension WatchState {
  /// What waits.
  fileprivate var pendingChange: PendingChange? { delay?.change ?? burst?.change }
}

extension Value {
  /// The content, if it is small enough to be kept for an alarm: a number, a bool, or a text of at most 256 bytes.
  fileprivate var ifShort: Value? {
    switch self {
    case .number, .bool: self
    case .text(let bytes): bytes.count <= 256 ? self : nil
    case .json, .fingerprint: nil
    }
  }
}
