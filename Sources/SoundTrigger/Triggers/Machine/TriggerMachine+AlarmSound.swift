/// The sound of an alarm: it runs as long as the alarm is active or latched, and nothing silences it.
extension TriggerMachine {
  /// The least time between two restarts of an alarm that lost its voice, so that two alarms do not steal from each other
  /// without end. A critical one does not wait: it takes no voice from another critical alarm.
  private static let restartInterval = Duration.seconds(1)

  // MARK: Silence

  /// What silences the trigger now, apart from the profile; `nil` if nothing does. Inlined, because a call copies the machine.
  @inline(__always)
  func silence(at now: Instant, _ context: borrowing DecisionContext) -> AlarmSilence? {
    if definition.isAlarm, let end = alarm.snoozedUntil, now < end { return .snoozed(until: end) }
    if shared.gates.isEmpty { return nil }
    return shared.gates.firstIndex { context.gates[$0]?.silences ?? false }.map { .gate(definition.unless[$0]) }
  }

  /// The verdict on what would sound now; `nil` if nothing silences it.
  @inline(__always)
  func silentVerdict(
    _ importance: PlaySettings.Importance, at now: Instant, _ context: borrowing DecisionContext
  ) -> Verdict? {
    switch silence(at: now, context) {
    case .snoozed(let end): return .snoozed(for: now.duration(to: end))
    case .gate(let value): return .suppressed(by: value)
    case .profile, .crowded, .broken, nil: break
    }
    return context.profile.admits(importance) ? nil : .profile(context.profile)
  }

  /// Receives that a snooze, a gate or the profile may have changed: silences what sounds, or lets an alarm and held crossings sound
  /// at once.
  mutating func silenceChanged(at now: Instant, _ context: inout DecisionContext) {
    playHeldCrossings(at: now, &context)
    guard let verdict = silentVerdict(alarmSettings.importance, at: now, context) else {
      if alarm.life.sounds, alarm.sound == .silenced { soundAlarm(at: now, &context) }
      return
    }
    dropQueue(verdict, &context)
    if alarm.life.sounds {
      alarm.sound = .silenced
      (alarm.resume, alarm.isRepetitionHeard) = (nil, false)
      noteAlarm(verdict, &context)
    }
    let cause: StopCause =
      switch verdict {
      case .snoozed: .snooze
      case .suppressed: .gate
      default: .profile
      }
    stop(at: now, by: cause, &context)
  }

  // MARK: Escalation

  /// How the trigger plays now: an alarm's escalation raises its settings.
  var alarmSettings: PlaySettings {
    var settings = self.settings
    for step in reachedSteps {
      settings.volume = step.volume ?? settings.volume
      settings.importance = step.importance ?? settings.importance
    }
    return settings
  }

  /// The greater, the sooner it gets a free voice.
  var alarmRank: Int { Int(alarmSettings.importance.rank) }

  private var reachedSteps: ArraySlice<TriggerDefinition.Escalation> {
    alarm.steps == 0 ? [] : definition.loop?.escalation.prefix(alarm.steps) ?? []
  }

  private var escalatedChoice: SoundChoice.Selection? {
    reachedSteps.last { $0.sound != nil }?.sound.map { .sound($0) }
  }

  /// The sound of a content, or any if it has none or is not known.
  func usualChoice(for content: Value?) -> SoundChoice.Selection? {
    sound[content] ?? sound.names.first.map { .sound($0) }
  }

  mutating func escalate(at now: Instant, _ context: inout DecisionContext) {
    let step = definition.loop?.escalation[alarm.steps]
    let rank = alarmRank
    alarm.steps += 1
    // A step may also lower the importance: then others may take its voice.
    if alarmRank < rank { context.noteRoom() }
    if step?.sound != nil { return resound(at: now, &context) }
    silenceChanged(at: now, &context)
    switch alarm.sound {
    case .sounding(let play): context.decisions.append(.adjust(play, alarmSettings))
    // It may take voices now that it could not take before.
    case .crowded: restartAlarm(at: now, &context)
    case .pausing, .silenced, .unheard, .broken: break
    }
  }

  // MARK: Sounding

  /// Starts the alarm's sound, unless something silences it. The pause begins now, unless it has begun with a sound that was heard.
  /// An alarm that restarts takes no voice from its equals.
  mutating func soundAlarm(at now: Instant, isRestart: Bool = false, _ context: inout DecisionContext) {
    guard let cause = alarm.cause, let wanted = wantedChoice else { return }
    alarm.resume = nil
    let choice = playable(wanted, context)
    let settings = alarmSettings
    if let verdict = silentVerdict(settings.importance, at: now, context) {
      alarm.sound = .silenced
      return noteAlarm(verdict, &context)
    }
    // The throttle counts from the alarm's beginning.
    let id = start(
      choice, for: cause, loops: definition.loop?.every.isEmpty ?? false, spareEquals: isRestart,
      settings: settings, throttleStart: alarm.isHeard ? nil : now, at: now, &context)
    guard let id else {
      alarm.sound = .broken
      return noteAlarm(.broken, &context)
    }
    alarm.sound = .sounding(id)
    if !alarm.isRepetitionHeard { alarm.repetition = nextRepetition(after: now) }
    noteAlarm(.starting, play: id, &context)
  }

  /// The sound that the alarm plays if it can.
  private var wantedChoice: SoundChoice.Selection? {
    escalatedChoice ?? alarm.choice ?? usualChoice(for: alarm.cause?.new)
  }

  /// What the alarm plays: what it wants to play or, if that cannot be played, the last sound that was heard, another one of its
  /// own, or the shipped alarm. Notes the substitute.
  private mutating func playable(
    _ wanted: SoundChoice.Selection, _ context: borrowing DecisionContext
  ) -> SoundChoice.Selection {
    alarm.substitute = nil
    if context.missing.isEmpty { return wanted }
    let isCritical = alarmSettings.importance == .critical
    let missing = context.missing
    func canPlay(_ sound: String) -> Bool { missing.alarmCanPlay(sound, isCritical: isCritical) }
    guard let lost = wanted.names.first(where: { !canPlay($0) }) else {
      let kept = wanted.names.first { missing.kept.contains($0) }
      alarm.substitute = kept.map { AlarmSubstitute(missing: $0, sound: $0) }
      return wanted
    }
    let others = wanted.names.filter(canPlay)
    if !others.isEmpty { return wanted.only(others) }
    let candidates = [alarm.heardSound].compactMap(\.self) + sound.names + [missing.substitute].compactMap(\.self)
    guard let found = candidates.first(where: { canPlay($0) && !missing.disabled.contains($0) }) else { return wanted }
    alarm.substitute = AlarmSubstitute(missing: lost, sound: found)
    return .sound(found)
  }

  /// Replaces the sound that runs.
  mutating func resound(at now: Instant, _ context: inout DecisionContext) {
    switch alarm.sound {
    case .sounding, .crowded, .unheard, .broken:
      stop(at: now, by: .restart, &context)
      soundAlarm(at: now, &context)
    case .pausing, .silenced:
      silenceChanged(at: now, &context)
      if alarm.sound == .pausing { noteAlarm(.alreadyLooping, &context) }
    }
  }

  /// Receives that its sounds are no longer muted: it sounds at once, instead of after its pause or from where it would be.
  mutating func becomeAudible(at now: Instant, _ context: inout DecisionContext) {
    switch alarm.sound {
    case .pausing where alarm.life.sounds:
      alarm.isRepetitionHeard = false
      soundAlarm(at: now, &context)
    case .sounding where alarm.life.sounds && !alarm.wasAudible: resound(at: now, &context)
    default: break
    }
  }

  /// Records the verdict on the change that began the alarm, until its sound was heard.
  mutating func noteAlarm(_ verdict: Verdict, play: PlayID? = nil, _ context: inout DecisionContext) {
    guard !alarm.isHeard, var cause = alarm.cause else { return }
    postpone(&cause, verdict, play: play, &context)
    alarm.cause = cause
  }

  // MARK: Repetitions

  /// The pause after so many repetitions; `nil`: it sounds without a gap.
  func repetitionPause(_ repetitions: Int) -> Duration? {
    guard let every = definition.loop?.every, !every.isEmpty else { return nil }
    return every[min(repetitions, every.count - 1)]
  }

  func nextRepetition(after now: Instant) -> Instant? { repetitionPause(alarm.repetitions).map { now.end(of: $0) } }

  mutating func repeatAlarm(at now: Instant, _ context: inout DecisionContext) {
    alarm.repetitions += 1
    alarm.repetition = nextRepetition(after: alarm.repetition ?? now)
    alarm.isRepetitionHeard = false
    if !isSounding { soundAlarm(at: now, &context) }
  }

  // MARK: Voices

  /// Whether it waits for a voice, for a device, or for its sound to be loaded.
  var alarmWaits: Bool {
    if !alarm.life.sounds { return false }
    return switch alarm.sound {
    case .crowded, .unheard, .broken: true
    case .sounding, .pausing, .silenced: false
    }
  }

  /// Whether it waits for a voice, and no longer for another time. Inlined, because a call copies the machine.
  @inline(__always)
  func mayTakeVoice(at now: Instant) -> Bool {
    alarm.life.sounds && alarm.sound == .crowded && alarm.resume.map { $0 <= now } ?? true
  }

  /// Receives that a voice may be free. Returns whether it tries to take it.
  mutating func roomAvailable(at now: Instant, _ context: inout DecisionContext) -> Bool {
    guard mayTakeVoice(at: now) else { return false }
    if alarmSettings.importance != .critical, let next = alarm.lastRestart?.end(of: Self.restartInterval), now < next {
      alarm.resume = next
      return false
    }
    restartAlarm(at: now, &context)
    return isSounding
  }

  /// Receives that other sounds are loaded now.
  mutating func soundsChanged(at now: Instant, _ context: inout DecisionContext) {
    if alarm.sound == .broken { return soundAlarm(at: now, &context) }
    let before = alarm.substitute
    guard let wanted = wantedChoice else { return }
    let choice = playable(wanted, context)
    if alarm.substitute != nil { return }
    let isCritical = alarmSettings.importance == .critical
    guard choice.names.contains(where: { context.missing.alarmCanPlay($0, isCritical: isCritical) }) else {
      // What sounds keeps its clip.
      alarm.substitute = before
      return
    }
    // A substitute gives way to the sound that can be played again.
    if let before, before.sound != before.missing { resound(at: now, &context) }
  }

  mutating func restartAlarm(at now: Instant, _ context: inout DecisionContext) {
    alarm.lastRestart = now
    soundAlarm(at: now, isRestart: true, &context)
  }

  /// Receives that a play found no voice, no device or no sound.
  mutating func alarmRefused(
    _ play: Play, _ refusal: PlayEvent.Refusal, at now: Instant, _ context: inout DecisionContext
  ) {
    guard definition.isAlarm, alarm.sound == .sounding(play.id) else { return }
    switch refusal {
    case .crowded:
      alarm.sound = .crowded
      // It may be acknowledged by now.
      if !alarm.life.sounds { break }
      if play.settings.importance.rank < alarmRank {
        // Its escalation came too late for the mixer.
        restartAlarm(at: now, &context)
      } else if context.hadRoom(since: play.id) {
        _ = roomAvailable(at: now, &context)
      }
    case .noDevice:
      alarm.sound = .unheard
      alarm.resume = now.end(of: Self.restartInterval)
    case .broken, .disabled, .unspoken: alarm.sound = .broken
    case .ending: alarm.sound = .silenced
    }
  }

  /// Receives that a play has ended. If an alarm without gaps was not stopped, it has lost its voice.
  ///
  /// So has a critical one that repeats, if the voice was stolen or the device hung; any other then keeps its beat.
  mutating func alarmEnded(_ play: PlayID, isStolen: Bool) {
    guard definition.isAlarm, alarm.sound == .sounding(play) else { return }
    let isRepeated = definition.loop?.every.isEmpty == false
    alarm.sound = isRepeated && !(isStolen && alarmSettings.importance == .critical) ? .pausing : .crowded
  }
}
