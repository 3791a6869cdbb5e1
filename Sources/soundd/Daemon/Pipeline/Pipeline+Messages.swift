import SoundTrigger
import SoundWire

/// What decides beside the pipeline whether something is heard.
struct Surroundings {
  var profile: ProfileTimes
  /// The values that restrict the profile (`quiet_while`, `silent_while`).
  var gates: [ValueName: Profile]
  /// When the mute of a trigger, or of everything (`nil`), ends by itself.
  var muteEnd: (String?) -> Instant? = { _ in nil }
  var isDeviceMissing = false
}

/// Why an alarm is silent, and until when.
struct AlarmSilence {
  var cause: SilenceCause
  var why: String
  var until: Timestamp?
}

/// What people and clients are told of alarms and of the profile.
extension Pipeline {
  // MARK: Alarms

  /// Every alarm, or every one that is not normal or snoozed: the most important first, then the oldest.
  func alarms(all: Bool) -> [AlarmReport] {
    let engine = conductor.engine
    let never = Instant(nanoseconds: .max)
    return engine.triggers.compactMap { engine.alarm($0) }
      .filter { all || $0.life != .normal || $0.snoozedUntil != nil }
      .sorted { ($1.importance.rank, $0.since ?? never) < ($0.importance.rank, $1.since ?? never) }
  }

  /// `since` is when it began.
  func message(of alarm: AlarmReport, since: Timestamp?, _ silence: AlarmSilence?) -> AlarmMessage {
    var message = AlarmMessage()
    (message.id, message.name) = (alarm.id.map { Int($0.rawValue) }, alarm.name)
    (message.life, message.since) = (Word(alarm.life), since)
    let isSuppressed = silence?.cause.isLevel == true && alarm.state == AlarmState(alarm.life)
    message.state = Word(isSuppressed ? .suppressed : alarm.state)
    message.until = silence?.until
    (message.silence, message.why) = (silence.map { Word($0.cause) }, silence?.why)
    message.value = alarm.value?.description
    message.content = alarm.value.flatMap(content)
    message.importance = alarm.importance.rawValue
    message.acknowledgedAt = alarm.acknowledgedAt.map(Timestamp.init(of:))
    message.snoozedUntil = alarm.snoozedUntil.map(Timestamp.init(of:))
    message.heard = alarm.isHeard
    message.problem = problem(of: alarm)
    message.makeSentence(now: .now())
    return message
  }

  /// `nil` if nothing silences it.
  func silence(of alarm: AlarmReport, in surroundings: Surroundings) -> AlarmSilence? {
    switch alarm.silence {
    case .snoozed(let end): return AlarmSilence(cause: .snoozed, why: "snoozed", until: Timestamp(of: end))
    case .gate(let value): return AlarmSilence(cause: .gate, why: "\(value.original) is true (unless)")
    case .profile(let profile):
      let why = "the profile is \(profile.rawValue)"
      if let gate = profileGate(in: surroundings) {
        return AlarmSilence(cause: .profile, why: "\(why) while '\(gate.original)' is true")
      }
      return AlarmSilence(cause: .profile, why: why, until: surroundings.profile.end.map { Timestamp(seconds: $0) })
    case .crowded: return AlarmSilence(cause: .crowded, why: "no voice is free (limits.voices)")
    case .broken: return AlarmSilence(cause: .broken, why: "its sound is not loaded")
    case nil: break
    }
    if !alarm.life.sounds { return nil }
    for trigger in [nil, alarm.name] {
      let level = conductor.player.level(of: trigger)
      if level.isAudible { continue }
      let end = surroundings.muteEnd(trigger).map(Timestamp.init(of:))
      let volume = VolumeText.short(level.volume)
      switch (trigger, level.isMuted) {
      case (nil, true): return AlarmSilence(cause: .muted, why: "soundd is muted", until: end)
      case (nil, false): return AlarmSilence(cause: .volume, why: "soundd has volume \(volume)")
      case (_, true): return AlarmSilence(cause: .triggerMuted, why: "it is muted", until: end)
      case (_, false): return AlarmSilence(cause: .triggerVolume, why: "it has volume \(volume)")
      }
    }
    let gain = [nil, alarm.name].reduce(alarm.volume) { $0 * conductor.player.level(of: $1).gain }
    if !PlayLevel.isAudible(gain) {
      return AlarmSilence(cause: .triggerVolume, why: "all volumes together are \(VolumeText.short(gain))")
    }
    return surroundings.isDeviceMissing ? AlarmSilence(cause: .noDevice, why: "there is no device") : nil
  }

  /// What it plays instead of its sound, and why; `nil` if it plays its own.
  private func problem(of alarm: AlarmReport) -> String? {
    guard let substitute = alarm.substitute else { return nil }
    let reason = conductor.player.sounds.problem(of: substitute.missing)?.line
    let other =
      substitute.sound == substitute.missing ? "the clip that it had before" : "'\(substitute.sound)' instead"
    return "plays \(other): \(reason ?? "its theme or pack has silence for '\(substitute.missing)'")"
  }

  /// The present content of a value, truncated; `nil` if it has none.
  func content(of value: ValueName) -> RawJSON? {
    store.id(of: Array(value.description.utf8).span).flatMap { store.value(of: $0) }
      .map { RawJSON(truncated: $0.truncated) }
  }

  // MARK: Volume and profile

  /// How loud everything is (`nil`), or a trigger.
  func level(of trigger: String?, in surroundings: Surroundings) -> LevelMembers {
    let level = conductor.player.level(of: trigger)
    return LevelMembers(
      volume: level.volume, isMuted: level.isMuted, mutedUntil: surroundings.muteEnd(trigger).map(Timestamp.init(of:)))
  }

  /// The profile that holds, why, and what holds after it.
  func profile(in surroundings: Surroundings) -> ProfileMembers {
    let times = surroundings.profile
    let (gate, ending) = (profileGate(in: surroundings), times.ending)
    var members = ProfileMembers()
    (members.profile, members.chosen) = (Word(conductor.engine.profile), Word(times.chosen))
    members.gate = gate?.description
    members.until = ending.map { Timestamp(seconds: $0.at) }
    members.then = (gate == nil ? ending?.then : times.situation.profile).map { Word($0) }
    members.quietUntil = times.situation.quietUntil.map { Timestamp(seconds: $0) }
    return members
  }

  /// The value that restricts the profile now; `nil`: none does.
  func profileGate(in surroundings: Surroundings) -> ValueName? {
    let profile = conductor.engine.profile
    if profile == surroundings.profile.situation.profile { return nil }
    return surroundings.gates.filter { name, most in
      guard most == profile, let id = store.id(of: name), isStale(id) != true else { return false }
      return store.value(of: id)?.isTrue(isEvent: store.kind(of: id) == .event) == true
    }.keys.min { $0.description < $1.description }
  }
}
