import SoundTrigger

/// What silences a trigger of the naive model, and how its alarm sounds.
extension NaiveTrigger {
  // MARK: Silence

  /// What silences it now.
  func silence(at now: Int64, _ stage: NaiveStage) -> AlarmSilence? {
    if let end = alarm.snoozedUntil, now < end { return .snoozed(until: Instant(nanoseconds: end)) }
    if let gate = gate(stage) { return .gate(gate) }
    let isAdmitted =
      switch settings.importance {
      case .low, .normal: stage.profile == .full
      case .high: stage.profile != .silent
      case .critical: true
      }
    return isAdmitted ? nil : .profile(stage.profile)
  }

  /// The first gate that is true.
  func gate(_ stage: NaiveStage) -> ValueName? {
    zip(gates, definition.unless).first { stage.isTrue($0.0) }?.1
  }

  /// Notes what silences a change. What crossed a line and is silenced by a gate is owed until that ends.
  mutating func noteSilent(_ record: NaiveRecords.Entry, _ new: Value?, _ verdict: Verdict) {
    guard case .suppressed(let gate) = verdict, definition.threshold != nil else {
      note(record, verdict)
      return
    }
    watches[record.change.watch].owed = NaiveWatch.Owed(new: new, record: note(record, .held(by: gate)))
  }

  /// No gate is true any more, perhaps.
  mutating func playOwed(at now: Int64, _ stage: inout NaiveStage) {
    for watch in watches.indices where watches[watch].isBeyond && watches[watch].burst == nil {
      guard let owed = watches[watch].owed, gate(stage) == nil else { continue }
      watches[watch].owed = nil
      playTime(watch, new: owed.new, owed.record, at: now, late: 0, &stage)
    }
  }

  func silentVerdict(at now: Int64, _ stage: NaiveStage) -> Verdict? {
    switch silence(at: now, stage) {
    case .snoozed(let end): .snoozed(for: .nanoseconds(end.nanoseconds - now))
    case .gate(let value): .suppressed(by: value)
    case .profile(let profile): .profile(profile)
    case .crowded, .broken, nil: nil
    }
  }

  /// A snooze, a gate or the profile may be another one.
  mutating func checkSilence(at now: Int64, _ stage: inout NaiveStage) {
    playOwed(at: now, &stage)
    guard let verdict = silentVerdict(at: now, stage) else {
      if alarm.life.sounds, alarm.sound == .isSilenced { soundAlarm(at: now, &stage) }
      return
    }
    emptyQueue(verdict)
    if alarm.life.sounds {
      (alarm.sound, alarm.retriesAt, alarm.beatWasHeard) = (.isSilenced, nil, false)
      noteAlarm(verdict)
    }
    switch verdict {
    case .snoozed: stop(at: now, by: .snooze, &stage)
    case .suppressed: stop(at: now, by: .gate, &stage)
    default: stop(at: now, by: .profile, &stage)
    }
  }

  // MARK: Escalation

  private var stepsBehind: ArraySlice<TriggerDefinition.Escalation> {
    definition.loop?.escalation.prefix(alarm.steps) ?? []
  }

  /// The settings with those steps of the escalation that are behind it.
  var settings: PlaySettings {
    var settings = definition.settings
    for step in stepsBehind {
      if let volume = step.volume { settings.volume = volume }
      if let importance = step.importance { settings.importance = importance }
    }
    return settings
  }

  mutating func escalate(at now: Int64, _ stage: inout NaiveStage) {
    let before = settings.importance.rank
    alarm.steps += 1
    if settings.importance.rank < before { stage.makeRoom() }
    if stepsBehind.last?.sound != nil { return changeSound(at: now, &stage) }
    checkSilence(at: now, &stage)
    if case .plays(let play) = alarm.sound { stage.decisions.append(.adjust(play, settings)) }
    if wantsVoice { retry(at: now, &stage) }
  }

  // MARK: Sound

  /// The pause before the next repetition; `nil` if it sounds without gaps.
  var pause: Int64? {
    guard let every = definition.loop?.every, let last = every.last else { return nil }
    return (alarm.repetitions < every.count ? every[alarm.repetitions] : last).nanoseconds
  }

  /// Every sound that it may want to play now.
  private var wantedSounds: [String] {
    if let step = stepsBehind.last(where: { $0.sound != nil })?.sound { return [step] }
    if case .list(let names, _) = definition.sound { return names }
    return usualSounds
  }

  private func findSubstitute(_ broken: Set<String>) -> Bool {
    let own = [alarm.heardSound].compactMap(\.self) + definition.sound.names
    return wantedSounds.allSatisfy(broken.contains) && !own.allSatisfy(broken.contains)
  }

  /// Other sounds are broken now.
  mutating func soundsChanged(at now: Int64, _ stage: inout NaiveStage) {
    guard alarm.life.sounds, alarm.record != nil else { return }
    if wantsFile { return soundAlarm(at: now, &stage) }
    let isWhole = !wantedSounds.allSatisfy(stage.broken.contains)
    let was = alarm.isSubstituted
    if isWhole { alarm.isSubstituted = false } else if findSubstitute(stage.broken) { alarm.isSubstituted = true }
    if isWhole, was { changeSound(at: now, &stage) }
  }

  /// All sounds of which any is right.
  private func alarmSounds(_ broken: Set<String>) -> [String] {
    func whole(_ sounds: [String]) -> [String] { sounds.filter { !broken.contains($0) } }
    let step = stepsBehind.last { $0.sound != nil }?.sound
    if step == nil, case .list(let names, .cycle) = definition.sound, case let rest = whole(names), !rest.isEmpty {
      return [rest[cyclePosition % rest.count]]
    }
    let wanted = step.map { [$0] } ?? usualSounds
    let rest = whole(wanted)
    if !rest.isEmpty { return rest }
    return whole([alarm.heardSound].compactMap(\.self) + definition.sound.names).first.map { [$0] } ?? wanted
  }

  /// The same without the escalation.
  var usualSounds: [String] {
    let sounds = alarm.knowsSound ? sounds(for: alarm.content) : []
    return sounds.isEmpty ? soundsOfUnknown(alarm.record?.full.new) : sounds
  }

  /// What plays for a content that is not known, or has no sound now.
  func soundsOfUnknown(_ content: Value?) -> [String] {
    let sounds = sounds(for: content)
    return sounds.isEmpty ? Array(definition.sound.names.prefix(1)) : sounds
  }

  mutating func soundAlarm(sparing: Bool = false, at now: Int64, _ stage: inout NaiveStage) {
    alarm.retriesAt = nil
    if alarm.record != nil { alarm.isSubstituted = findSubstitute(stage.broken) }
    if let verdict = silentVerdict(at: now, stage) {
      alarm.sound = .isSilenced
      return noteAlarm(verdict)
    }
    guard let record = alarm.record else { return }
    let play = perform(
      alarmSounds(stage.broken), record, settings: settings, loops: definition.loop?.every.isEmpty ?? false,
      sparing: sparing,
      at: now,
      &stage)
    guard let play else {
      alarm.sound = .wantsFile
      return noteAlarm(.broken)
    }
    alarm.sound = .plays(play)
    if !alarm.beatWasHeard { alarm.repeatsAt = pause.map { now + $0 } }
    if !alarm.wasHeard { starts[play] = now }
    noteAlarm(.starting, play: play)
  }

  mutating func changeSound(at now: Int64, _ stage: inout NaiveStage) {
    switch alarm.sound {
    case .plays, .wantsVoice, .wantsDevice, .wantsFile:
      stop(at: now, by: .restart, &stage)
      soundAlarm(at: now, &stage)
    case .pauses, .isSilenced:
      checkSilence(at: now, &stage)
      if alarm.sound == .pauses { noteAlarm(.alreadyLooping) }
    }
  }

  /// The verdict on the change that began it, until it was heard.
  mutating func noteAlarm(_ verdict: Verdict, play: Int? = nil) {
    guard let record = alarm.record, !alarm.wasHeard else { return }
    alarm.record = note(record, verdict, play: play)
  }

  // MARK: Voices

  var wantsVoice: Bool { alarm.life.sounds && alarm.sound == .wantsVoice }
  var wantsDevice: Bool { alarm.life.sounds && alarm.sound == .wantsDevice }
  var wantsFile: Bool { alarm.life.sounds && alarm.sound == .wantsFile }

  /// There may be a free voice. Returns whether it tries to take it.
  mutating func lookForVoice(at now: Int64, _ stage: inout NaiveStage) -> Bool {
    if let time = alarm.retriesAt, now < time { return false }
    if settings.importance != .critical, let last = alarm.lastRetry, now < last + NaiveAlarm.retryInterval {
      alarm.retriesAt = last + NaiveAlarm.retryInterval
      return false
    }
    retry(at: now, &stage)
    return isSounding
  }

  mutating func retry(at now: Int64, _ stage: inout NaiveStage) {
    alarm.lastRetry = now
    soundAlarm(sparing: true, at: now, &stage)
  }

  /// A play is over that the alarm may have sounded by.
  mutating func alarmLoses(_ play: Play, _ refusal: PlayEvent.Refusal, at now: Int64, _ stage: inout NaiveStage) {
    let id = Int(play.id.rawValue)
    guard alarm.sound == .plays(id) else { return }
    switch refusal {
    case .crowded:
      alarm.sound = .wantsVoice
      if !alarm.life.sounds { break }
      if play.settings.importance.rank < settings.importance.rank {
        retry(at: now, &stage)
      } else if stage.hadRoom(since: id) {
        _ = lookForVoice(at: now, &stage)
      }
    case .noDevice: (alarm.sound, alarm.retriesAt) = (.wantsDevice, now + NaiveAlarm.retryInterval)
    case .broken, .disabled, .unspoken: alarm.sound = .wantsFile
    case .ending: alarm.sound = .isSilenced
    }
  }

  /// A play has ended that the alarm may have sounded by.
  mutating func alarmLoses(_ play: Int, isStolen: Bool) {
    guard alarm.sound == .plays(play) else { return }
    let wantsIt = definition.loop?.every.isEmpty == true || isStolen && settings.importance == .critical
    alarm.sound = wantsIt ? .wantsVoice : .pauses
  }
}
