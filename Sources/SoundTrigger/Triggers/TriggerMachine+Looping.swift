extension TriggerMachine {
  /// Between two attempts to sound again after others were more important.
  private static let restartInterval = Interval(.seconds(1))

  /// Begins to sound for as long as the conditions hold; if it does so already, this value keeps it from ending too.
  mutating func joinLoop(
    _ change: PendingChange, _ choice: SoundTable.Choice, watch: Int, at now: Instant,
    _ shared: inout Circumstances, _ perform: (TriggerAction) -> Verdict
  ) {
    if loop == nil {
      if let rest = throttled(at: now) { return conclude(change, .throttled(for: rest)) }
      watches[watch].keepsLoop = true
      loop = LoopState(
        choice, for: change, repetition: loopInterval?.end(from: now), limit: loopLimit?.end(from: now))
      soundLoop(at: now, &shared, perform)
    } else {
      watches[watch].keepsLoop = true
      conclude(change, .alreadyLooping)
    }
  }

  /// Starts the loop's sound once more, if the profile admits it.
  mutating func soundLoop(at now: Instant, _ shared: inout Circumstances, _ perform: (TriggerAction) -> Verdict) {
    guard let loop else { return }
    let isAdmitted = shared.profile.admits(settings.importance)
    let verdict =
      isAdmitted
      ? start(loop.choice, for: loop.cause, loops: loopInterval == nil, at: now, &shared, perform)
      : .profile(shared.profile)
    self.loop?.phase = verdict.isPlay ? .sounding : isAdmitted ? .refused : .silenced
    guard var change = loop.unheard else { return }
    postpone(&change, verdict)
    self.loop?.unheard = verdict.isPlay ? nil : change
    if verdict.isPlay { lastPlay = now }
  }

  /// Does what the loop's earliest deadline asks for.
  mutating func loopDeadlinePassed(
    at now: Instant, _ shared: inout Circumstances, _ perform: (TriggerAction) -> Verdict
  ) {
    if let limit = loop?.limit, limit <= now {
      endLoop(at: now, perform)
    } else if let restart = loop?.restart, restart <= now {
      restartLoop(at: now, &shared, perform)
    } else if let repetition = loop?.repetition, repetition <= now {
      loop?.repetition = loopInterval?.end(from: repetition)
      if running == 0 { soundLoop(at: now, &shared, perform) }
    }
  }

  /// Tries once more to start a sound that was refused.
  mutating func retryLoop(at now: Instant, _ shared: inout Circumstances, _ perform: (TriggerAction) -> Verdict) {
    guard loop?.phase == .refused, loopInterval == nil else { return }
    soundLoop(at: now, &shared, perform)
  }

  /// Takes in that a sound ended that nobody stopped: if it was the loop's, it had to make way for others.
  mutating func loseLoop(at now: Instant, _ shared: inout Circumstances, _ perform: (TriggerAction) -> Verdict) {
    guard let lost = loop, lost.phase == .sounding, loopInterval == nil else { return }
    guard let next = lost.lastRestart.flatMap({ Self.restartInterval?.end(from: $0) }), now < next else {
      return restartLoop(at: now, &shared, perform)
    }
    loop?.phase = .lost
    loop?.restart = next
  }

  private mutating func restartLoop(
    at now: Instant, _ shared: inout Circumstances, _ perform: (TriggerAction) -> Verdict
  ) {
    loop?.restart = nil
    loop?.lastRestart = now
    soundLoop(at: now, &shared, perform)
  }

  /// Ends the loop if this was the last value to keep it.
  mutating func leaveLoop(_ watch: Int, at now: Instant, _ perform: (TriggerAction) -> Verdict) {
    watches[watch].keepsLoop = false
    if !watches.contains(where: \.keepsLoop) { endLoop(at: now, perform) }
  }

  /// Ends the loop; it begins again with the next change that meets all conditions.
  mutating func endLoop(at now: Instant, _ perform: (TriggerAction) -> Verdict) {
    loop = nil
    for watch in watches.indices { watches[watch].keepsLoop = false }
    stop(at: now, perform)
  }

  /// Puts off until now what would begin a loop or repeat it, and was due too long ago to be timely: a state that lasts
  /// is not over because its beginning was missed.
  ///
  /// Tells whether there was such a thing. `watch`: whose deadline it is, `nil` the loop's.
  mutating func putOff(watch: Int?, due: Instant, to told: Instant) -> Bool {
    guard loops, told.nanoseconds &- due.nanoseconds > fresh else { return false }
    guard let watch else {
      // The limit is kept.
      guard due != loop?.limit else { return false }
      if let restart = loop?.restart, restart < told { loop?.restart = told }
      if let repetition = loop?.repetition, repetition < told { loop?.repetition = told }
      return true
    }
    if watches[watch].delay?.deadline == due {
      watches[watch].delay?.deadline = told
      return true
    }
    // A delay that begins late need not end late.
    guard delay == nil else { return false }
    watches[watch].burst?.deadline = told
    return true
  }
}
