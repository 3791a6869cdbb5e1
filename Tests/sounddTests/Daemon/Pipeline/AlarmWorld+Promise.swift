@testable import SoundTrigger
@testable import soundd

/// Time passes, and what must hold is checked.
extension AlarmWorld {
  func pass() {
    now += 5
    _ = output.pass(frames: 5)
    _ = pipeline.collect(at: instant)
    follow()
  }

  /// Lets the audio thread do what it was told, and checks that all is as it must be.
  func follow() {
    pipeline.advance(to: instant)
    for index in alarms.indices {
      alarms[index].advance(to: now, awake: now)
      alarms[index].settle(at: now)
    }
    var turns = 0
    while output.pass(frames: 0), turns < 20 {
      _ = pipeline.collect(at: instant)
      turns += 1
    }
    defer { sleptSince = nil }
    if turns == 20 { problem = problem ?? "no end of reports" }
    if let problem = check(), self.problem == nil {
      self.problem =
        "at \(now): \(problem)\nlives: " + alarms.map { "\($0.spec.name) \($0.shownLife)" }.joined(separator: ", ")
        + "\nvoices: \(output.voices), device \(output.device)"
    }
  }

  private func isSound(_ sound: String, of name: String) -> Bool { sound == name || sound.hasPrefix("\(name)-") }

  func isSilenced(_ alarm: NaiveAlarm) -> Bool {
    if let end = alarm.snoozedUntil, now < end { return true }
    if alarm.spec.gates.contains(where: { contents[$0] == "true" }) { return true }
    return !(contents["p0"] == "true" ? Profile.silent : profile).admits(alarm.importance(at: now))
  }

  func check() -> String? {
    let engine = pipeline.conductor.engine
    let voices = output.voices
    var silent: [String] = []
    var criticalVoices = 0
    for index in alarms.indices {
      let name = alarms[index].spec.name
      guard let id = engine.trigger(named: name), let report = engine.alarm(id) else { return "\(name) is no alarm" }
      alignThrottle(index, report)
      if !alarms[index].knowsSound, Set([report.life, alarms[index].life]) == [.active, .acknowledged] {
        alarms[index].adopt(engine, id)
        alarms[index].knowsSound = true
      }
      let alarm = alarms[index]
      if report.life != alarm.shownLife { return "\(name) is \(report.life) instead of \(alarm.shownLife)" }
      if alarm.life.sounds, report.since != Self.time(alarm.since) {
        return
          "\(name) is active since \(report.since.map { $0.nanoseconds / 1_000_000 } ?? -1) instead of \(alarm.since)"
      }
      let own = voices.filter { isSound($0, of: name) }
      let isSilenced = isSilenced(alarm)
      if !alarm.life.sounds || isSilenced {
        if !own.isEmpty, output.device != .opening {
          return "\(name) sounds, although it is \(isSilenced ? "silenced" : "\(alarm.life)")"
        }
        lastHeard[name] = nil
        continue
      }
      if own.count > 1, output.device != .opening { return "\(name) sounds twice" }
      if alarm.importance(at: now) == .critical { criticalVoices += own.count }
      if !own.isEmpty {
        lastHeard[name] = now
        heard += 1
        continue
      }
      if alarm.importance(at: now) != .critical || !output.isReady || !lost.isDisjoint(with: alarm.spec.sounds) {
        continue
      }
      let pause = alarm.spec.every.max() ?? 0
      if let last = lastHeard[name], now < last + pause { continue }
      // Its next voice begins when the stolen one has faded.
      if output.stolen.contains(where: { isSound($0, of: name) }) { continue }
      silent.append(name)
    }
    if silent.isEmpty { return nil }
    if criticalVoices < Self.voices { return "\(silent) not heard" }
    crowded += silent.count
    return nil
  }

  /// A throttle counts from what was heard, so only the engine knows when it ends; but it ends.
  func alignThrottle(_ index: Int, _ report: AlarmReport) {
    guard let throttle = alarms[index].spec.throttle else { return }
    let name = alarms[index].spec.name
    // It may have begun while the machine slept.
    let earliest = sleptSince ?? now
    if sleptSince != nil, report.life == .active, alarms[index].life == .active, let since = report.since,
      since <= Self.time(alarms[index].since + throttle)
    {
      alarms[index].since = max(alarms[index].since, Int(since.nanoseconds / 1_000_000))
    }
    if report.life == .pending, alarms[index].life == .active, alarms[index].since >= earliest {
      alarms[index].life = .pending
      throttleEnds[name] = alarms[index].since + throttle
    } else if alarms[index].life == .pending, report.life == .active || report.life != .pending && sleptSince != nil,
      let id = pipeline.conductor.engine.trigger(named: name)
    {
      alarms[index].adopt(pipeline.conductor.engine, id)
    } else if alarms[index].life == .pending, throttleEnds[name].map({ $0 < now }) ?? false {
      problem = problem ?? "\(name) is still held back by its throttle"
    }
  }
}
