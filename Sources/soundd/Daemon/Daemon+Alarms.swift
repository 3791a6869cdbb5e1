import Logging
import SoundTrigger

/// Alarms: what clients ask for, and what they and the log are told.
extension Daemon {
  private var engine: TriggerEngine { _read { yield pipeline.conductor.engine } }

  /// Every alarm, or every one that is not normal: the most important first, then the oldest.
  func alarms(all: Bool) -> [AlarmReport] {
    engine.definitions.indices.compactMap { engine.alarm(TriggerID(index: $0)) }
      .filter { all || $0.life != .normal }
      .sorted { ($1.importance.rank, $0.since ?? .distantFuture) < ($0.importance.rank, $1.since ?? .distantFuture) }
  }

  func alarmList(all: Bool) -> Reply {
    var writer = JSONWriter()
    writer.array(alarms(all: all)) { alarm, writer in writer.object { write(alarm, to: &$0) } }
    return .json(writer.bytes)
  }

  /// Writes the members of an alarm.
  func write(_ alarm: AlarmReport, to writer: inout JSONWriter) {
    let silence = silence(of: alarm)
    writer.member("name", alarm.name)
    writer.member(
      "state",
      silence.isMuted && alarm.life != .normal && alarm.state == alarm.life.rawValue ? "suppressed" : alarm.state)
    writer.member("life", alarm.life.rawValue)
    writer.member("since", since(of: alarm))
    writer.member("until", silence.until)
    writer.member("why", silence.why)
    writer.member("value", alarm.value?.description)
    writer.member(
      "content",
      truncated: alarm.value.flatMap { pipeline.store.id(of: Array($0.description.utf8).span) }
        .flatMap { pipeline.store.value(of: $0) }?.truncated)
    writer.member("importance", alarm.importance.rawValue)
    writer.member("acknowledged_at", alarm.acknowledgedAt.map(Timestamp.init(of:)))
    writer.member("snoozed_until", alarm.snoozedUntil.map(Timestamp.init(of:)))
    writer.member("heard", alarm.isHeard)
  }

  /// When an alarm began; the same text each time, because `ack since=` names it. The civil time of an instant differs from
  /// one reading of the two clocks to the next, and more so after the clock was set.
  private func since(of alarm: AlarmReport) -> Timestamp? {
    guard let instant = alarm.since else {
      remembered.alarmTimes[alarm.name] = nil
      return nil
    }
    if let (known, time) = remembered.alarmTimes[alarm.name], known == instant { return time }
    let time = Timestamp(of: instant)
    remembered.alarmTimes[alarm.name] = (instant, time)
    return time
  }

  /// Why an alarm is silent, if something silences it, and until when.
  func silence(of alarm: AlarmReport) -> (why: String?, until: Timestamp?, isMuted: Bool) {
    switch alarm.silence {
    case .snoozed(let end): return ("snoozed", Timestamp(of: end), false)
    case .gate(let value): return ("\(value) is true (unless)", nil, false)
    case .profile(let profile):
      if let gate = profileGate { return ("the profile is \(profile.rawValue) while '\(gate)' is true", nil, false) }
      return ("the profile is \(profile.rawValue)", memory.profile.end.map { Timestamp(seconds: $0) }, false)
    case .crowded: return ("no voice is free (limits.voices)", nil, false)
    case .broken: return ("its sound is not loaded", nil, false)
    case nil: break
    }
    if !alarm.life.sounds { return (nil, nil, false) }
    for trigger in [nil, alarm.name] where pipeline.conductor.player.level(of: trigger).gain == 0 {
      let level = pipeline.conductor.player.level(of: trigger)
      let subject = trigger == nil ? "soundd" : "it"
      return (
        "\(subject) \(level.isMuted ? "is muted" : "has volume 0")",
        memory.mutes.end(of: trigger).map(Timestamp.init(of:)), true
      )
    }
    return device.isMissing ? ("there is no device", nil, false) : (nil, nil, false)
  }

  // MARK: What people do

  /// `ack [since=TIME] [TRIGGER]`.
  func acknowledge(_ name: String?, since: String?, for client: ClientConnection) -> Reply {
    guard let name else {
      for alarm in engine.soundingAlarms { _ = pipeline.acknowledge(alarm, at: loop.now) }
      return saved(client)
    }
    guard let id = engine.trigger(named: name) else { return noTrigger(name) }
    guard let alarm = engine.alarm(id) else { return noAlarm(name, "ack") }
    if let since, since != self.since(of: alarm)?.description { return .ok }
    _ = pipeline.acknowledge(id, at: loop.now)
    return saved(client)
  }

  /// `snooze [for=DURATION] [TRIGGER]`.
  func snooze(_ name: String?, for time: Duration, _ client: ClientConnection) -> Reply {
    let end = loop.now.advanced(by: time)
    guard let name else {
      for alarm in engine.soundingAlarms { pipeline.snooze(alarm, until: end, at: loop.now) }
      return saved(client)
    }
    return snooze(name, until: end, "snooze", client)
  }

  /// `unsnooze TRIGGER`.
  func unsnooze(_ name: String, for client: ClientConnection) -> Reply { snooze(name, until: nil, "unsnooze", client) }

  private func snooze(_ name: String, until end: Instant?, _ command: String, _ client: ClientConnection) -> Reply {
    guard let id = engine.trigger(named: name) else { return noTrigger(name) }
    if engine.alarm(id) == nil { return noAlarm(name, command) }
    pipeline.snooze(id, until: end, at: loop.now)
    return saved(client)
  }

  private func noAlarm(_ name: String, _ command: String) -> Reply {
    let hint = command == "snooze" ? ": to silence it for a time, 'mute DURATION trigger=\(name)'" : ""
    return .error("trigger \(Excerpt.quoting(name)) is no alarm, because it has no loop\(hint)", .refused)
  }

  /// `ok` as soon as the alarms are on the disk; after a second, or if they cannot be saved, with a note.
  private func saved(_ client: ClientConnection) -> Reply {
    let consequence = "after a restart the alarms may be as they were before"
    guard let keeper = memory.keeper else { return .noted("no state is kept: \(consequence)") }
    var atOnce: Reply?
    var isLater = false
    keeper.saveNow { [weak client, log] isSaved in
      var reply = Reply.ok
      if !isSaved {
        let note = "\(keeper.unsaved ?? "the alarms are not on the disk yet"); \(consequence)"
        log.warning("\(note)")
        reply = .noted(note)
      }
      if isLater { client?.reply(reply) } else { atOnce = reply }
    }
    isLater = true
    return atOnce ?? .later
  }

  /// `alarms --test TRIGGER`: rings it for five seconds, whatever its life is, and answers when a device took the sound.
  func test(_ name: String, for client: ClientConnection) -> Reply {
    guard let id = engine.trigger(named: name) else { return noTrigger(name) }
    guard engine.alarm(id) != nil, let sound = engine.definitions[id.index].sound.names.first else {
      return noAlarm(name, "alarms --test")
    }
    let play = Play(
      id: pipeline.makePlayID(), trigger: nil, sound: sound, settings: engine.definitions[id.index].settings,
      loops: true,
      at: loop.now)
    clients.handPlays[play.id] = client
    pipeline.ring(play, at: loop.now)
    loop.schedule(
      EventLoop.Timer { [unowned self] in pipeline.endPlay(play.id, at: loop.now) },
      at: loop.now.advanced(by: Self.testTime))
    return .later
  }

  private static let testTime = Duration.seconds(5)

  // MARK: News

  /// The life, snooze or silence of an alarm has changed.
  func notify(_ id: TriggerID, at now: Instant) {
    guard let alarm = engine.alarm(id) else { return }
    memory.keeper?.alarmChanged()
    count(alarm, at: now)
    log.log(level: alarm.life == .active ? .notice : .info, "alarm '\(alarm.name)': \(description(of: alarm))")
    if clients.subscriptions.isEmpty { return }
    clients.subscriptions.notifyAlarm(engine.definitions[id.index].values, at: now) { write(alarm, to: &$0) }
  }

  private func count(_ alarm: AlarmReport, at now: Instant) {
    let stop = engine.trigger(named: alarm.name).flatMap { engine.counters(of: $0).lastStop }
    let isAcknowledged = stop.map { $0.at == now && [.acknowledged, .hand, .cancel].contains($0.cause) } ?? false
    memory.activity?.count {
      $0.alarm(alarm.name, alarm.life, since: alarm.since, isAcknowledged: isAcknowledged, at: now, hour: $1)
    }
  }

  /// The state for people: `active`, `snoozed until 14:20`.
  private func description(of alarm: AlarmReport) -> String {
    let silence = silence(of: alarm)
    let until = silence.until.map { " until \($0.localTime(at: .now()))" } ?? ""
    let why = alarm.state == "snoozed" ? "" : silence.why.map { " (\($0))" } ?? ""
    return "\(alarm.state)\(until)\(why)"
  }

  /// Says at the start which alarms are not normal, and lets those sound that an earlier run left.
  func resumeAlarms() {
    pipeline.resumeAlarms(at: loop.now)
    for alarm in alarms(all: true) where alarm.life != .normal || alarm.snoozedUntil != nil {
      log.warning("alarm '\(alarm.name)': \(description(of: alarm)), as before")
    }
  }

  func lostAlarm(_ trigger: String) {
    log.warning("alarm '\(trigger)' was not normal, and the configuration no longer has it: it ends")
  }
}

extension Instant {
  /// Later than any other.
  fileprivate static var distantFuture: Instant { Instant(nanoseconds: .max) }
}
