import Logging
import SoundTrigger

/// What outlives the daemon.
extension Daemon {
  /// Goes on where the daemon before this one ended; before any value has content.
  func goOn(watcher: FolderWatcher) throws(SystemError) {
    if let file = plan.state {
      let worker = try BackgroundWorker(name: "soundd-state", on: loop)
      state = StateKeeper(file, worker: worker, on: loop, log: log) { [unowned self] in savedState }
    }
    let restored = state?.restored ?? SavedState()
    restore(restored)
    profile = ProfileKeeper(
      restored.profile, watchesZone: environment.variable("TZ") == nil, watcher: watcher, on: loop, log: log
    ) { [unowned self] in pipeline.setProfile($0, at: loop.now) }
    takeProfileAndState()
  }

  private func restore(_ state: SavedState) {
    volume.level = state.volume
    volume.isPending = state.volume != 1
    for (name, digest) in state.digests { pipeline.store.restore(digest: digest, of: name) }
    for (name, civil) in state.plays {
      // Not later than now: a clock that was set back must not make a throttle longer than it is.
      pipeline.restore(lastPlay: clockDifference.instant(of: civil, notAfter: loop.now), of: name)
    }
    if state.volume != 1 { log.info("volume \(VolumeText.text(state.volume)), as before") }
  }

  /// What is to outlive it now.
  private var savedState: SavedState {
    clockDifference.look(at: EventLoop.clock())
    var state = SavedState(volume: volume.level, profile: profile?.choice ?? ProfileChoice())
    for (index, definition) in pipeline.engine.definitions.enumerated() where definition.outlastsSaving {
      // One that is over need not be known.
      guard let throttle = definition.throttle, let last = pipeline.engine.lastPlay(of: TriggerID(index: index)),
        last.duration(to: loop.now) < throttle
      else { continue }
      state.plays[definition.name] = clockDifference.civil(of: last)
    }
    // Of others it would take the disk a write for every change of any value.
    for definition in pipeline.engine.definitions where definition.initial == .ifChanged {
      for name in definition.values where state.digests[name] == nil {
        guard let id = pipeline.store.id(of: name) else { continue }
        state.digests[name] = digests.digest(of: id, in: pipeline.store, at: loop.now)
      }
    }
    return state
  }

  /// Takes over what the configuration says of quiet hours, and what there is in it to be kept.
  func takeProfileAndState() {
    profile?.setHours(configuration.quietHours)
    // The same content may be another value now.
    digests = DigestMemory()
    state?.followsDecisions = pipeline.engine.definitions.contains { $0.outlastsSaving || $0.initial == .ifChanged }
    state?.decided()
  }
}

extension TriggerDefinition {
  /// Whether its throttle may still hold when it is in the file.
  fileprivate var outlastsSaving: Bool { throttle.map { $0 > StateKeeper.patience } ?? false }
}
