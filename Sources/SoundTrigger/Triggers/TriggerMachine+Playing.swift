extension TriggerMachine {
  /// Plays for a change that has met all its conditions and waited as long as it had to, if its time allows it.
  mutating func play(
    _ change: PendingChange, _ choice: SoundTable.Choice, watch: Int, at now: Instant,
    _ shared: inout Circumstances, _ perform: (TriggerAction) -> Verdict
  ) {
    if loops { return joinLoop(change, choice, watch: watch, at: now, &shared, perform) }
    let lateness = shared.told.nanoseconds &- now.nanoseconds
    if lateness > fresh {
      counters.dropped += 1
      return conclude(change, .late(by: .nanoseconds(lateness)))
    }
    if let rest = throttled(at: now) { return conclude(change, .throttled(for: rest)) }
    guard shared.profile.admits(settings.importance) else { return conclude(change, .profile(shared.profile)) }
    if running > 0 {
      switch overlap {
      case .mix: break
      case .restart: stop(at: now, perform)
      case .ignore: return conclude(change, .stillSounding)
      case .queue: return enqueue(change, choice, at: now)
      }
    }
    let verdict = start(choice, for: change, loops: false, at: now, &shared, perform)
    if verdict.isPlay { lastPlay = now }
    conclude(change, verdict)
  }

  /// How long `throttle` forbids a play yet.
  func throttled(at now: Instant) -> Duration? {
    guard let throttle, let lastPlay else { return nil }
    let next = throttle.end(from: lastPlay)
    return now < next ? now.duration(to: next) : nil
  }

  /// Starts a sound, unless whoever makes the noise has a reason not to.
  mutating func start(
    _ choice: SoundTable.Choice, for change: PendingChange, loops: Bool, at now: Instant,
    _ shared: inout Circumstances, _ perform: (TriggerAction) -> Verdict
  ) -> Verdict {
    if shared.notesCauses { shared.note(change) }
    let sound = sounds.sound(choice, position: listPosition, &shared.random)
    let verdict = perform(.play(trigger: id, sound: sound, settings: settings, loops: loops, at: now))
    if verdict.isPlay {
      running += 1
      listPosition += 1
      counters.notePlay(at: now)
    }
    return verdict
  }

  /// Fades out what runs.
  mutating func stop(at now: Instant, _ perform: (TriggerAction) -> Verdict) {
    guard running > 0 else { return }
    stopping = running
    _ = perform(.stop(trigger: id, at: now))
  }

  /// Takes in that a sound has ended, for whatever reason.
  ///
  /// Sounds that were stopped are taken to end before those that were not.
  mutating func soundEnded(at now: Instant, _ shared: inout Circumstances, _ perform: (TriggerAction) -> Verdict) {
    guard running > 0 else { return }
    running -= 1
    if stopping > 0 { stopping -= 1 } else { loseLoop(at: now, &shared, perform) }
    playQueue(at: now, &shared, perform)
  }

  /// Takes in another profile.
  mutating func profileChanged(at now: Instant, _ shared: inout Circumstances, _ perform: (TriggerAction) -> Verdict) {
    if shared.profile.admits(settings.importance) {
      guard loop?.phase == .silenced else { return }
      if loopInterval == nil || running == 0 {
        soundLoop(at: now, &shared, perform)
      } else {
        // What was stopped still fades: it is heard again with its next repetition.
        loop?.phase = .sounding
      }
    } else {
      dropQueue(.profile(shared.profile))
      loop?.phase = .silenced
      loop?.restart = nil
      stop(at: now, perform)
    }
  }

  /// Takes a play back that was not heard after all.
  mutating func noteUnheard(_ verdict: Verdict, at now: Instant) {
    counters.dropped += 1
    counters.played = max(0, counters.played - 1)
    // What was played less than `fresh` ago may still find its device.
    let age = verdict == .noDevice ? fresh : 0
    let latest = Instant(nanoseconds: now.nanoseconds.subtractingReportingOverflow(age).partialValue)
    guard let record = log.latestPlay(until: latest) else { return }
    _ = log.replaceVerdict(of: record, with: verdict)
    if record == log.latest { counters.lastVerdict = verdict }
  }

  private mutating func enqueue(_ change: PendingChange, _ choice: SoundTable.Choice, at now: Instant) {
    guard queue.count < TriggerDefinition.longestQueue else { return conclude(change, .queueFull) }
    if queue.isEmpty { queue.reserveCapacity(TriggerDefinition.longestQueue) }
    var queued = change
    postpone(&queued, .queued(place: queue.count + 1))
    queue.append(QueuedPlay(change: queued, choice: choice))
    lastPlay = now
  }

  /// Plays the first of the queue that can be played, if nothing runs.
  private mutating func playQueue(
    at now: Instant, _ shared: inout Circumstances, _ perform: (TriggerAction) -> Verdict
  ) {
    while running == 0, !queue.isEmpty {
      let next = queue.removeFirst()
      let isAdmitted = shared.profile.admits(settings.importance)
      let verdict =
        isAdmitted
        ? start(next.choice, for: next.change, loops: false, at: now, &shared, perform) : .profile(shared.profile)
      conclude(next.change, verdict)
    }
  }

  mutating func dropQueue(_ verdict: Verdict) {
    for play in queue { conclude(play.change, verdict) }
    queue.removeAll(keepingCapacity: true)
  }
}
