import SoundTrigger

/// Plays by hand, their ends, and the circumstances of all plays.
extension Pipeline {
  /// Turns the audio thread's reports into events. Returns why the device was given up, if it was.
  func collect(at now: Instant) -> OutputError? {
    let error = triggers.player.collect(at: now)
    settle(at: now)
    return error
  }

  /// A number for a play by hand.
  func makePlayID() -> PlayID { triggers.engine.makePlayID() }

  /// Plays a sound by hand. The observer receives what becomes of it.
  func play(_ sound: String, _ clip: Clip, as id: PlayID, at now: Instant) {
    let play = Play(id: id, trigger: nil, sound: sound, at: now)
    observer?.willPlay()
    observer?.decided(.play(play))
    triggers.player.play(play, clip, arrival: arrival())
    findRoom()
    settle(at: now)
  }

  /// Calls off what waits and stops what sounds, of one trigger or of everybody. Plays by hand and plays of triggers from
  /// before a reload are stopped, too.
  func stop(_ trigger: String?, at now: Instant) {
    if let trigger {
      if let id = triggers.engine.trigger(named: trigger) { triggers.engine.callOff(id, at: now) }
    } else {
      for index in triggers.engine.definitions.indices { triggers.engine.callOff(TriggerID(index: index), at: now) }
    }
    settle(at: now)
    let rest = triggers.player.playing.filter { trigger == nil || $0.trigger == trigger }
    triggers.player.perform(rest.map { .stop($0.id, by: .hand, at: now) }, arrival: Instant(nanoseconds: 0))
    settle(at: now)
  }

  /// Fades out everything and refuses every play from now on, because soundd leaves.
  func end(fade: Duration, at now: Instant) {
    triggers.player.refuseAll()
    triggers.stopAll(fade: fade, by: .ending, at: now)
    settle(at: now)
  }

  /// Lets the loops without a limit end with their sounds.
  func finishLoops(at now: Instant) {
    triggers.engine.finishLoops(at: now)
    settle(at: now)
  }

  func setProfile(_ profile: Profile, at now: Instant) {
    triggers.engine.setProfile(profile, at: now)
    settle(at: now)
  }

  /// Sets the loaded sounds; what is missing is broken. Plays keep the clips that they began with.
  func setSounds(_ sounds: LoadedSounds, at now: Instant) {
    triggers.player.sounds = sounds
    findRoom()
    triggers.engine.setBrokenSounds(Set(triggers.engine.sounds.filter { sounds[$0] == nil }), at: now)
    settle(at: now)
  }

  /// Lets a trigger's throttle count from a play of an earlier run. Ignores a name that no trigger has.
  func restore(lastPlay: Instant, of trigger: String) { triggers.engine.restore(lastPlay: lastPlay, of: trigger) }
}
