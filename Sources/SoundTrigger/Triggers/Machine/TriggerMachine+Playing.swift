extension TriggerMachine {
  /// Plays for a change that has met all its conditions and waited as long as it had to, if its time allows it.
  mutating func play(
    _ change: PendingChange, _ choice: SoundChoice.Selection, at now: Instant, _ context: inout DecisionContext
  ) {
    if definition.isAlarm { return beginAlarm(change, choice, at: now, &context) }
    let lateness = now.duration(to: context.now)
    if lateness > definition.timing.fresh {
      counters.dropped += 1
      return conclude(change, .late(by: lateness), &context)
    }
    if let end = throttleEnd(at: now) { return conclude(change, .throttled(for: now.duration(to: end)), &context) }
    if let verdict = silentVerdict(settings.importance, at: now, context) {
      return concludeSilenced(change, choice, verdict, &context)
    }
    if isSounding, definition.timing.overlap == .ignore { return conclude(change, .stillSounding, &context) }
    if definition.isGrouped, isHeldBack(change, choice, &context) { return }
    if isSounding {
      switch definition.timing.overlap {
      case .mix, .ignore: break
      case .restart: stop(at: now, by: .restart, &context)
      case .queue: return enqueue(change, choice, at: now, &context)
      }
    }
    guard let id = start(choice, for: change, throttleStart: now, at: now, &context) else {
      return conclude(change, .broken, &context)
    }
    if definition.isGrouped { letThrough(id, at: now, &context) }
    conclude(change, .starting, play: id, &context)
  }

  /// When the throttle allows the next play; `nil` if it does now.
  @inline(__always)
  func throttleEnd(at now: Instant) -> Instant? {
    guard let throttle = definition.timing.throttle, let lastPlay else { return nil }
    let end = lastPlay.end(of: throttle)
    return now < end ? end : nil
  }

  /// Whether a sound runs that was not told to stop.
  @inline(__always)
  var isSounding: Bool { plays.last.map { !$0.isStopping } ?? false }

  /// Decides to start a sound; `nil` if it is not loaded.
  mutating func start(
    _ choice: SoundChoice.Selection, for change: PendingChange, loops: Bool = false, spareEquals: Bool = false,
    standsForGroup: Bool = false, settings: PlaySettings? = nil, throttleStart: Instant?, at now: Instant,
    _ context: inout DecisionContext
  ) -> PlayID? {
    var position = listPosition
    let sound = choice.sound(position: &position, &context.random)
    if !context.missing.broken.isEmpty, context.missing.broken.contains(sound),
      !(definition.isAlarm && context.missing.kept.contains(sound))
    {
      return nil
    }
    let id = context.makePlayID()
    let value = value(change.watch)
    let (old, new) = change.isLong ? change.excerpts : (change.old, change.new)
    context.decisions.append(
      .play(
        Play(
          id: id, trigger: name, isMember: membership.exists, sound: sound,
          settings: definition.isMapped ? mapped(settings ?? self.settings, change) : settings ?? self.settings,
          loops: loops,
          spareEquals: spareEquals, standsForGroup: standsForGroup,
          fresh: definition.isAlarm ? nil : definition.timing.fresh,
          cause: Cause(value: value, old: old, new: new), at: now)))
    context.owners.append((id, index))
    plays.append(RunningPlay(id: id, throttleStart: throttleStart))
    listPosition = position
    return id
  }

  /// The settings, changed as the contents demand.
  @inline(never)
  private func mapped(_ settings: PlaySettings, _ change: PendingChange) -> PlaySettings {
    var settings = settings
    var (old, new) = (change.old, change.new)
    if let latest = watches[change.watch].latest { (old, new) = (latest.old, latest.new) }
    for mapping in definition.mappings { mapping.apply(to: &settings, old: old, new: new) }
    return settings
  }

  /// Fades out what sounds.
  mutating func stop(at now: Instant, by cause: StopCause, _ context: inout DecisionContext) {
    // What already fades comes first, so that a flood of restarts with a long fade looks at one play each.
    var first = plays.count
    while first > 0, !plays[first - 1].isStopping { first -= 1 }
    if first < plays.count { noteStop(at: now, by: cause) }
    for index in first..<plays.count {
      plays[index].isStopping = true
      context.decisions.append(.stop(plays[index].id, by: cause, at: now))
      context.noteRoom()
    }
  }

  /// Records when and why a sound was stopped, or an alarm ended, and by which value.
  mutating func noteStop(at now: Instant, by cause: StopCause) {
    let value: ValueName? =
      switch cause {
      case .cancel: definition.cancel
      case .condition: self.value(conditionEnder)
      default: nil
      }
    counters.lastStop = Stop(at: now, cause: cause, value: value)
  }

  // MARK: What became of plays

  /// Receives that a device accepted a play.
  mutating func heard(_ play: Play, isMuted: Bool, _ context: inout DecisionContext) {
    counters.played += 1
    counters.lastPlay = play.at
    if let start = plays.last(where: { $0.id == play.id })?.throttleStart {
      lastHeardPlay = max(lastHeardPlay ?? start, start)
    }
    resolveVerdict(of: play, isMuted ? .muted : .played, &context)
    if definition.isAlarm, alarm.sound == .sounding(play.id) {
      (alarm.isHeard, alarm.heardSound) = (true, play.sound)
      if !isMuted { (alarm.wasAudible, alarm.isRepetitionHeard) = (true, true) }
    }
  }

  /// Receives that a play will not be heard.
  mutating func refused(
    _ play: Play, _ refusal: PlayEvent.Refusal, at now: Instant, _ context: inout DecisionContext
  ) {
    guard remove(play.id) != nil else { return }
    resolveVerdict(of: play, Verdict(refusal), &context)
    if !play.loops, refusal == .crowded || refusal == .noDevice { counters.dropped += 1 }
    if let group = definition.group { context.groups[group.name]?.refused(play.id, at: now) }
    alarmRefused(play, refusal, at: now, &context)
    playQueue(at: now, &context)
    throttleMayHaveEnded(at: now, &context)
  }

  /// Receives that a play has ended that was heard or stopped.
  mutating func ended(
    _ play: Play, _ ending: PlayEvent.Ending, at now: Instant, _ context: inout DecisionContext
  ) {
    guard remove(play.id) != nil else { return }
    let isStolen = if case .stolen = ending { true } else { false }
    let wasHeard = if case .cancelled = ending { false } else { true }
    if isStolen { noteStop(at: now, by: .stolen) }
    // If no device has accepted it, none will.
    resolveVerdict(of: play, isStolen ? .crowded : .cancelled, &context)
    alarmEnded(play.id, isStolen: isStolen)
    playQueue(at: now, &context)
    if !wasHeard { throttleMayHaveEnded(at: now, &context) }
  }

  private mutating func remove(_ id: PlayID) -> RunningPlay? {
    // Most often it is the only one.
    if plays.last?.id == id { return plays.removeLast() }
    return plays.firstIndex { $0.id == id }.map { plays.remove(at: $0) }
  }

  /// Replaces the verdict `starting` of a play; does nothing if that is replaced already.
  private mutating func resolveVerdict(of play: Play, _ verdict: Verdict, _ context: inout DecisionContext) {
    let record = log.replaceStarting(of: play.id, with: verdict)
    if context.notesVerdicts, let record { note(record, sound: play.sound, &context) }
    if startingPlay == play.id {
      startingPlay = nil
      counters.lastVerdict = verdict
    }
  }

  // MARK: The queue

  private mutating func enqueue(
    _ change: PendingChange, _ choice: SoundChoice.Selection, at now: Instant, _ context: inout DecisionContext
  ) {
    guard queue.count < TriggerDefinition.longestQueue else { return conclude(change, .queueFull, &context) }
    var queued = change
    postpone(&queued, .queued(position: queue.count + 1), &context)
    queue.append(
      QueuedPlay(change: queued, choice: choice, settings: settings, throttleStart: now))
  }

  /// Plays the first of the queue that can be played, if nothing sounds.
  private mutating func playQueue(at now: Instant, _ context: inout DecisionContext) {
    while !isSounding, !queue.isEmpty {
      let next = queue.removeFirst()
      if let id = start(
        next.choice, for: next.change, settings: next.settings, throttleStart: next.throttleStart, at: now, &context)
      {
        conclude(next.change, .starting, play: id, &context)
      } else {
        conclude(next.change, .broken, &context)
      }
    }
  }

  mutating func dropQueue(_ verdict: Verdict, _ context: inout DecisionContext) {
    for play in queue { concludeSilenced(play.change, play.choice, verdict, &context) }
    queue.removeAll(keepingCapacity: true)
  }
}
