/// The life of an alarm: what each event makes of it. Its sound follows in `TriggerMachine+AlarmSound.swift`.
extension TriggerMachine {
  /// The life, with the waits for its values.
  var life: AlarmLife {
    alarm.life == .normal && watches.contains(where: \.isPending) ? .pending : alarm.life
  }

  /// Gives the alarm the number of a new occurrence if it needs one, and takes the number away from a normal alarm. Called after each
  /// decision.
  mutating func numberOccurrence(_ context: inout DecisionContext) {
    if life == .normal {
      if alarm.id != nil { alarm.id = nil }
    } else if alarm.id == nil {
      alarm.id = context.makeAlarmID()
    }
  }

  // MARK: The condition

  /// Whether the content at which a burst stands would begin the alarm, or keep it.
  func burstMeetsCondition(_ watch: Int, _ context: inout DecisionContext) -> Bool {
    guard let burst = watches[watch].burst, !burst.hasReturned, let new = burst.change.new else { return false }
    var condition = watches[watch].condition
    let judgement = condition.judge(
      old: burst.change.old, new: new, isAppearance: burst.isAppearance, within: &context.searches)
    return judgement.verdict == nil && sound[new] != nil
  }

  /// Receives that a value meets all conditions, and has waited for as long as it had to.
  mutating func beginAlarm(
    _ change: PendingChange, _ choice: SoundChoice.Selection, at now: Instant, _ context: inout DecisionContext
  ) {
    let isNew = !watches[change.watch].meetsCondition
    keepAlarm(change.watch)
    switch alarm.life {
    case .normal:
      (alarm.cause, alarm.choice, alarm.isHeard) = (change, choice, false)
      guard let end = throttleEnd(at: now) else { return activate(at: now, &context) }
      alarm.life = .pending
      alarm.resume = end
      noteAlarm(.throttled(for: now.duration(to: end)), &context)
    case .pending, .active: conclude(change, lastingVerdict(at: now), &context)
    case .latched:
      alarm.life = .active
      guard sound.isTable, choice != alarm.choice else { return conclude(change, .alreadyLooping, &context) }
      (alarm.cause, alarm.choice, alarm.isHeard) = (change, choice, false)
      resound(at: now, &context)
    case .acknowledged:
      guard isNew else { return conclude(change, lastingVerdict(at: now), &context) }
      (alarm.cause, alarm.choice, alarm.isHeard) = (change, choice, false)
      activate(at: now, &context)
    }
  }

  /// Receives that a value goes on to meet the condition. Returns false unless that concerns the alarm: it calls off the end
  /// after `off_delay`, or chooses another sound.
  mutating func conditionLasts(_ change: PendingChange, at now: Instant, _ context: inout DecisionContext) -> Bool {
    if alarm.life == .normal { return false }
    let isReturning = alarm.offEnd != nil
    if isReturning { keepAlarm(change.watch) }
    // What was acknowledged in an earlier run, whose content is not known, was acknowledged with this sound.
    if alarm.life == .acknowledged, alarm.choice == nil { alarm.choice = sound[change.new] }
    guard sound.isTable, let choice = sound[change.new], choice != alarm.choice else {
      if isReturning { conclude(change, lastingVerdict(at: now), &context) }
      return isReturning
    }
    if alarm.life == .latched { return false }
    keepAlarm(change.watch)
    (alarm.cause, alarm.choice, alarm.isHeard) = (change, choice, false)
    switch alarm.life {
    case .pending: noteAlarm(lastingVerdict(at: now), &context)
    case .acknowledged: activate(at: now, &context)
    case .normal, .active, .latched: resound(at: now, &context)
    }
    return true
  }

  /// The verdict on a change that leaves the alarm as it is.
  func lastingVerdict(at now: Instant) -> Verdict {
    switch alarm.life {
    case .pending: .throttled(for: alarm.resume.map { now.duration(to: $0) } ?? .zero)
    case .acknowledged: .acknowledged
    case .normal, .active, .latched: .alreadyLooping
    }
  }

  /// Notes that a value meets the condition.
  private mutating func keepAlarm(_ watch: Int) {
    watches[watch].meetsCondition = true
    alarm.offEnd = nil
  }

  /// Ends the condition if no value meets it any more; after all changes of a transaction.
  mutating func endConditionIfOver(at now: Instant, _ context: inout DecisionContext) {
    guard alarm.life != .normal, alarm.life != .latched, alarm.offEnd == nil,
      !watches.contains(where: \.meetsCondition)
    else { return }
    if alarm.life != .pending, let delay = definition.loop?.offDelay {
      alarm.offEnd = now.end(of: delay)
    } else {
      endCondition(at: now, &context)
    }
  }

  private mutating func endCondition(at now: Instant, _ context: inout DecisionContext) {
    if alarm.life == .active, definition.loop?.latch == true {
      alarm.life = .latched
      alarm.offEnd = nil
      for watch in watches.indices { watches[watch].isRestored = false }
    } else {
      endAlarm(at: now, by: .condition, &context)
    }
  }

  /// Makes it active, also for the second time: limit, pauses and escalation begin anew.
  private mutating func activate(at now: Instant, _ context: inout DecisionContext) {
    // `numberOccurrence` then gives it a new number.
    if alarm.life == .acknowledged { alarm.id = nil }
    alarm.life = .active
    alarm.since = now
    (alarm.acknowledgedAt, alarm.wasAudible, alarm.isRepetitionHeard) = (nil, false, false)
    (alarm.repetitions, alarm.steps, alarm.resume) = (0, 0, nil)
    alarm.repetition = nextRepetition(after: now)
    soundAlarm(at: now, &context)
  }

  /// Makes it active again because `realarm` has passed. The change that began it gets a new record.
  private mutating func ringAgain(at now: Instant, _ context: inout DecisionContext) {
    alarm.cause?.record = nil
    alarm.cause?.id = context.makeChangeID()
    alarm.cause?.at = now
    alarm.isHeard = false
    activate(at: now, &context)
  }

  // MARK: People

  /// Acknowledges it. Returns false if there is nothing to acknowledge. `callsOff`: every wait ends too; if not, only a pending
  /// or latched alarm ends its waits.
  mutating func acknowledge(
    at now: Instant, by cause: StopCause, callsOff: Bool = false, _ context: inout DecisionContext
  ) -> Bool {
    let before = life
    // A latched alarm whose condition is back loses its wait, too.
    if callsOff || before == .pending || before == .latched {
      for watch in watches.indices { callOff(watch, &context) }
    }
    switch before {
    case .normal: return false
    case .acknowledged: break
    case .latched where !watches.contains(where: \.meetsCondition): endAlarm(at: now, by: cause, &context)
    case .pending, .active, .latched:
      // What waited may have ended already, and only its debounce had not.
      if before == .pending, !watches.contains(where: \.meetsCondition) { break }
      if before == .pending { alarm.since = now }
      (alarm.life, alarm.acknowledgedAt) = (.acknowledged, now)
      (alarm.resume, alarm.repetition) = (nil, nil)
      noteStop(at: now, by: cause)
      stop(at: now, by: cause, &context)
    }
    alarm.snoozedUntil = nil
    return true
  }

  /// Calls off what a value waits for. If it meets the condition of an alarm, it has met it.
  private mutating func callOff(_ watch: Int, _ context: inout DecisionContext) {
    var hasEnded = false
    if let burst = watches[watch].burst, let new = burst.change.new {
      // A crossing that was called off has happened: the threshold must arm again.
      let judgement = watches[watch].condition.judge(
        old: burst.change.old, new: new, isAppearance: burst.isAppearance, within: &context.searches)
      if definition.isAlarm, !burst.hasReturned {
        hasEnded = !judgement.holds || sound[new] == nil
        if hasEnded {
          if watches[watch].meetsCondition { conditionEnder = watch }
          watches[watch].meetsCondition = false
        } else if judgement.verdict == nil, life != .normal {
          noteCause(burst.change, of: new)
          watches[watch].meetsCondition = true
        }
      }
      conclude(burst.change, .cancelled, &context)
      watches[watch].burst = nil
    }
    guard let delay = watches[watch].delay else { return }
    if definition.isAlarm, !hasEnded {
      noteCause(delay.change, of: delay.latest)
      watches[watch].meetsCondition = true
    }
    conclude(delay.change, .cancelled, &context)
    watches[watch].delay = nil
  }

  /// Remembers what an alarm that never became active would have begun with. `content`: what it is acknowledged at.
  private mutating func noteCause(_ change: PendingChange, of content: Value?) {
    guard alarm.life == .normal, alarm.cause == nil else { return }
    (alarm.cause, alarm.choice) = (change, sound[content])
  }

  /// Silences it until a time; `nil`: no longer.
  mutating func snooze(until end: Instant?, at now: Instant, _ context: inout DecisionContext) {
    alarm.snoozedUntil = end
    silenceChanged(at: now, &context)
  }

  // MARK: The end

  /// Ends it. It begins again with the next change that meets all conditions. A snooze continues.
  mutating func endAlarm(at now: Instant, by cause: StopCause, _ context: inout DecisionContext) {
    guard forgetAlarm() else { return }
    // Also if it pauses, or is silent for another reason.
    noteStop(at: now, by: cause)
    stop(at: now, by: cause, &context)
  }

  /// Ends it, but lets its sound play to its end.
  mutating func finishAlarm(_ context: inout DecisionContext) {
    guard forgetAlarm() else { return }
    for play in plays where !play.isStopping { context.decisions.append(.finish(play.id)) }
  }

  private mutating func forgetAlarm() -> Bool {
    guard alarm.life != .normal else { return false }
    alarm = Alarm(snoozedUntil: alarm.snoozedUntil, noted: alarm.noted)
    // A restored alarm has ended, too: the next content of each value begins anew.
    for watch in watches.indices { (watches[watch].meetsCondition, watches[watch].isRestored) = (false, false) }
    return true
  }

  // MARK: Time

  /// The earliest of its deadlines. Inlined with what it needs, because a call copies the machine.
  @inline(__always)
  var alarmDeadline: Instant? {
    guard definition.isAlarm else { return nil }
    var earliest = Instant.earlier(alarm.snoozedUntil, alarm.offEnd)
    switch alarm.life {
    case .normal: break
    case .pending: earliest = Instant.earlier(earliest, alarm.resume)
    case .acknowledged: earliest = Instant.earlier(earliest, realarm)
    case .active, .latched:
      earliest = Instant.earlier(earliest, Instant.earlier(limit, nextStep))
      earliest = Instant.earlier(earliest, Instant.earlier(alarm.repetition, alarm.resume))
    }
    return earliest
  }

  @inline(__always)
  private var realarm: Instant? { definition.loop?.realarm.flatMap { alarm.acknowledgedAt?.end(of: $0) } }
  @inline(__always)
  private var limit: Instant? { definition.loop?.limit.flatMap { alarm.since?.end(of: $0) } }

  /// When its escalation goes a step further.
  @inline(__always)
  var nextStep: Instant? {
    guard let steps = definition.loop?.escalation, alarm.steps < steps.count else { return nil }
    return alarm.since?.end(of: steps[alarm.steps].after)
  }

  /// Handles its earliest deadline, if it has passed.
  mutating func alarmDeadlinePassed(at now: Instant, _ context: inout DecisionContext) {
    func hasPassed(_ deadline: Instant?) -> Bool { deadline.map { $0 <= now } ?? false }
    if hasPassed(alarm.offEnd) { return endCondition(at: now, &context) }
    if hasPassed(alarm.snoozedUntil) { return snooze(until: nil, at: now, &context) }
    switch alarm.life {
    case .normal: break
    case .pending: if hasPassed(alarm.resume) { activate(at: now, &context) }
    case .acknowledged: if hasPassed(realarm) { ringAgain(at: now, &context) }
    case .active, .latched:
      if hasPassed(limit) {
        _ = acknowledge(at: now, by: .limit, &context)
      } else if hasPassed(nextStep) {
        escalate(at: now, &context)
      } else if hasPassed(alarm.resume) {
        restartAlarm(at: now, &context)
      } else if hasPassed(alarm.repetition) {
        repeatAlarm(at: now, &context)
      }
    }
  }

  /// Receives that a play was never heard, so that the throttle may count from an earlier one: an alarm that it held back
  /// becomes active, now or sooner than before.
  mutating func throttleMayHaveEnded(at now: Instant, _ context: inout DecisionContext) {
    guard definition.isAlarm, alarm.life == .pending else { return }
    if let end = throttleEnd(at: now) { alarm.resume = end } else { activate(at: now, &context) }
  }

  /// Reschedules to now what is overdue by more than `fresh`: the end of a wait, because the state still lasts, and a start of the
  /// sound. If two repetitions are overdue, the alarm also continues from now, so that it does not catch up. Returns whether it has
  /// rescheduled anything.
  mutating func rescheduleOverdueAlarm(due: Instant, to now: Instant) -> Bool {
    guard definition.isAlarm else { return false }
    let lateness = due.duration(to: now)
    guard lateness > definition.timing.fresh else {
      guard alarm.repetition == due, alarm.resume != due, alarm.life.sounds,
        let pause = repetitionPause(alarm.repetitions),
        lateness >= pause, limit != due, nextStep != due
      else { return false }
      alarm.repetition = now
      return true
    }
    for watch in watches.indices {
      if watches[watch].delay?.deadline == due {
        watches[watch].delay?.deadline = now
        return true
      }
      // A delay that begins late need not end late.
      if watches[watch].burst?.deadline == due {
        if definition.timing.delay != nil { return false }
        watches[watch].burst?.deadline = now
        return true
      }
    }
    // What a person or a rule set is kept.
    if [alarm.snoozedUntil, alarm.offEnd].contains(due) { return false }
    if alarm.life == .acknowledged || alarm.life.sounds && [limit, nextStep].contains(due) { return false }
    if let resume = alarm.resume, resume < now { alarm.resume = now }
    if let repetition = alarm.repetition, repetition < now { alarm.repetition = now }
    return true
  }
}
