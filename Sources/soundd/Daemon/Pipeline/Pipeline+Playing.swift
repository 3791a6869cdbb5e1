import SoundTrigger
import SoundWire

/// Plays by hand, their ends, and the circumstances of all plays.
extension Pipeline {
  /// Turns the audio thread's reports into events. Returns why the device was given up, if it was.
  func collect(at now: Instant) -> OutputError? {
    let error = conductor.collect(at: now)
    drain(at: now)
    return error
  }

  /// A number for a play by hand.
  func makePlayID() -> PlayID { conductor.engine.makePlayID() }

  /// Plays a sound by hand. The observer receives what becomes of it.
  func play(_ sound: String, _ clip: Clip, as id: PlayID, at now: Instant) {
    conductor.play(Play(id: id, trigger: nil, sound: sound, at: now), clip)
    findRoom()
    drain(at: now)
  }

  /// Speaks for a trigger, while less important sounds are lower by the factor `duck`. What becomes of it does not concern the trigger.
  /// `drain` lets it begin.
  func speak(
    _ text: String, _ clip: Clip, as id: PlayID, for trigger: String, _ settings: PlaySettings, duck: Double,
    at now: Instant
  ) {
    var settings = settings
    settings.pitch = 0
    (settings.fadeIn, settings.fadeOut) = (PlaySettings().fadeIn, PlaySettings().fadeOut)
    let play = Play(
      id: id, trigger: trigger, isMember: trigger.memberValue != nil, sound: Speech.prefix + text, settings: settings,
      at: now)
    if duck < 1 { conductor.player.duck(.init(gain: duck, importance: settings.importance)) }
    conductor.play(play, clip)
    if !conductor.player.sounds.others.contains(where: { $0 === clip }) { findRoom() }
  }

  /// The speech is over: nothing is lowered any more.
  func endSpeech() { conductor.player.duck(nil) }

  /// Starts a play that was not decided by a trigger, with its loaded sound.
  func ring(_ play: Play, at now: Instant) {
    conductor.play(play)
    drain(at: now)
  }

  /// Fades out one play. `drain` lets it begin to.
  func endPlay(_ id: PlayID, at now: Instant) {
    conductor.player.perform([.stop(id, by: .hand, at: now)], arrival: Instant(nanoseconds: 0))
    conductor.perform(at: now)
  }

  /// Makes an alarm what it was at the end of an earlier run; `resumeAlarms` lets it sound.
  func restore(_ alarm: AlarmRecord, of trigger: String, at now: Instant) {
    conductor.engine.restore(alarm, of: trigger, at: now)
    perform(at: now)
  }

  func resumeAlarms(at now: Instant) {
    conductor.engine.resumeAlarms(at: now)
    perform(at: now)
  }

  /// The device takes sounds again: alarms that found none sound at once.
  func deviceReturned(at now: Instant) {
    conductor.engine.deviceReturned(at: now)
    perform(at: now)
  }

  /// Calls off what waits and stops what sounds, plays by hand and plays of triggers from before a reload among them.
  func stop(_ target: StopTarget, at now: Instant) {
    let ids =
      if case .trigger(let name) = target {
        conductor.engine.trigger(named: name).map { conductor.engine.members(of: $0) ?? [$0] } ?? []
      } else {
        conductor.engine.triggers.filter {
          target.includes(nil, isAlarm: conductor.engine.definition(of: $0).isAlarm)
        }
      }
    for id in ids { conductor.engine.callOff(id, at: now) }
    perform(at: now)
    let rest = conductor.player.playing.filter { target.includes($0.trigger, isAlarm: $0.fresh == nil) }
    conductor.player.perform(rest.map { .stop($0.id, by: .hand, at: now) }, arrival: Instant(nanoseconds: 0))
    perform(at: now)
  }

  /// Fades out everything and refuses every play from now on, because soundd leaves.
  func end(fade: Duration, at now: Instant) {
    conductor.player.refuseAll()
    conductor.stopAll(fade: fade, by: .ending, at: now)
    drain(at: now)
  }

  /// Lets the alarms without a limit end with their sounds.
  func finishAlarms(at now: Instant) {
    conductor.engine.finishAlarms(at: now)
    perform(at: now)
  }

  func setProfile(_ profile: Profile, at now: Instant) {
    conductor.engine.setProfile(profile, at: now)
    perform(at: now)
  }

  /// Sets the loaded sounds; what is missing is broken. Plays keep the clips that they began with.
  func setSounds(_ sounds: LoadedSounds, at now: Instant) {
    conductor.player.sounds = sounds
    conductor.player.unpitched = []
    findRoom()
    var missing = MissingSounds()
    let silent = Set(conductor.engine.sounds.filter { sounds[$0] == nil })
    missing.disabled = silent.filter { sounds.isDisabled($0) }
    missing.broken = silent.subtracting(missing.disabled)
    missing.kept = missing.broken.filter { sounds.keptClip(of: $0) != nil }
    missing.substitute = sounds[BuiltInSounds.alarm] == nil ? nil : BuiltInSounds.alarm
    conductor.engine.setMissingSounds(missing, at: now)
    perform(at: now)
  }

  /// Changes how loud the plays of a trigger are, or everything (`nil`). Alarms that become audible sound at once.
  func setLevel(_ level: PlayLevel, of trigger: String?, at now: Instant) {
    func isAudible(_ trigger: String?) -> Bool { conductor.player.level(of: trigger).isAudible }
    let wasAudible = isAudible(trigger)
    conductor.player.setLevel(level, of: trigger)
    if wasAudible || !isAudible(nil) || !isAudible(trigger) { return }
    for id in conductor.engine.triggers {
      let definition = conductor.engine.definition(of: id)
      guard definition.isAlarm, trigger == nil || trigger == definition.name, isAudible(definition.name) else {
        continue
      }
      conductor.engine.becameAudible(id, at: now)
    }
    perform(at: now)
  }

  /// Acknowledges an alarm. Returns false if there is nothing to acknowledge.
  func acknowledge(_ trigger: TriggerID, at now: Instant) -> Bool {
    defer { perform(at: now) }
    return conductor.engine.acknowledge(trigger, at: now)
  }

  /// Acknowledges one occurrence of an alarm, and no later one. Returns false if it has ended.
  func acknowledge(_ occurrence: AlarmID, at now: Instant) -> Bool {
    defer { perform(at: now) }
    return conductor.engine.acknowledge(occurrence, at: now)
  }

  /// Numbers the occurrences of alarms from here on.
  func numberAlarms(from first: AlarmID) { conductor.engine.nextAlarmID = first }

  /// Silences an alarm until a time, or no longer (`nil`).
  func snooze(_ trigger: TriggerID, until end: Instant?, at now: Instant) {
    conductor.engine.snooze(trigger, until: end, at: now)
    perform(at: now)
  }

  /// Lets a trigger's throttle count from a play of an earlier run. Ignores a name that no trigger has.
  func restore(lastPlay: Instant, of trigger: String) { conductor.engine.restore(lastPlay: lastPlay, of: trigger) }
}
