import Logging
import SoundTrigger
import SoundWire

/// Alarms: what clients ask for, and what they and the log are told.
extension Daemon {
  private var engine: TriggerEngine { _read { yield pipeline.conductor.engine } }

  func alarmList(all: Bool) -> Reply {
    var writer = JSONWriter()
    writer.array(pipeline.alarms(all: all)) { alarm, writer in message(of: alarm).write(to: &writer) }
    return .json(writer.bytes)
  }

  func message(of alarm: AlarmReport) -> AlarmMessage {
    pipeline.message(of: alarm, since: since(of: alarm), silence(of: alarm))
  }

  /// `nil` if nothing silences it.
  func silence(of alarm: AlarmReport) -> AlarmSilence? { pipeline.silence(of: alarm, in: surroundings) }

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

  // MARK: What people do

  /// `ack [id=N|since=TIME] [TRIGGER]`. An occurrence that is over needs no acknowledgement, so that is no error.
  func acknowledge(_ name: String?, _ occurrence: AlarmOccurrence?, for client: ClientConnection) -> Reply {
    var ids = occurrence == nil ? engine.soundingAlarms : engine.triggers.filter { engine.alarm($0) != nil }
    if let name {
      guard let named = engine.alarms(named: name) else { return noAlarm(name, "ack") }
      ids = named
    }
    switch occurrence {
    case nil: for id in ids { _ = pipeline.acknowledge(id, at: loop.now) }
    case .id(let number):
      let id = AlarmID(number)
      if name == nil || ids.contains(where: { engine.alarm($0)?.id == id }) {
        _ = pipeline.acknowledge(id, at: loop.now)
      }
    case .since(let time):
      for id in ids where engine.alarm(id).flatMap({ since(of: $0) })?.description == time.description {
        _ = pipeline.acknowledge(id, at: loop.now)
      }
    }
    return saved(client)
  }

  /// `snooze [for=DURATION] [TRIGGER]`.
  func snooze(_ name: String?, for time: Duration, _ client: ClientConnection) -> Reply {
    let end = loop.now.advanced(by: time)
    guard let name else {
      for alarm in engine.soundingAlarms { pipeline.snooze(alarm, until: end, at: loop.now) }
      return saved(client)
    }
    if engine.trigger(named: name) == nil, let problem = SnoozeTime.misplaced(in: name) {
      return .error(problem, .invalid)
    }
    return snooze(name, until: end, "snooze", client)
  }

  /// `unsnooze TRIGGER`.
  func unsnooze(_ name: String, for client: ClientConnection) -> Reply { snooze(name, until: nil, "unsnooze", client) }

  private func snooze(_ name: String, until end: Instant?, _ command: String, _ client: ClientConnection) -> Reply {
    guard let ids = engine.alarms(named: name) else { return noAlarm(name, command) }
    for id in ids { pipeline.snooze(id, until: end, at: loop.now) }
    return saved(client)
  }

  private func noAlarm(_ name: String, _ command: String) -> Reply {
    if engine.trigger(named: name) == nil { return noTrigger(name) }
    var hint = ""
    if command == "snooze" {
      hint = "; to mute it for a time: soundd mute 10min --trigger=\(Excerpt.shellWord(name))"
    }
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
    guard let definition = engine.trigger(named: name).map({ engine.definition(of: $0) }), definition.isAlarm,
      let sound = definition.sound.names.first
    else { return noAlarm(name, "alarms --test") }
    let play = Play(
      id: pipeline.makePlayID(), trigger: nil, sound: sound, settings: definition.settings, loops: true,
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
    logChange(of: alarm, level: alarm.life == .active ? .notice : .info)
    tellSubscribers(of: alarm, id, at: now)
    if let since = alarm.since, silence(of: alarm) != nil { noteOldSilences(at: max(now, OldSilences.end(since))) }
  }

  private func tellSubscribers(of alarm: AlarmReport, _ id: TriggerID, at now: Instant) {
    if clients.subscriptions.isEmpty { return }
    clients.subscriptions.notifyAlarm(engine.values(of: id), at: now) { message(of: alarm) }
  }

  /// What is not the engine's silences alarms now, or no longer: a mute, a volume of 0, a missing device. `trigger`: of this one
  /// alone.
  func notifySilence(of trigger: String?) {
    logOldSilences()
    if clients.subscriptions.isEmpty { return }
    for id in engine.triggers {
      guard trigger == nil || engine.definition(of: id).name == trigger, let alarm = engine.alarm(id), alarm.life.sounds
      else { continue }
      tellSubscribers(of: alarm, id, at: loop.now)
    }
  }

  /// Logs which silenced alarms began more than a day ago, each once.
  func logOldSilences() {
    let silent = pipeline.alarms(all: false).filter { silence(of: $0) != nil }
    let times = Dictionary(silent.compactMap { alarm in alarm.since.map { (alarm.name, $0) } }) { first, _ in first }
    let (old, next) = remembered.oldSilences.update(times, at: loop.now)
    for alarm in silent where old.contains(alarm.name) {
      let age = times[alarm.name].map { "; it began \($0.duration(to: loop.now).rounded) ago" } ?? ""
      log.warning("alarm '\(alarm.name)': \(description(of: alarm))\(age)")
    }
    if let next { noteOldSilences(at: next) }
  }

  /// Has `logOldSilences` called at this time, or before.
  private func noteOldSilences(at time: Instant) {
    let timer = remembered.silenceTimer ?? EventLoop.Timer { [unowned self] in logOldSilences() }
    remembered.silenceTimer = timer
    if !timer.isScheduled || timer.deadline > time { loop.schedule(timer, at: time) }
  }

  /// Logs what an alarm is, unless the log says that already.
  private func logChange(of alarm: AlarmReport, level: Logger.Level, _ addition: String = "") {
    // In a crowd alarms lose their voices all the time.
    let text = description(of: alarm, withCrowd: false)
    let normal = AlarmLife.normal.rawValue
    if remembered.alarmTexts[alarm.name] ?? normal == text { return }
    remembered.alarmTexts[alarm.name] = text == normal ? nil : text
    log.log(level: level, "alarm '\(alarm.name)': \(text)\(addition)")
  }

  private func count(_ alarm: AlarmReport, at now: Instant) {
    let stop = engine.trigger(named: alarm.name).flatMap { engine.counters(of: $0).lastStop }
    let isAcknowledged = stop.map { $0.at == now && [.acknowledged, .hand, .cancel].contains($0.cause) } ?? false
    memory.activity?.count {
      $0.alarm(alarm.name, alarm.life, since: alarm.since, isAcknowledged: isAcknowledged, at: now, hour: $1)
    }
  }

  /// The state for the log. It must not change by itself, so the age of a silence is not in it.
  private func description(of alarm: AlarmReport, withCrowd: Bool = true) -> String {
    let silence = silence(of: alarm)
    return pipeline.message(
      of: alarm, since: since(of: alarm), !withCrowd && silence?.cause == .crowded ? nil : silence
    )
    .sentence(ageAt: nil)
  }

  /// Logs the alarms that an earlier run left. The sources are read later.
  func logRestoredAlarms() {
    for alarm in pipeline.alarms(all: false) { logChange(of: alarm, level: .warning, ", as before") }
  }

  func lostAlarm(_ trigger: String) {
    log.warning("\(DaemonMemory.ending(ofAlarm: trigger, isTrigger: engine.trigger(named: trigger) != nil))")
  }
}
