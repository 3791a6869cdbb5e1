import CLinux
import Logging
import SoundTrigger
import SoundWire

/// The sounds of the configuration's triggers: loads them in the background, loads them again when their files change,
/// and logs what is wrong with them.
///
/// It watches the folders in which sounds are looked up. After an event it waits until the files have been quiet, looks
/// all sounds up again, and decodes those whose file is another one now. So a file that is replaced never fails in
/// between.
///
/// Belongs to the event loop's thread. Nothing here blocks.
final class TriggerSounds {
  /// How long the files must be quiet before the sounds are looked up again.
  static let quiet = Duration.milliseconds(500)
  /// The longest wait for that, because a program may write there without a pause.
  static let longest = Duration.seconds(5)
  /// The longest time for which anything waits for a sound: a mount may hang while a file on it is read.
  static let longestLoading = Duration.seconds(30)
  /// When a sound for which there was no memory is loaded again, and a text that no program could speak.
  static let retry = Duration.seconds(10), speechRetry = Duration.seconds(60)

  private let loop: EventLoop
  private let worker: BackgroundWorker
  private let files: FileThreads
  private var locator: SoundLocator
  private let loader: ClipLoader
  private let log: Logger
  /// Speaks after the sounds.
  let speaker: Speaker
  /// The configuration's file and its triggers, for messages.
  private var file: String?
  private var configuration = Configuration()
  /// The sounds that are kept up to date.
  private var names: Set<String> = []
  /// Those of them that have been loaded.
  private var sounds: [String: LoadedSound] = [:]
  /// The numbers of the watched paths among those of `files`.
  private var watches: [String: Int] = [:]
  /// Why paths cannot be watched.
  private var watchProblems: [String: String] = [:]
  /// When the first event came since the sounds were looked up.
  private var firstEvent: Instant?
  /// After an event it is scheduled, until the sounds are looked up again.
  private(set) lazy var timer = EventLoop.Timer { [weak self] in self?.refresh() }
  /// What `limits.memory` leaves for the sounds of themes and packs; `nil`: everything.
  var room: () -> ClipRoom? = { nil }
  /// The themes that cannot be used, as of the last loading.
  private var themeProblems: [ThemeProblem] = []
  /// Called with the names of sounds whose result has changed.
  var onChange: ([String]) -> Void = { _ in }

  init(
    locator: SoundLocator, loader: ClipLoader, file: String?, files: FileThreads, commands: CommandRunner.Setting,
    on loop: EventLoop, log: Logger
  ) throws(SystemError) {
    self.loop = loop
    self.log = log
    self.file = file
    worker = try BackgroundWorker(name: "soundd-loader", on: loop)
    self.files = files
    self.locator = locator
    self.loader = loader
    speaker = Speaker(commands, loader, on: loop) { log.warning("\($0)") }
    speaker.onChange = { [unowned self] in onChange([]) }
  }

  /// What became of the sounds.
  var loaded: LoadedSounds {
    var loaded = LoadedSounds()
    for sound in sounds.values { loaded.set(sound) }
    loaded.others = Array(speaker.made.values)
    loaded.themeProblems = themeProblems
    return loaded
  }

  /// Where a sound was found.
  func found(_ name: String) -> LoadedSound? { sounds[name] }

  /// Whether something is being loaded or spoken.
  var isBusy: Bool { worker.isBusy || speaker.isBusy }

  /// Why changes of files go unnoticed; `nil` if they do not.
  var watchProblem: String? { watchProblems.min { $0.key < $1.key }?.value }

  // MARK: Loading

  /// Loads sounds and keeps them up to date from then on, beside those before. Calls `done` when they are loaded.
  func load(_ names: [String], then done: @escaping () -> Void) {
    self.names.formUnion(names)
    // A path that could not be watched is tried again.
    for path in watchProblems.keys { unwatch(path) }
    // Before the files are read: what changes later is noticed.
    follow()
    files.afterFirstLooks { [unowned self] in
      perform(names, room: room()) { [unowned self] in
        // `removeUnused`, called for another load, may have removed them.
        self.names.formUnion(names)
        for sound in $0 { sounds[sound.name] = sound.keeping(sounds[sound.name]) }
        refreshIfNew()
        retryLater()
        done()
      }
    }
  }

  /// Looks sounds up as this configuration file asks for, from the next loading on.
  func move(to file: String?, _ locator: SoundLocator) {
    self.file = file
    self.locator = locator
  }

  /// Uses the sounds of a configuration, which are loaded, and removes all others.
  func use(_ configuration: Configuration) {
    self.configuration = configuration
    speaker.use(configuration, loaded)
    removeUnused()
    onChange(configuration.soundNames)
    for problem in loaded.problems(configuration, file: file) { log.error("\(problem)") }
  }

  /// Removes the sounds that the configuration does not use.
  func removeUnused() {
    names = Set(configuration.soundNames)
    sounds = sounds.filter { names.contains($0.key) }
    follow()
  }

  /// Calls `done` with a sound, at once if it is kept, otherwise as soon as it is loaded. Then it is not kept, because
  /// by hand many different ones may be played over time. `room`: what it may take if it is not kept.
  func fetch(_ name: String, room: ClipRoom? = nil, then done: @escaping (Result<Clip, SoundError>) -> Void) {
    func pick(_ sound: LoadedSound) -> Result<Clip, SoundError> {
      sound.variants.randomElement().map { .success($0.clip) } ?? sound.clip
    }
    // The texts of triggers may have no sound.
    if name.hasPrefix(Speech.prefix) { return done(.failure(.notFound(name: name, searched: []))) }
    if let sound = sounds[name], case .success(let clip) = pick(sound) { return done(.success(clip)) }
    perform([name], room: room) { if let sound = $0.first { done(pick(sound)) } }
  }

  /// Finds out what becomes of other sounds, and keeps none. `done` may come late, because a mount may hang.
  func check(_ names: Set<String>, _ locator: SoundLocator, then done: @escaping (LoadedSounds) -> Void) {
    worker.perform { [loader, known] in
      var loaded = LoadedSounds()
      let refusal = AnsweringMounts().problem
      for sound in loader.load(names.sorted(), locator: locator, known: known, refusal: refusal) { loaded.set(sound) }
      clinux_trim_heap()
      return loaded
    } then: {
      done($0)
    }
  }

  /// A mount answers again: loads the sounds that were given up.
  func mountRecovered() {
    let isAnyGivenUp = sounds.values.contains { if case .failure(.unavailable) = $0.clip { true } else { false } }
    if isAnyGivenUp { refresh() }
  }

  /// Ends the loading. Returns whether a job is left behind, see `BackgroundWorker.stop`.
  @discardableResult
  func stop() -> Bool {
    let isSpeaking = speaker.stop()
    return worker.stop() || isSpeaking
  }

  /// Looks up and decodes sounds in the background. Calls `done` with them after `longestLoading` at the latest: what is not
  /// loaded by then has failed, and is replaced as soon as it is.
  private func perform(_ names: [String], room: ClipRoom?, then done: @escaping ([LoadedSound]) -> Void) {
    var isLate = false
    let timer = EventLoop.Timer { [unowned self] in
      isLate = true
      done(names.map(givenUp))
    }
    loop.schedule(timer, at: loop.now.advanced(by: Self.longestLoading))
    worker.perform { [locator, loader, known] in
      let mounts = AnsweringMounts()
      let loaded = loader.load(names, locator: locator, known: known, room: room, refusal: mounts.problem)
      // Decoding leaves free memory behind, which no later load might give back.
      clinux_trim_heap()
      return (loaded, locator.themes?.problems(refusal: mounts.problem) ?? [])
    } then: { [unowned self] loaded, problems in
      loop.cancel(timer)
      themeProblems = problems
      if isLate { update(loaded) } else { done(loaded) }
    }
  }

  /// The clips that there are, and the files that are damaged: to find that out again may take as long.
  private var known: [SoundFile.Identity: Result<Clip, SoundError>] {
    var known: [SoundFile.Identity: Result<Clip, SoundError>] = [:]
    for sound in sounds.values {
      if let file = sound.file {
        switch sound.clip {
        case .success, .failure(.corrupt), .failure(.foreign): known[file.identity] = sound.clip
        case .failure: break
        }
      }
      for (file, clip) in sound.variants { known[file.identity] = .success(clip) }
    }
    return known
  }

  /// The result if loading takes too long: what is loaded already stays.
  private func givenUp(_ name: String) -> LoadedSound {
    if let known = sounds[name], case .success = known.clip { return known }
    let reason = "it is still being loaded after \(Self.longestLoading)"
    return LoadedSound(name: name, file: nil, links: [], clip: .failure(.unavailable(path: name, reason: reason)))
  }

  // MARK: Watching

  /// Watches the folders in which sounds are looked up, the files of sounds given by their paths, and what links lead
  /// to. Returns whether any of them is new: then it may have changed before.
  @discardableResult
  private func follow() -> Bool {
    let given = names.filter(SoundLocator.isPath).map { FilePathText.join(locator.base, $0) }
    let paths = Set(locator.folders.filter { $0 != BuiltInSounds.folder } + given + sounds.values.flatMap(\.links))
    for path in watches.keys where !paths.contains(path) { unwatch(path) }
    let new = paths.filter { watches[$0] == nil }
    for path in new { watch(path) }
    return !new.isEmpty
  }

  /// Watches the paths that are new. They may have changed before, so the sounds are looked up again then.
  private func refreshIfNew() {
    if follow() { files.afterFirstLooks { [unowned self] in refresh() } }
  }

  private func watch(_ path: String) {
    watches[path] = files.open(path, ChangeSource.self) { [unowned self] report in
      switch report {
      case .changed: if !names.isEmpty { awaitQuiet() }
      // It is not polled.
      case .begun(let problem): watchProblems[path] = problem
      default: break
      }
    }
  }

  private func unwatch(_ path: String) {
    if let watch = watches.removeValue(forKey: path) { files.close(watch) }
    watchProblems[path] = nil
  }

  private func awaitQuiet() {
    let first = firstEvent ?? loop.now
    firstEvent = first
    loop.schedule(timer, at: min(loop.now.advanced(by: Self.quiet), first.advanced(by: Self.longest)))
  }

  /// Looks all sounds up again, and decodes those whose file has changed.
  private func refresh() {
    firstEvent = nil
    // It needs the result of the present job, so that nothing is decoded twice.
    if worker.isBusy { return awaitQuiet() }
    perform(names.sorted(), room: room()) { [unowned self] in update($0) }
  }

  /// Uses sounds that were loaded again, and follows what they depend on now.
  private func update(_ new: [LoadedSound]) {
    replace(new)
    refreshIfNew()
    retryLater()
  }

  /// Loads again what found no memory or no program that speaks, after a while: no event says that there is one.
  private func retryLater() {
    let waits = sounds.values.compactMap { sound -> Duration? in
      switch sound.clip {
      case .failure(.noMemory): Self.retry
      case .failure(.unspoken): Self.speechRetry
      default: nil
      }
    }
    if let wait = waits.min(), !timer.isScheduled { loop.schedule(timer, at: loop.now.advanced(by: wait)) }
  }

  /// Uses sounds that were loaded again. Plays keep the clips that they began with.
  private func replace(_ new: [LoadedSound]) {
    let before = loaded
    let changed = new.filter { apply($0) }.map(\.name)
    if changed.isEmpty { return }
    if changed.contains(where: { $0.hasPrefix(Speech.prefix) }) { speaker.use(configuration, loaded) }
    onChange(changed)
    report(changed, before: before)
  }

  /// Replaces a sound; returns whether it differs from the old one.
  private func apply(_ sound: LoadedSound) -> Bool {
    guard names.contains(sound.name) else { return false }
    let old = sounds.updateValue(sound.keeping(sounds[sound.name]), forKey: sound.name)
    return old.map { !$0.isSame(as: sound) } ?? true
  }

  /// Logs which sounds have changed, broken and healed.
  private func report(_ names: [String], before: LoadedSounds) {
    let loaded = loaded
    for name in names where before[name] != nil && loaded[name] != nil && !name.hasPrefix(Speech.prefix) {
      log.info("the sound '\(name)' has changed and was loaded again")
    }
    for problem in loaded.problems(configuration, file: file, about: Set(names)) { log.error("\(problem)") }
    let healed = configuration.soundMessages(file: file) { name in
      names.contains(name) && before[name] == nil && loaded[name] != nil
        ? "the sound '\(name)' can be played again" : nil
    }
    for message in healed { log.notice("\(message)") }
  }
}

extension LoadedSounds {
  /// What is wrong with the sounds of the triggers. `names` restricts it to some sounds.
  func problems(_ configuration: Configuration, file: String?, about names: Set<String>? = nil) -> [String] {
    configuration.soundMessages(file: file) { name in
      names?.contains(name) ?? true ? problem(of: name)?.description : nil
    }
  }
}

extension Configuration {
  /// Warns of sounds that can be played: of files that were cut off, of those that cannot change their pitch, of categories that no
  /// pack has, of files of packs that cannot be played, of themes that are not installed, and if all sounds take more memory than
  /// `limits.memory`.
  func warnings(_ sounds: LoadedSounds, file: String) -> [Warning] {
    let cut = soundMessages(file: file) { name in sounds[name]?.truncation.map { "the sound '\(name)': \($0)" } }
    let pitched = Set(triggers.map(\.definition).filter(\.changesPitch).flatMap(\.sounds))
    let long = soundMessages(file: file) { name in
      guard pitched.contains(name), let clip = sounds[name],
        clip.duration > .seconds(Clip.longestPitched)
      else { return nil }
      return "the sound '\(name)' keeps its pitch, because it is longer than \(Clip.longestPitched) s"
    }
    let misspelt = soundMessages(file: file) { name in
      sounds.nearest(to: name).map { "its pack has no '\(name)', so it is silent\(Suggestion.question($0))" }
    }
    let lost = soundMessages(file: file) { name in
      sounds.losses[name].map { losses in
        let more = losses.count > 1 ? "; and \(losses.count - 1) more" : ""
        return "the sound '\(name)' plays without some of its files: \(losses[0].line)\(more)"
      }
    }
    let themes = sounds.themeProblems.map { problem in
      Warning(
        .theme,
        ConfigurationMessage(
          file: file, location: themeLocations[problem.name] ?? TOMLLocation(line: 1, column: 1), key: "sounds.theme",
          message: "\(problem)"))
    }
    let bytes = sounds.clips.reduce(0) { $0 + $1.byteCount }
    let isTooMuch = bytes > limits.memory
    return cut.map { Warning(.truncated, $0) } + long.map { Warning(.pitch, $0) }
      + misspelt.map { Warning(.undeclared, $0) } + lost.map { Warning(.unplayable, $0) } + themes
      + (isTooMuch
        ? [
          Warning(
            .memory,
            "\(file): the sounds take \(SizeText.text(bytes)), and limits.memory is \(SizeText.text(limits.memory)): values "
              + "that nothing declares and sounds by hand are refused; raise it, or use shorter sounds")
        ] : [])
  }

  /// `FILE:LINE:COLUMN: trigger 'NAME': TEXT` for each sound of a trigger that has a text.
  fileprivate func soundMessages(file: String?, text: (String) -> String?) -> [String] {
    triggers.flatMap { trigger in
      trigger.sounds.compactMap { name in
        guard let text = text(name) else { return nil }
        let location = trigger.soundLocations[name] ?? trigger.location
        let prefix = file.map { "\(location.text(in: $0)): " } ?? ""
        return "\(prefix)trigger '\(trigger.definition.name)': \(text)"
      }
    }
  }
}
