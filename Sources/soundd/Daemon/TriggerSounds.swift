import Logging
import SoundTrigger

/// The sounds of the configuration's triggers: loads them, keeps them up to date, and logs what is wrong with them.
final class TriggerSounds {
  /// What became of the sounds of the present configuration.
  private(set) var loaded = LoadedSounds()
  private let cache: SoundCache
  private let worker: BackgroundWorker
  private let log: Logger
  private let file: String?
  private var configuration: Configuration
  /// Called when the player is to use other sounds.
  var onChange: (LoadedSounds) -> Void = { _ in }

  init(
    _ plan: DaemonPlan, environment: SystemEnvironment, rate: Int, watcher: FolderWatcher, on loop: EventLoop,
    log: Logger
  ) throws(SystemError) {
    self.log = log
    file = plan.file
    configuration = plan.configuration
    worker = try BackgroundWorker(name: "soundd-loader", on: loop)
    cache = SoundCache(
      locator: environment.soundLocator(configurationFile: plan.file),
      loader: ClipLoader(rate: rate, limitSeconds: plan.configuration.limits.soundSeconds), watcher: watcher,
      worker: worker, on: loop)
    cache.onChange = { [unowned self] in filesChanged($0) }
  }

  /// Whether something is being loaded.
  var isBusy: Bool { worker.isBusy }

  /// Loads the sounds of a configuration in the background, and then calls `done`. They are used after `use`.
  func load(_ configuration: Configuration, then done: @escaping () -> Void) {
    cache.load(configuration.soundNames, then: done)
  }

  /// Uses the sounds of a configuration, which are loaded, and removes all others.
  func use(_ configuration: Configuration) {
    self.configuration = configuration
    cache.keep(configuration.soundNames)
    loaded = LoadedSounds()
    for name in configuration.soundNames { loaded.set(name, cache.result(of: name)) }
    for complaint in loaded.complaints(configuration, file: file) { log.error("\(complaint)") }
    onChange(loaded)
  }

  /// Drops what was loaded for a configuration that was not taken.
  func dropUnused() { cache.keep(configuration.soundNames) }

  /// Why changes of sound files go unnoticed; `nil` if they do not.
  var watchProblem: String? { cache.watchProblem }

  /// Calls `done` with a sound, at once if a trigger uses it, otherwise as soon as it is loaded.
  func fetch(_ name: String, then done: @escaping (Result<Clip, SoundError>) -> Void) {
    if let clip = loaded[name] { done(.success(clip)) } else { cache.fetch(name, then: done) }
  }

  /// Ends the loading. Returns whether a job is left behind, see `BackgroundWorker.stop`.
  @discardableResult
  func stop() -> Bool { worker.stop() }

  /// Files have changed. Plays keep the clips that they began with.
  private func filesChanged(_ names: [String]) {
    let used = Set(configuration.soundNames)
    var healed: Set<String> = []
    for name in names where used.contains(name) {
      let wasBroken = loaded.problem(of: name) != nil
      loaded.set(name, cache.result(of: name))
      if loaded[name] == nil { continue }
      if wasBroken { healed.insert(name) } else { log.info("the sound '\(name)' has changed and was loaded again") }
    }
    for complaint in loaded.complaints(configuration, file: file, about: Set(names)) { log.error("\(complaint)") }
    let messages = LoadedSounds.messages(configuration, file: file, about: healed) {
      "the sound '\($0)' can be played again"
    }
    for message in messages { log.notice("\(message)") }
    onChange(loaded)
  }
}
