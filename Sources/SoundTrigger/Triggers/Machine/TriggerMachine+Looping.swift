/// A loop sounds while the condition of its trigger holds.
extension TriggerMachine {
  /// The least time between two restarts of a loop that lost its voice, so that two loops do not steal from each other
  /// without end.
  private static let restartInterval = Duration.seconds(1)

  /// Starts to sound for as long as the conditions hold. If the loop sounds already, this value keeps it sounding, too.
  mutating func joinLoop(
    _ change: PendingChange, _ choice: SoundChoice.Selection, at now: Instant, _ context: inout DecisionContext
  ) {
    watches[change.watch].keepsLoop = true
    if let loop {
      let rest = loop.phase == .throttled ? loop.resume.map { now.duration(to: $0) } : nil
      return conclude(change, rest.map { .throttled(for: $0) } ?? .alreadyLooping, &context)
    }
    loop = LoopState(choice: choice, cause: change, phase: .crowded)
    guard let end = throttleEnd(at: now) else { return beginLoop(at: now, &context) }
    loop?.phase = .throttled
    loop?.resume = end
    noteLoop(.throttled(for: now.duration(to: end)), &context)
  }

  /// Changes a loop to the sound of the new value. Returns false if there is nothing to change.
  mutating func switchLoop(_ change: PendingChange, at now: Instant, _ context: inout DecisionContext) -> Bool {
    guard definition.sound.isTable, let loop, let choice = definition.sound[change.new], choice != loop.choice else {
      return false
    }
    watches[change.watch].keepsLoop = true
    self.loop?.choice = choice
    self.loop?.cause = change
    self.loop?.isHeard = false
    switch loop.phase {
    case .sounding, .crowded, .broken:
      stop(at: now, by: .restart, &context)
      soundLoop(at: now, &context)
    case .pausing: noteLoop(.alreadyLooping, &context)
    case .silenced: noteLoop(.profile(context.profile), &context)
    case .throttled: noteLoop(.throttled(for: now.duration(to: loop.resume ?? now)), &context)
    }
    return true
  }

  /// Receives that a play was never heard, so that the throttle may count from an earlier one: a loop that it held back
  /// begins, now or sooner than before.
  mutating func throttleMayHaveEnded(at now: Instant, _ context: inout DecisionContext) {
    guard loop?.phase == .throttled else { return }
    if let end = throttleEnd(at: now) { loop?.resume = end } else { beginLoop(at: now, &context) }
  }

  private mutating func beginLoop(at now: Instant, _ context: inout DecisionContext) {
    loop?.resume = nil
    loop?.repetition = definition.loop?.every.map { now.end(of: $0) }
    loop?.limit = definition.loop?.limit.map { now.end(of: $0) }
    soundLoop(at: now, &context)
  }

  /// Starts the loop's sound once more, if the profile admits it. A loop that restarts takes no voice from its equals.
  mutating func soundLoop(at now: Instant, isRestart: Bool = false, _ context: inout DecisionContext) {
    guard let loop else { return }
    self.loop?.resume = nil
    guard context.profile.admits(definition.settings.importance) else {
      self.loop?.phase = .silenced
      return noteLoop(.profile(context.profile), &context)
    }
    // The throttle counts from the loop's beginning.
    let id = start(
      loop.choice, for: loop.cause, loops: definition.loop?.every == nil, spareEquals: isRestart,
      throttleStart: loop.isHeard ? nil : now, at: now, &context)
    guard let id else {
      self.loop?.phase = .broken
      return noteLoop(.broken, &context)
    }
    self.loop?.phase = .sounding(id)
    noteLoop(.starting, play: id, &context)
  }

  /// Records the verdict on the change that began the loop, until the loop was heard.
  mutating func noteLoop(_ verdict: Verdict, play: PlayID? = nil, _ context: inout DecisionContext) {
    guard let loop, !loop.isHeard else { return }
    var cause = loop.cause
    postpone(&cause, verdict, play: play, &context)
    self.loop?.cause = cause
  }

  /// Handles the loop's earliest deadline, if it has passed.
  mutating func loopDeadlinePassed(at now: Instant, _ context: inout DecisionContext) {
    guard let loop else { return }
    if let limit = loop.limit, limit <= now {
      endLoop(at: now, by: .limit, &context)
    } else if let resume = loop.resume, resume <= now {
      if loop.phase == .throttled { beginLoop(at: now, &context) } else { restartLoop(at: now, &context) }
    } else if let repetition = loop.repetition, repetition <= now {
      self.loop?.repetition = definition.loop?.every.map { repetition.end(of: $0) }
      if !isSounding { soundLoop(at: now, &context) }
    }
  }

  // MARK: Voices

  /// Whether the loop waits for a voice, or for its sound to be loaded.
  var loopWaits: Bool { loop?.phase == .crowded || loop?.phase == .broken }

  /// Receives that a voice may be free. The loop restarts at once, or a second after its last restart.
  mutating func roomAvailable(at now: Instant, _ context: inout DecisionContext) {
    guard let loop, loop.phase == .crowded else { return }
    if let next = loop.lastRestart?.end(of: Self.restartInterval), now < next {
      self.loop?.resume = next
    } else {
      restartLoop(at: now, &context)
    }
  }

  /// Receives that other sounds are loaded now.
  mutating func soundsChanged(at now: Instant, _ context: inout DecisionContext) {
    if loop?.phase == .broken, definition.loop?.every == nil { soundLoop(at: now, &context) }
  }

  private mutating func restartLoop(at now: Instant, _ context: inout DecisionContext) {
    loop?.lastRestart = now
    soundLoop(at: now, isRestart: true, &context)
  }

  /// Receives that a play found no voice, or no sound.
  mutating func loopRefused(_ play: PlayID, _ refusal: PlayEvent.Refusal) {
    guard loop?.phase == .sounding(play) else { return }
    if definition.loop?.every != nil {
      loop?.phase = .pausing
    } else {
      loop?.phase = refusal == .broken ? .broken : .crowded
    }
  }

  /// Receives that a play has ended. If a loop without gaps was not stopped, it has lost its voice.
  mutating func loopEnded(_ play: PlayID) {
    guard loop?.phase == .sounding(play) else { return }
    loop?.phase = definition.loop?.every != nil ? .pausing : .crowded
  }

  // MARK: The end

  /// Ends the loop if no value meets the condition any more; after all changes of a transaction.
  mutating func endLoopIfOver(at now: Instant, _ context: inout DecisionContext) {
    if loop != nil, !watches.contains(where: \.keepsLoop) { endLoop(at: now, by: .condition, &context) }
  }

  /// Ends the loop. It begins again with the next change that meets all conditions.
  mutating func endLoop(at now: Instant, by cause: StopCause, _ context: inout DecisionContext) {
    guard forgetLoop() else { return }
    // Also if it pauses, or is silent for another reason.
    noteStop(at: now, by: cause)
    stop(at: now, by: cause, &context)
  }

  /// Ends the loop, but lets its sound play to its end.
  mutating func finishLoop(_ context: inout DecisionContext) {
    guard forgetLoop() else { return }
    for play in plays where !play.isStopping { context.decisions.append(.finish(play.id)) }
  }

  private mutating func forgetLoop() -> Bool {
    guard loop != nil else { return false }
    loop = nil
    for watch in watches.indices { watches[watch].keepsLoop = false }
    return true
  }

  /// Reschedules to now a beginning or a repetition of the loop that is overdue by more than `fresh`, because the state still
  /// lasts. If two repetitions are overdue, the loop also continues from now, so that it does not catch up. Returns whether it
  /// has rescheduled anything.
  mutating func rescheduleOverdueLoop(due: Instant, to now: Instant) -> Bool {
    guard let rule = definition.loop else { return false }
    let lateness = due.duration(to: now)
    guard lateness > definition.timing.fresh else {
      guard let every = rule.every, lateness >= every, loop?.repetition == due, loop?.limit != due else { return false }
      loop?.repetition = now
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
    // The limit is kept.
    if loop?.limit == due { return false }
    if let resume = loop?.resume, resume < now { loop?.resume = now }
    if let repetition = loop?.repetition, repetition < now { loop?.repetition = now }
    return true
  }

  // MARK: Reload

  /// Whether the loop sounds because this value is stale.
  private func isStale(_ value: ValueName) -> Bool {
    definition.when == .stale && definition.values.firstIndex(of: value).map { watches[$0].keepsLoop } ?? false
  }

  /// Continues the loop of the trigger that this one replaces, if the new condition holds; with the new settings.
  ///
  /// `contents`: what each of this trigger's values is now. Returns false if the loop is over.
  mutating func continueLoop(
    of old: TriggerMachine, contents: [Value?], at now: Instant, _ context: inout DecisionContext
  ) -> Bool {
    guard let rule = definition.loop, let oldLoop = old.loop, let oldRule = old.definition.loop else { return false }
    for (watch, content) in contents.enumerated() {
      if definition.when == .stale {
        watches[watch].keepsLoop =
          old.isStale(definition.values[watch])
          && watches[watch].condition.judgeStale(last: content, within: &context.searches).holds
          && definition.sound[content] != nil
      } else if let content {
        watches[watch].condition.begin(at: content)
        watches[watch].keepsLoop = holds(content, watch: watch, &context)
      }
    }
    guard let watch = watches.firstIndex(where: \.keepsLoop), let choice = definition.sound[contents[watch]] else {
      return false
    }
    var old = old
    for watch in old.watches.indices { old.callOffWaits(watch, &context) }
    adoptPlays(of: old)
    loop = oldLoop
    loop?.choice = choice
    loop?.cause.watch = watch
    if definition.values != old.definition.values { loop?.cause.record = nil }
    if oldLoop.phase == .throttled { return true }
    if rule.limit != oldRule.limit { loop?.limit = rule.limit.map { now.end(of: $0) } }
    if rule.every != oldRule.every { loop?.repetition = rule.every.map { now.end(of: $0) } }
    let isSameSound =
      definition.sound == old.definition.sound && choice == oldLoop.choice
      && (rule.every == nil) == (oldRule.every == nil)
    switch oldLoop.phase {
    case .sounding(let id) where isSameSound && context.profile.admits(definition.settings.importance):
      if definition.settings != old.definition.settings {
        context.decisions.append(.adjust(id, definition.settings))
      }
    case .pausing where rule.every != nil, .crowded where rule.every == nil: break
    default:
      stop(at: now, by: .configuration, &context)
      soundLoop(at: now, &context)
    }
    return true
  }
}
