import SoundTrigger

/// The alarm of a trigger of the naive model.
struct NaiveAlarm {
  /// What its sound does while it is active or latched.
  enum Sound: Equatable {
    case plays(Int)
    case pauses
    case isSilenced
    case wantsVoice
    case wantsDevice
    case wantsFile
  }

  /// The least time between two attempts to find a voice, in nanoseconds.
  static let retryInterval: Int64 = 1_000_000_000

  /// Pending if the throttle holds it back. A delay or a debounce is with the values.
  var life = AlarmLife.normal
  var since: Int64?
  var acknowledgedAt: Int64?
  var snoozedUntil: Int64?
  /// When `off_delay` has passed since the condition ceased to hold.
  var overAt: Int64?
  /// The content that chooses the sound.
  var content: Value?
  /// Whether the sound of its content is known.
  var knowsSound = true
  /// The change that began it, or that chose its sound.
  var record: NaiveRecords.Entry?
  /// Whether it was heard, so that the change has its verdict.
  /// Whether a device took its sound, and whether one was not muted since it became active.
  var wasHeard = false, wasAudible = false
  /// Whether it plays another sound, because its own is broken.
  var isSubstituted = false
  /// The last sound that a device took.
  var heardSound: String?
  var sound = Sound.pauses
  /// When the throttle lets it begin.
  var beginsAt: Int64?
  var repeatsAt: Int64?
  /// Whether people may have heard the sound since the last beat, or since the end of the last silence.
  var beatWasHeard = false
  var repetitions = 0
  /// How many steps of the escalation are behind it.
  var steps = 0
  /// When it looks for a voice again.
  var retriesAt: Int64?
  var lastRetry: Int64?
}

// MARK: The lives

extension NaiveTrigger {
  private var rule: TriggerDefinition.Loop? { definition.loop }

  /// The life as people see it.
  var life: AlarmLife {
    if alarm.life != .normal { return alarm.life }
    return watches.contains(where: \.isPending) ? .pending : .normal
  }

  /// A value meets the condition, and its waits are over.
  mutating func meetCondition(
    _ watch: Int, _ content: Value?, _ record: NaiveRecords.Entry, at now: Int64, _ stage: inout NaiveStage
  ) {
    let isOneMore = !watches[watch].keepsAlarm
    keep(watch)
    let verdict = unchangedVerdict(at: now)
    switch alarm.life {
    case .normal:
      begin(with: content, record)
      guard let wait = throttleWait(at: now) else { return becomeActive(at: now, &stage) }
      alarm.life = .pending
      alarm.beginsAt = now + wait
      noteAlarm(.throttled(for: .nanoseconds(wait)))
    case .pending, .active: note(record, verdict)
    case .latched:
      alarm.life = .active
      if choosesAnotherSound(content) {
        begin(with: content, record)
        changeSound(at: now, &stage)
      } else {
        note(record, verdict)
      }
    case .acknowledged:
      if !isOneMore {
        note(record, verdict)
        return
      }
      begin(with: content, record)
      becomeActive(at: now, &stage)
    }
  }

  /// A value changed, and meets the condition as it did, or again before the end of `off_delay`. Returns whether that is all.
  mutating func continueCondition(
    _ watch: Int, _ content: Value?, _ record: NaiveRecords.Entry, at now: Int64, _ stage: inout NaiveStage
  ) -> Bool {
    if rule == nil || alarm.life == .normal { return false }
    let returns = alarm.overAt != nil
    if returns { keep(watch) }
    // It was acknowledged with the sound that it had, whatever that was.
    if alarm.life == .acknowledged, !alarm.knowsSound, !sounds(for: content).isEmpty {
      (alarm.content, alarm.knowsSound) = (content, true)
    }
    if choosesAnotherSound(content), alarm.life != .latched {
      keep(watch)
      begin(with: content, record)
      switch alarm.life {
      case .pending: noteAlarm(unchangedVerdict(at: now))
      case .acknowledged: becomeActive(at: now, &stage)
      default: changeSound(at: now, &stage)
      }
      return true
    }
    if returns { note(record, unchangedVerdict(at: now)) }
    return returns
  }

  private func choosesAnotherSound(_ content: Value?) -> Bool {
    guard case .table = definition.sound else { return false }
    let sounds = sounds(for: content)
    return !sounds.isEmpty && (!alarm.knowsSound || sounds != usualSounds)
  }

  func unchangedVerdict(at now: Int64) -> Verdict {
    switch alarm.life {
    case .pending: .throttled(for: .nanoseconds((alarm.beginsAt ?? now) - now))
    case .acknowledged: .acknowledged
    default: .alreadyLooping
    }
  }

  private mutating func keep(_ watch: Int) {
    watches[watch].keepsAlarm = true
    alarm.overAt = nil
  }

  private mutating func begin(with content: Value?, _ record: NaiveRecords.Entry) {
    (alarm.content, alarm.record, alarm.wasHeard, alarm.knowsSound) = (content, record, false, true)
  }

  private mutating func becomeActive(at now: Int64, _ stage: inout NaiveStage) {
    (alarm.wasAudible, alarm.beatWasHeard) = (false, false)
    alarm.life = .active
    (alarm.since, alarm.acknowledgedAt) = (now, nil)
    (alarm.repetitions, alarm.steps) = (0, 0)
    (alarm.beginsAt, alarm.repeatsAt) = (nil, pause.map { now + $0 })
    soundAlarm(at: now, &stage)
  }

  /// After everything that happens at one time: the condition has ended if no value meets it.
  mutating func endConditionIfOver(at now: Int64, _ stage: inout NaiveStage) {
    endIfNoValueMeetsIt(at: now, &stage)
    numberOccurrence(&stage)
  }

  /// Finds out whether another occurrence has begun, from the life before and the life now.
  mutating func numberOccurrence(_ stage: inout NaiveStage) {
    if definition.loop == nil { return }
    let (before, now) = (occurrence.life, life)
    occurrence.life = now
    switch (before, now) {
    case (_, .normal): occurrence.id = nil
    // The last three: what rang has ended, and another value waits.
    case (.normal, _), (.acknowledged, .active), (.active, .pending), (.latched, .pending), (.acknowledged, .pending):
      occurrence.id = stage.nextOccurrence
      stage.nextOccurrence += 1
    default: break
    }
  }

  private mutating func endIfNoValueMeetsIt(at now: Int64, _ stage: inout NaiveStage) {
    if watches.contains(where: \.keepsAlarm) || alarm.overAt != nil { return }
    switch alarm.life {
    case .normal, .latched: break
    case .pending: endCondition(at: now, &stage)
    case .active, .acknowledged:
      if let delay = rule?.offDelay { alarm.overAt = now + delay.nanoseconds } else { endCondition(at: now, &stage) }
    }
  }

  private mutating func endCondition(at now: Int64, _ stage: inout NaiveStage) {
    if alarm.life == .active, rule?.latch == true {
      (alarm.life, alarm.overAt) = (.latched, nil)
      for index in watches.indices { watches[index].awaitsContent = false }
    } else {
      endAlarm(at: now, by: .condition, &stage)
    }
  }

  /// It is normal again. A snooze lasts.
  mutating func endAlarm(at now: Int64, by cause: StopCause, _ stage: inout NaiveStage) {
    if !forgetAlarm() { return }
    noteStop(at: now, by: cause)
    stop(at: now, by: cause, &stage)
  }

  private mutating func forgetAlarm() -> Bool {
    if alarm.life == .normal { return false }
    let snooze = alarm.snoozedUntil
    alarm = NaiveAlarm()
    alarm.snoozedUntil = snooze
    for index in watches.indices { (watches[index].keepsAlarm, watches[index].awaitsContent) = (false, false) }
    return true
  }

  // MARK: People

  /// `everything`: all waits end, too, as with `stop NAME` and `cancel`.
  @discardableResult
  mutating func acknowledge(
    at now: Int64, by cause: StopCause, everything: Bool = false, _ stage: inout NaiveStage
  ) -> Bool {
    let before = life
    if everything || before == .pending || before == .latched {
      for index in watches.indices { callOffWaits(index, isPending: before == .pending) }
    }
    if before == .normal { return false }
    defer { alarm.snoozedUntil = nil }
    let holds = watches.contains(where: \.keepsAlarm)
    if before == .latched, !holds { endAlarm(at: now, by: cause, &stage) }
    if before == .acknowledged || !holds && (before == .pending || before == .latched) { return true }
    if before == .pending { alarm.since = now }
    (alarm.life, alarm.acknowledgedAt) = (.acknowledged, now)
    (alarm.beginsAt, alarm.retriesAt, alarm.repeatsAt) = (nil, nil, nil)
    noteStop(at: now, by: cause)
    stop(at: now, by: cause, &stage)
    return true
  }

  /// Ends the waits for a value. If it meets the condition now, it counts as one that has met it.
  private mutating func callOffWaits(_ watch: Int, isPending: Bool) {
    let wait = watches[watch].wait
    // The change that it would have begun with, and the content of now.
    var cause = wait.map { (record: $0.record, content: watches[watch].content) }
    if let burst = watches[watch].burst {
      // A crossing has happened all the same: the threshold must arm again.
      let obstacle = watches[watch].obstacle(
        definition, old: burst.old, new: burst.new, isAppearance: burst.isAppearance)
      let holds = watches[watch].holds && !sounds(for: burst.new).isEmpty
      if rule != nil, !burst.hasReturned {
        if !holds {
          cause = nil
          cease(watch)
        } else if obstacle == nil, isPending || alarm.life != .normal {
          cause = (burst.record, burst.new)
        }
      }
      note(burst.record, .cancelled)
    }
    if let wait { note(wait.record, .cancelled) }
    (watches[watch].burst, watches[watch].wait) = (nil, nil)
    guard rule != nil, let cause else { return }
    watches[watch].keepsAlarm = true
    if alarm.life == .normal, alarm.record == nil {
      (alarm.record, alarm.content) = cause
      alarm.knowsSound = !sounds(for: cause.content).isEmpty
    }
  }

  mutating func snooze(until end: Int64?, at now: Int64, _ stage: inout NaiveStage) {
    alarm.snoozedUntil = end
    checkSilence(at: now, &stage)
  }

  /// A value no longer meets the condition.
  mutating func cease(_ watch: Int) {
    if watches[watch].keepsAlarm { conditionEnder = watch }
    watches[watch].keepsAlarm = false
  }

  mutating func finishAlarm(_ stage: inout NaiveStage) {
    if rule?.limit != nil, rule?.realarm == nil { return }
    if !forgetAlarm() { return }
    for play in plays where !play.isStopped { stage.decisions.append(.finish(play.id)) }
  }

  // MARK: Time

  private var limit: Int64? { Self.sum(alarm.since, rule?.limit) }
  private var realarm: Int64? { Self.sum(alarm.acknowledgedAt, rule?.realarm) }
  var nextStep: Int64? {
    guard let steps = rule?.escalation, alarm.steps < steps.count else { return nil }
    return Self.sum(alarm.since, steps[alarm.steps].after)
  }

  private static func sum(_ start: Int64?, _ length: Duration?) -> Int64? {
    guard let start, let length else { return nil }
    return start + length.nanoseconds
  }

  /// Everything that is due some time.
  var alarmDeadlines: [Int64] {
    var times = [alarm.snoozedUntil, alarm.overAt]
    switch alarm.life {
    case .normal: break
    case .pending: times.append(alarm.beginsAt)
    case .acknowledged: times.append(realarm)
    case .active, .latched: times += [limit, nextStep, alarm.repeatsAt, alarm.retriesAt]
    }
    return times.compactMap(\.self)
  }

  /// Does one thing of the alarm that is due.
  mutating func carryOutAlarm(at now: Int64, _ stage: inout NaiveStage) {
    func isDue(_ time: Int64?) -> Bool { time.map { $0 <= now } ?? false }
    if isDue(alarm.overAt) {
      endCondition(at: now, &stage)
    } else if isDue(alarm.snoozedUntil) {
      snooze(until: nil, at: now, &stage)
    } else if alarm.life == .pending, isDue(alarm.beginsAt) {
      becomeActive(at: now, &stage)
    } else if alarm.life == .acknowledged, isDue(realarm) {
      if let (old, new) = alarm.record?.full, let watch = alarm.record?.change.watch {
        alarm.record = NaiveRecords.Entry(at: now, old: old, new: new, watch: watch)
      }
      alarm.wasHeard = false
      becomeActive(at: now, &stage)
    } else if !alarm.life.sounds {
      return
    } else if isDue(limit) {
      acknowledge(at: now, by: .limit, &stage)
    } else if isDue(nextStep) {
      escalate(at: now, &stage)
    } else if isDue(alarm.retriesAt) {
      retry(at: now, &stage)
    } else if isDue(alarm.repeatsAt) {
      alarm.repetitions += 1
      alarm.beatWasHeard = false
      alarm.repeatsAt = pause.map { (alarm.repeatsAt ?? now) + $0 }
      if !isSounding { soundAlarm(at: now, &stage) }
    }
  }

  /// What is too late begins now, because an alarm is a state. Returns whether that moved anything.
  mutating func moveOverdue(due: Int64, to now: Int64) -> Bool {
    guard rule != nil else { return false }
    let isKept =
      [alarm.snoozedUntil, alarm.overAt].contains(due) || alarm.life == .acknowledged
      || alarm.life.sounds && [limit, nextStep].contains(due)
    if now - due <= definition.timing.fresh.nanoseconds {
      // Of several repetitions that are due at once, one sounds, now.
      guard alarm.life.sounds, alarm.repeatsAt == due, alarm.retriesAt != due, let pause, now - due >= pause,
        ![limit, nextStep].contains(due)
      else { return false }
      alarm.repeatsAt = now
      return true
    }
    for index in watches.indices {
      if watches[index].wait?.deadline == due {
        watches[index].wait?.deadline = now
        return true
      }
      if watches[index].burst?.deadline == due {
        if definition.timing.delay != nil { return false }
        watches[index].burst?.deadline = now
        return true
      }
    }
    if isKept { return false }
    if let time = alarm.beginsAt { alarm.beginsAt = max(time, now) }
    if let time = alarm.retriesAt { alarm.retriesAt = max(time, now) }
    if let time = alarm.repeatsAt { alarm.repeatsAt = max(time, now) }
    return true
  }

  /// A play was never heard: what the throttle held back for it begins sooner.
  mutating func throttleForgets(at now: Int64, _ stage: inout NaiveStage) {
    if alarm.life != .pending { return }
    if let wait = throttleWait(at: now) { alarm.beginsAt = now + wait } else { becomeActive(at: now, &stage) }
  }
}
