import Logging
import SoundTrigger

/// What the daemon makes of the pipeline's stream of changes, decisions and events.
extension Daemon: PipelineObserver {
  func changed(_ changes: [Change], at now: Instant) {
    for change in changes {
      clients.subscriptions.notifyChange(
        change.value, pipeline.store.name(of: change.value), old: change.isFirst ? nil : change.old, new: change.new,
        at: now)
    }
  }

  func willPlay() { device.willPlay() }

  func decided(_ decision: Decision) {}

  func received(_ event: PlayEvent, at now: Instant) {
    switch event {
    case .heard(let play, let isMuted):
      log.debug("\(play.subject): plays '\(play.sound)'\(isMuted ? ", unheard because it is muted" : "")")
      reply(to: play, .ok)
    case .refused(let play, let refusal): refused(play, refusal)
    case .ended(let play, _): reply(to: play, .error("it was stopped before it was heard", .cancelled))
    }
    if !clients.subscriptions.isEmpty { notify(event, at: now) }
  }

  /// Notifies the subscribers of what became of a play.
  private func notify(_ event: PlayEvent, at now: Instant) {
    let play = event.play
    let trigger = play.trigger.flatMap { pipeline.triggers.engine.trigger(named: $0) }
    let values = trigger.map { pipeline.triggers.engine.definitions[$0.index].values } ?? []
    func began(_ verdict: Verdict) {
      clients.subscriptions.notifyPlay(
        play.sound, trigger: play.trigger, values: values, cause: play.cause, verdict: verdict.word, at: play.at)
    }
    func over(_ reason: StopReason, by cause: StopCause? = nil) {
      // The trigger's last stop is this one, unless a reload has replaced the trigger since.
      let stop = trigger.flatMap { pipeline.triggers.engine.counters(of: $0).lastStop }
      let value = cause == .cancel && stop?.cause == .cancel ? stop?.value : nil
      clients.subscriptions.notifyStop(
        play.sound, trigger: play.trigger, values: values, reason: reason, cause: cause, value: value, at: now)
    }
    switch event {
    case .heard(_, let isMuted): began(isMuted ? .muted : .played)
    case .refused(_, let refusal): began(Verdict(refusal))
    case .ended(_, .finished): over(.ended)
    case .ended(_, .stopped(let cause)): over(.stopped, by: cause)
    case .ended(_, .stolen): over(.stolen)
    case .ended(_, .cancelled): began(.cancelled)
    }
  }

  private func refused(_ play: Play, _ refusal: PlayEvent.Refusal) {
    let (text, code): (String, ReplyCode) =
      switch refusal {
      case .crowded: ("no voice is left (limits.voices)", .crowded)
      case .noDevice: ("no device took '\(play.sound)' in time (see 'soundd status')", .noDevice)
      case .broken: ("the sound '\(play.sound)' is not loaded", .broken)
      case .ending: ("soundd is about to end", .ending)
      }
    log.debug("\(play.subject): '\(play.sound)' does not play: \(text)")
    reply(to: play, .error(text, code))
    if refusal == .crowded, complaints.noVoice.allows(at: loop.now) {
      let refused = pipeline.triggers.player.refusedCount
      log.warning("\(play.subject): '\(play.sound)' is not heard: \(text); \(refused) sounds refused so far")
    }
  }

  /// Answers the client that waits to learn what became of its play.
  private func reply(to play: Play, _ reply: Reply) {
    if clients.handPlays.isEmpty { return }
    clients.handPlays.removeValue(forKey: play.id)?.reply(reply)
  }

  func refused(_ value: ValueID, _ refusal: ValueRefusal) {
    log.warning("value '\(pipeline.store.name(of: value))': \(refusal); the old one stays")
  }

  func lostContent(_ value: ValueID) {
    if clients.subscriptions.isEmpty { return }
    clients.subscriptions.notifyState(value, pipeline.store.name(of: value), json(of: value, asEvent: true))
  }

  func forgot(_ value: ValueID, _ name: ValueName, at now: Instant) {
    if !clients.subscriptions.isEmpty { clients.subscriptions.notifyUnset(value, name, at: now) }
  }
}

extension Play {
  /// Its trigger or `by hand`, as messages name it.
  var subject: String { trigger.map { "trigger '\($0)'" } ?? "by hand" }
}

extension PlayEvent {
  /// The play that the event is about.
  var play: Play {
    switch self {
    case .heard(let play, _), .refused(let play, _), .ended(let play, _): play
    }
  }
}
