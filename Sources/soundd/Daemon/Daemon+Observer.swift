import Logging
import SoundTrigger

/// What the daemon makes of the pipeline's stream of changes, decisions and events.
extension Daemon: PipelineObserver {
  var observesChanges: Bool { !publisher.isEmpty }

  func changed(_ changes: [Change], at now: Instant) { publisher.changed(changes, in: pipeline.store, at: now) }

  func decided(_ decision: Decision) {
    if case .play = decision { device.willPlay() }
  }

  func received(_ event: PlayEvent, at now: Instant) {
    switch event {
    case .heard(let play, _): reply(to: play, .ok)
    case .refused(let play, let refusal): refused(play, refusal)
    case .ended(let play, _): reply(to: play, .error("it was stopped before it was heard"))
    }
    publisher.received(event, values: values(of: event), at: now)
  }

  /// What the trigger of a play watches.
  private func values(of event: PlayEvent) -> [ValueName] {
    let trigger = event.play.trigger.flatMap { pipeline.triggers.engine.trigger(named: $0) }
    return trigger.map { pipeline.triggers.engine.definitions[$0.index].values } ?? []
  }

  private func refused(_ play: Play, _ refusal: PlayEvent.Refusal) {
    let text =
      switch refusal {
      case .crowded: "no voice is left (limits.voices)"
      case .noDevice: "no device took '\(play.sound)' in time (see 'soundd status')"
      case .broken: "the sound '\(play.sound)' is not loaded"
      case .ending: "soundd is about to end"
      }
    reply(to: play, .error(text))
    if refusal == .crowded, complaints.noVoice.allows(at: loop.now) {
      let name = play.trigger.map { "trigger '\($0)'" } ?? "by hand"
      let refused = pipeline.triggers.player.refusedCount
      log.warning("\(name): '\(play.sound)' is not heard: \(text); \(refused) sounds refused so far")
    }
  }

  /// Answers the client that waits to learn what became of its play.
  private func reply(to play: Play, _ reply: Reply) {
    if handPlays.isEmpty { return }
    handPlays.removeValue(forKey: play.id)?.reply(reply)
  }

  func refused(_ value: ValueID, _ refusal: ValueRefusal) {
    log.warning("value '\(pipeline.store.name(of: value))': \(refusal); the old one stays")
  }

  func lostContent(_ value: ValueID, _ refusal: ValueRefusal) {
    log.warning("value '\(pipeline.store.name(of: value))': \(refusal); the reload left it without content")
  }
}

extension PlayEvent {
  /// The play that the event is about.
  var play: Play {
    switch self {
    case .heard(let play, _), .refused(let play, _), .ended(let play, _): play
    }
  }
}
