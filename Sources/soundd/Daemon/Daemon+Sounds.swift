import Logging
import SoundTrigger

extension Daemon {
  /// Loads the triggers' sounds before anything is played.
  func loadSounds() {
    sounds.onChange = { [unowned self] in soundsChanged($0) }
    sounds.loadNow(pipeline.engine.sounds)
    fillShelf()
    if let problem = sounds.watchProblem {
      log.warning("\(problem); sounds that change are loaded again by 'soundd reload' alone")
    }
  }

  /// Takes over the keeper's sounds for the engine's, and says what is wrong with them.
  func fillShelf() {
    shelf = SoundShelf(pipeline.engine.sounds) { sounds.result(of: $0) }
    for complaint in shelf.complaints(configuration, file: plan.file) { log.error("\(complaint)") }
  }

  /// Files have changed: what sounds already goes on as it is.
  private func soundsChanged(_ names: [String]) {
    var healed: Set<String> = []
    for name in names {
      let wasBroken = shelf.problem(of: name) != nil
      shelf.put(name, sounds.result(of: name))
      if shelf[name] == nil { continue }
      if wasBroken { healed.insert(name) } else { log.info("the sound '\(name)' has changed and was loaded again") }
    }
    if !healed.isEmpty { pipeline.retryLoops(at: loop.now) }
    for complaint in shelf.complaints(configuration, file: plan.file, about: Set(names)) { log.error("\(complaint)") }
    for message in shelf.describe(configuration, file: plan.file, healed, { "the sound '\($0)' can be played again" }) {
      log.notice("\(message)")
    }
  }

  /// Plays a sound by hand: at once if it is loaded, otherwise as soon as it is.
  func play(_ sound: String, for client: ControlClient) -> Reply {
    if let clip = shelf[sound] { return playByHand(sound, .success(clip)) }
    sounds.fetch(sound) { [unowned self, weak client] in
      let reply = playByHand(sound, $0)
      client?.reply(reply)
    }
    return .later
  }

  private func playByHand(_ name: String, _ sound: Result<Clip, SoundError>) -> Reply {
    switch sound {
    case .success(let clip):
      let isPlayed = play(clip, name) != nil
      tellPlay(byHand: name, !isPlayed ? .crowded : volume.isMuted ? .muted : .played)
      return isPlayed ? .ok : .error("too many sounds at once")
    case .failure(let problem): return .error("\(problem)")
    }
  }
}
