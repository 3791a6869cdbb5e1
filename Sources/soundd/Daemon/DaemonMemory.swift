import Logging
import SoundTrigger

/// What outlives the daemon: volume, profile, throttles that still hold, and fingerprints of contents.
final class DaemonMemory {
  private let pipeline: Pipeline
  private let loop: EventLoop
  private let log: Logger
  private var keeper: StateKeeper?
  private(set) var profile: ProfileKeeper
  private var clockDifference: ClockDifference
  private var digests = DigestMemory()
  private var configuration: Configuration

  /// Restores what the last run left. Call it before any value has content.
  init(
    _ plan: DaemonPlan, _ pipeline: Pipeline, environment: SystemEnvironment, watcher: FolderWatcher,
    on loop: EventLoop, log: Logger
  ) throws(SystemError) {
    self.pipeline = pipeline
    self.loop = loop
    self.log = log
    configuration = plan.configuration
    clockDifference = ClockDifference(at: loop.now)
    let relay = Relay()
    if let file = plan.state {
      let worker = try BackgroundWorker(name: "soundd-state", on: loop)
      keeper = StateKeeper(file, worker: worker, on: loop, log: log) { relay.gather() }
    }
    let restored = keeper?.restored ?? SavedState()
    profile = try ProfileKeeper(
      restored.profile, watchesZone: environment.variable("TZ") == nil, watcher: watcher, on: loop, log: log
    ) { [pipeline, loop] in pipeline.setProfile($0, at: loop.now) }
    relay.gather = { [unowned self] in state }
    restore(restored)
    use(configuration)
  }

  private func restore(_ state: SavedState) {
    pipeline.triggers.player.setVolume(state.volume)
    for (name, digest) in state.digests { pipeline.store.restore(digest: digest, of: name) }
    for (name, civil) in state.plays {
      // Not later than now: a clock that was set back must not make a throttle longer than it is.
      pipeline.restore(lastPlay: clockDifference.instant(of: civil, notAfter: loop.now), of: name)
    }
    if state.volume != 1 { log.info("volume \(VolumeText.text(state.volume)), as before") }
  }

  /// Applies what a configuration says of quiet hours, and of what outlives the daemon.
  func use(_ configuration: Configuration) {
    self.configuration = configuration
    profile.setHours(configuration.quietHours)
    // The same content may be another value now.
    digests = DigestMemory()
    keeper?.followsDecisions =
      !fingerprinted.isEmpty || pipeline.triggers.engine.definitions.contains(where: \.outlastsSaving)
    keeper?.decided()
  }

  /// Chooses a profile.
  func choose(_ chosen: Profile) {
    profile.choose(chosen)
    changed()
  }

  /// Volume or profile have changed.
  func changed() { keeper?.mayHaveChanged() }

  /// Values have changed, or triggers have decided.
  func decided() { keeper?.decided() }

  /// Starts to save what has changed.
  func save() { keeper?.saveNow() }

  /// Waits for what is being saved, but no longer than `patience`. Returns whether something is still being saved.
  func end(patience: Duration) -> Bool { keeper?.end(patience: patience) ?? false }

  /// What is to outlive the daemon now.
  private var state: SavedState {
    clockDifference.update(at: EventLoop.clock())
    var state = SavedState(volume: pipeline.triggers.player.volume, profile: profile.choice)
    for (index, definition) in pipeline.triggers.engine.definitions.enumerated() where definition.outlastsSaving {
      guard let throttle = definition.throttle,
        let last = pipeline.triggers.engine.lastPlay(of: TriggerID(index: index)),
        last.duration(to: loop.now) < throttle
      else { continue }
      state.plays[definition.name] = clockDifference.civil(of: last)
    }
    for name in fingerprinted {
      guard let id = pipeline.store.id(of: name) else { continue }
      state.digests[name] = digests.digest(of: id, in: pipeline.store, at: loop.now)
    }
    return state
  }

  /// The values whose last contents count at the next start: what files and folders hold, and those of triggers with
  /// `initial = "if-changed"`.
  private var fingerprinted: Set<ValueName> {
    let compared = pipeline.triggers.engine.definitions.filter { $0.initial == .ifChanged }.flatMap(\.values)
    return Set(configuration.values.filter(\.isFileLike).map(\.name)).union(compared)
  }
}

/// Lets the keeper gather the state before the memory is complete.
private final class Relay {
  var gather: () -> SavedState = { SavedState() }
}

extension TriggerDefinition {
  /// Whether its throttle may still hold when it is in the file.
  fileprivate var outlastsSaving: Bool { throttle.map { $0 > StateKeeper.patience } ?? false }
}
