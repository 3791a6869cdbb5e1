import Logging
import SoundTrigger
import SoundWire

/// What the daemon makes of what happens in the pipeline.
extension Daemon: PipelineObserver {
  func happened(_ happening: Happening, at now: Instant) {
    switch happening {
    case .changed: notifyChanges(at: now)
    case .judged(let verdict): notify(verdict, at: now)
    case .alarm(let id): notify(id, at: now)
    case .needsDevice: device.soundBegins(at: now)
    case .begins(let play): sounds.speaker.note(play, .begins, pipeline, at: now)
    case .heard(let play, let isMuted):
      log.debug("\(play.subject): plays '\(play.sound)'\(isMuted ? ", unheard because it is muted" : "")")
      if !isMuted, let trigger = play.trigger, play.cause != nil {
        memory.activity?.count { $0.played(trigger, hour: $1) }
      }
      if play.settings.pitch != 0, pipeline.conductor.player.unpitched.contains(play.sound),
        remembered.unpitched.allows(at: now)
      {
        log.warning("\(Self.unpitched(play.sound))")
      }
      sounds.speaker.note(play, .heard, pipeline, at: now)
      reply(to: play, .ok)
      notifyPlay(play, isMuted ? .muted : .played)
    case .refused(let play, let refusal):
      sounds.speaker.ended(play.id, refusal)
      refused(play, refusal)
      notifyPlay(play, Verdict(refusal))
    case .stopping: break
    case .ended(let play, let ending):
      sounds.speaker.ended(play.id)
      if case .finished = ending { sounds.speaker.note(play, .finished, pipeline, at: now) }
      reply(to: play, .error("it was stopped before it was heard", .cancelled))
      switch ending {
      case .finished: notifyStop(play, .ended, at: now)
      case .stopped(let cause): notifyStop(play, .stopped, by: cause, at: now)
      case .stolen: notifyStop(play, .stolen, at: now)
      case .cancelled: notifyPlay(play, .cancelled)
      }
    }
  }

  // MARK: Subscribers

  private func notifyChanges(at now: Instant) {
    for change in pipeline.conductor.changes {
      clients.subscriptions.notifyChange(
        change.value, pipeline.store.name(of: change.value), old: change.isFirst ? nil : change.old, new: change.new,
        at: now)
    }
  }

  private func notify(_ verdict: TriggerVerdict, at now: Instant) {
    let trigger = pipeline.conductor.engine.trigger(named: verdict.trigger)
    clients.subscriptions.notifyVerdict(
      verdict, reason: reason(verdict.change, of: verdict.value, trigger),
      waitsUntil: verdict.change.verdict.wait.map { now.advanced(by: $0) }, at: now)
  }

  /// Notifies subscribers if what decides whether sounds are heard has changed since the last turn.
  func notifySettings() {
    if clients.subscriptions.isEmpty { return }
    let settings = currentSettings
    if settings == remembered.settings { return }
    remembered.settings = settings
    var message = SettingsMessage()
    (message.level, message.profile) = (level(of: nil), pipeline.profile(in: surroundings))
    message.device = Word(settings.isDeviceMissing ? .missing : .present)
    clients.subscriptions.notifySettings(message, at: loop.now)
  }

  /// What decides it now.
  private var currentSettings: Settings {
    Settings(
      level: pipeline.conductor.player.level(of: nil), mutedUntil: memory.mutes.end(of: nil),
      profile: pipeline.conductor.engine.profile, profileGate: pipeline.profileGate(in: surroundings),
      isDeviceMissing: device.isMissing)
  }

  /// A client begins to follow: from now on only what changes is told.
  func rememberSettings() { remembered.settings = currentSettings }

  /// What decides for every trigger whether its sounds are heard. The times of the message would differ at each look.
  struct Settings: Equatable {
    var level: PlayLevel
    var mutedUntil: Instant?
    var profile: Profile
    var profileGate: ValueName?
    var isDeviceMissing: Bool
  }

  private func notifyPlay(_ play: Play, _ verdict: Verdict) {
    if clients.subscriptions.isEmpty { return }
    clients.subscriptions.notifyPlay(play, values: trigger(of: play).values, verdict.word)
  }

  private func notifyStop(_ play: Play, _ reason: StopReason, by cause: StopCause? = nil, at now: Instant) {
    if clients.subscriptions.isEmpty { return }
    let (id, values) = trigger(of: play)
    // The trigger's last stop is this one, unless a reload has replaced the trigger since.
    let stop = id.flatMap { pipeline.conductor.engine.counters(of: $0).lastStop }
    let value = stop?.cause == cause ? stop?.value : nil
    clients.subscriptions.notifyStop(play, values: values, reason: reason, cause: cause, value: value, at: now)
  }

  private func trigger(of play: Play) -> (id: TriggerID?, values: [ValueName]) {
    let id = play.trigger.flatMap { pipeline.conductor.engine.trigger(named: $0) }
    return (id, id.map { pipeline.conductor.engine.values(of: $0) } ?? [])
  }

  // MARK: Plays

  private func refused(_ play: Play, _ refusal: PlayEvent.Refusal) {
    let (text, code): (String, ReplyCode) =
      switch refusal {
      case .crowded: ("no voice is left (limits.voices)", .crowded)
      case .noDevice: ("no device took '\(play.sound)' in time (see 'soundd status')", .noDevice)
      case .broken: ("the sound '\(play.sound)' is not loaded", .broken)
      case .disabled: ("its theme or pack has silence for it", .broken)
      case .unspoken: ("nothing was spoken", .broken)
      case .ending: ("soundd is about to end", .ending)
      }
    log.debug("\(play.subject): '\(play.sound)' does not play: \(text)")
    reply(to: play, .error(text, code))
    if refusal == .crowded, remembered.noVoice.allows(at: loop.now) {
      let refused = pipeline.conductor.player.refusedCount
      log.warning("\(play.subject): '\(play.sound)' is not heard: \(text); \(refused) sounds refused so far")
    }
  }

  /// Answers the client that waits to learn what became of its play.
  private func reply(to play: Play, _ reply: Reply) {
    if clients.handPlays.isEmpty { return }
    clients.handPlays.removeValue(forKey: play.id)?.reply(reply)
  }

  func speak(at now: Instant) { sounds.speaker.turn(pipeline, at: now) }

  func refused(_ value: ValueID, _ refusal: ValueRefusal) {
    log.warning("value '\(pipeline.store.name(of: value))': \(refusal); the old one stays")
  }

  func lostContent(_ value: ValueID) {
    if clients.subscriptions.isEmpty { return }
    clients.subscriptions.notifyState(
      value, pipeline.store.name(of: value), Self.state(.value, message(of: value)).dropLast())
  }

  func silenceChanged(of feed: String) { feeds.commands.silenceChanged(of: feed) }

  func forgot(_ value: ValueID, _ name: ValueName, at now: Instant) {
    if !clients.subscriptions.isEmpty { clients.subscriptions.notifyUnset(value, name, at: now) }
  }
}

extension Play {
  /// Its trigger or `by hand`, as messages name it.
  var subject: String { trigger.map { "trigger '\($0)'" } ?? "by hand" }
}
