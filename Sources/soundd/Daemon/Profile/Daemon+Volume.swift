import Logging
import SoundTrigger
import SoundWire

/// Volume and mute, of everything and of single triggers (`nil`: everything).
extension Daemon {
  /// `mute [toggle|DURATION|until TIME] [trigger=NAME]`.
  func mute(_ change: MuteChange, _ trigger: String?) -> Reply {
    if let unknown = unknownTrigger(trigger) { return unknown }
    switch change {
    case .on: setMuted(true, trigger)
    case .toggle: setMuted(!pipeline.conductor.player.level(of: trigger).isMuted, trigger)
    case .during(let time): setMuted(true, trigger, until: loop.now.advanced(by: time))
    case .until(let second):
      let now = Timestamp.now()
      guard let end = QuietHours.next(second, after: now.seconds) else {
        return .error("this machine's time zone has no such time soon", .invalid)
      }
      // The millisecond keeps `muted_until` from being just before the time, because the two clocks are read one after the other.
      let rest = .seconds(end - now.seconds) - .nanoseconds(Int64(now.nanoseconds)) + Duration.milliseconds(1)
      setMuted(true, trigger, until: EventLoop.clock().advanced(by: rest))
    }
    return .ok
  }

  /// `unmute [trigger=NAME]`.
  func unmute(_ trigger: String?) -> Reply {
    if let unknown = unknownTrigger(trigger) { return unknown }
    setMuted(false, trigger)
    return .ok
  }

  /// `volume LEVEL|up|down [STEP] [trigger=NAME]`.
  func setVolume(_ change: VolumeChange, _ trigger: String?) -> Reply {
    if let unknown = unknownTrigger(trigger) { return unknown }
    var level = pipeline.conductor.player.level(of: trigger)
    let volume = change.applied(to: level.volume)
    if volume == level.volume { return .ok }
    let wasAudible = level.isAudible
    level.volume = volume
    pipeline.setLevel(level, of: trigger, at: loop.now)
    if wasAudible != level.isAudible { notifySilence(of: trigger) }
    remembered.settings = nil
    log.info("\(Self.subject(of: trigger))volume \(VolumeText.text(volume))")
    memory.keeper?.mayHaveChanged()
    return .ok
  }

  /// Mutes or unmutes. A mute without an end holds until `unmute`; neither outlives the daemon.
  func setMuted(_ isMuted: Bool, _ trigger: String?, until end: Instant? = nil) {
    var level = pipeline.conductor.player.level(of: trigger)
    let isNews = isMuted != level.isMuted || end != memory.mutes.end(of: trigger)
    memory.mutes.setEnd(end, of: trigger)
    if isMuted != level.isMuted {
      level.isMuted = isMuted
      pipeline.setLevel(level, of: trigger, at: loop.now)
    }
    if !isNews { return }
    remembered.settings = nil
    notifySilence(of: trigger)
    let time = end.map { " until \(Timestamp(of: $0).localTime(at: .now()))" } ?? ""
    log.info("\(Self.subject(of: trigger))\(isMuted ? "muted\(time)" : "no longer muted")")
  }

  private static func subject(of trigger: String?) -> String { trigger.map { "trigger '\($0)': " } ?? "" }

  private func unknownTrigger(_ name: String?) -> Reply? {
    guard let name else { return nil }
    if pipeline.conductor.engine.trigger(named: name) == nil { return noTrigger(name) }
    if name.ruleName == name { return nil }
    return .error(
      "\(Excerpt.quoting(name)) is one member: volume and mute are those of all members of \(Excerpt.quoting(name.ruleName))",
      .refused)
  }
}
