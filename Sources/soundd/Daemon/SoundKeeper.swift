import CLinux
import SoundTrigger

/// Keeps sounds loaded, whatever becomes of their files: one that changes is loaded again, in the background.
///
/// It belongs to the event loop's thread.
final class SoundKeeper {
  private struct Entry {
    var file: SoundFile?
    /// The symbolic links that decide which file it is.
    var links: [String] = []
    /// What is to be played; before anything was found, there is neither this nor a problem.
    var clip: Clip?
    var problem: SoundError?
    var state = SoundFileState()
    /// Whether a job looks at the file, and whether the file has changed since that began.
    var isLooking = false
    var isOutdated = false
  }

  private let loop: EventLoop
  private let worker: BackgroundWorker
  private let locator: SoundLocator
  private let loader: ClipLoader
  private let folders: Set<String>
  private var entries: [String: Entry] = [:]
  /// The names of sounds that are given by their paths.
  private var namesByPath: [String: [String]] = [:]
  /// Sounds of which something is awaited.
  private var restless: Set<String> = []
  /// The names of sounds of which symbolic links decide what they are, by those; they may lead nowhere yet.
  private var namesByLink: [String: [String]] = [:]
  private var watch: FileSetWatch?
  private var timer: EventLoop.Timer?
  /// Why changes of files go unnoticed, if they do.
  private(set) var watchProblem: String?
  /// Told which sounds are to be played differently now, or cannot be played any more.
  var onChange: ([String]) -> Void = { _ in }

  init(
    locator: SoundLocator, loader: ClipLoader, watcher: FolderWatcher, worker: BackgroundWorker, on loop: EventLoop
  ) {
    self.loop = loop
    self.worker = worker
    self.locator = locator
    self.loader = loader
    folders = Set(locator.folders)
    watch = FileSetWatch(watcher: watcher) { [unowned self] in take($0) }
    timer = EventLoop.Timer { [unowned self] in advance() }
  }

  deinit { if let timer { loop.cancel(timer) } }

  /// What became of a sound that was to be kept.
  func result(of sound: String) -> Result<Clip, SoundError> {
    if let clip = entries[sound]?.clip { return .success(clip) }
    return .failure(entries[sound]?.problem ?? .notFound(name: sound, searched: locator.folders))
  }

  // MARK: Loading

  /// Loads sounds, and keeps them from then on; blocks, and so is for the start alone.
  func loadNow(_ sounds: [String]) {
    add(sounds)
    follow()
    let batch = SoundBatch(sounds, locator: locator, loader: loader)
    worker.perform({ batch.work() }, then: {})
    batch.work()
    worker.waitUntilIdle()
    worker.perform({ clinux_trim_heap() }, then: {})
    settle(batch.sounds)
  }

  /// Loads sounds, and keeps them from then on beside those before, until `keep`; `done` is called when they are loaded.
  func load(_ sounds: [String], then done: @escaping () -> Void) {
    add(sounds)
    follow()
    perform(sounds, known: known) { [unowned self] in
      // Another `keep` may have come between, which knew nothing of these.
      if add(sounds) { follow() }
      settle($0)
      done()
    }
  }

  /// Lets go of all sounds but these.
  func keep(_ sounds: [String]) {
    let kept = Set(sounds)
    entries = entries.filter { kept.contains($0.key) }
    restless.formIntersection(kept)
    namesByPath = namesByPath.mapValues { $0.filter(kept.contains) }.filter { !$0.value.isEmpty }
    follow()
  }

  /// Loads a sound and does not keep it: many different ones may be asked for over time.
  func fetch(_ sound: String, then done: @escaping (Result<Clip, SoundError>) -> Void) {
    perform([sound], known: [:]) { if let found = $0.first { done(found.clip) } }
  }

  /// Begins to keep sounds; returns whether any of them were not kept before.
  @discardableResult
  private func add(_ sounds: [String]) -> Bool {
    var hasNew = false
    for sound in sounds where entries[sound] == nil {
      hasNew = true
      entries[sound] = Entry()
      if let path = path(of: sound) { namesByPath[path, default: []].append(sound) }
    }
    return hasNew
  }

  private func perform(
    _ sounds: [String], known: [SoundFile.Identity: Clip], then done: @escaping ([LoadedSound]) -> Void
  ) {
    let (locator, loader) = (locator, loader)
    worker.perform(
      {
        let batch = SoundBatch(sounds, locator: locator, loader: loader, known: known)
        batch.work()
        // What decoding needed goes back to the system, and not only when something else is loaded.
        clinux_trim_heap()
        return batch.sounds
      }, then: done)
  }

  /// The clips that stand for their files as these were when they were found.
  private var known: [SoundFile.Identity: Clip] {
    var known: [SoundFile.Identity: Clip] = [:]
    for entry in entries.values { if let file = entry.file, let clip = entry.clip { known[file.identity] = clip } }
    return known
  }

  /// Takes over what was asked for: a failure is told at once.
  private func settle(_ sounds: [LoadedSound]) {
    for sound in sounds {
      guard var entry = entries[sound.name] else { continue }
      entry.file = sound.file
      entry.links = sound.links
      entry.state.foundGood()
      switch sound.clip {
      case .success(let clip): (entry.clip, entry.problem) = (clip, nil)
      case .failure(let problem): (entry.clip, entry.problem) = (nil, problem)
      }
      entries[sound.name] = entry
    }
    followLinks()
  }

  // MARK: Watching

  /// Watches the folders in which sounds are looked up, those of sounds given by their paths, and what links lead to.
  private func follow() {
    let others = namesByPath.keys.map(FilePathText.folder).filter { !folders.contains($0) }
    namesByLink = [:]
    for (name, entry) in entries {
      for link in entry.links { namesByLink[link, default: []].append(name) }
    }
    watchProblem =
      watch?.watch(folders: locator.folders + Set(others).sorted(), files: namesByLink.keys.sorted())?.description
  }

  /// Watches what new links lead to; what has changed there before is looked at.
  private func followLinks() {
    let new = entries.filter { name, entry in
      entry.links.contains { namesByLink[$0]?.contains(name) != true }
    }
    if new.isEmpty { return }
    follow()
    look(new.keys.sorted(), isForced: false)
  }

  /// The path of a sound that is given by one, as the watch tells it.
  private func path(of sound: String) -> String? {
    sound.contains("/") ? FilePathText.join(locator.base, sound) : nil
  }

  /// The sounds that may be meant by a path.
  private func names(of path: String) -> [String] {
    let names = (namesByPath[path] ?? []) + (namesByLink[path] ?? [])
    guard folders.contains(FilePathText.folder(of: path)), let name = SoundLocator.name(of: path) else { return names }
    return names + [name]
  }

  private func take(_ changes: FileSetWatch.Changes) {
    var due: Set<String> = []
    for change in changes.entries {
      for name in names(of: change.path) {
        guard var entry = entries[name] else { continue }
        if entry.state.changed(change.mask, isBroken: entry.clip == nil, at: loop.now) { due.insert(name) }
        entries[name] = entry
        restless.insert(name)
      }
    }
    if changes.isEverything {
      follow()
      for name in entries.keys { entries[name]?.state.everythingChanged() }
      look(entries.keys.sorted(), isForced: false)
    }
    look(due.sorted(), isForced: true)
    schedule()
  }

  private func advance() {
    let due = restless.filter { entries[$0]?.state.advance(to: loop.now) ?? false }
    look(due.sorted(), isForced: true)
    schedule()
  }

  private func schedule() {
    restless = restless.filter { entries[$0]?.state.deadline != nil }
    guard let timer else { return }
    if let next = restless.compactMap({ entries[$0]?.state.deadline }).min() {
      loop.schedule(timer, at: next)
    } else {
      loop.cancel(timer)
    }
  }

  // MARK: Looking

  /// Looks at the files of sounds; unless that is forced, those that are as they were are not loaded again.
  private func look(_ sounds: [String], isForced: Bool) {
    var free: [String] = []
    for name in sounds {
      guard var entry = entries[name] else { continue }
      if entry.isLooking { entry.isOutdated = true } else { free.append(name) }
      entry.isLooking = true
      entries[name] = entry
    }
    if free.isEmpty { return }
    perform(free, known: isForced ? [:] : known) { [unowned self] in see($0) }
  }

  private func see(_ sounds: [LoadedSound]) {
    var changed: [String] = []
    var outdated: [String] = []
    var hasLost = false
    for sound in sounds {
      guard var entry = entries[sound.name] else { continue }
      if entry.isOutdated { outdated.append(sound.name) }
      entry.links = sound.links
      switch sound.clip {
      case .success(let clip):
        entry.state.foundGood()
        if entry.clip !== clip { changed.append(sound.name) }
        (entry.file, entry.clip, entry.problem) = (sound.file, clip, nil)
      case .failure(let problem):
        // What is about to be looked at again need not be judged.
        if entry.isOutdated { break }
        if entry.clip != nil, !entry.state.foundBad(at: loop.now) { break }
        hasLost = hasLost || entry.clip != nil
        if entry.problem != problem { changed.append(sound.name) }
        (entry.file, entry.clip, entry.problem) = (sound.file, nil, problem)
      }
      entry.isLooking = false
      entry.isOutdated = false
      entries[sound.name] = entry
      restless.insert(sound.name)
    }
    // Its folder may have gone without a sign.
    if hasLost { follow() }
    followLinks()
    look(outdated, isForced: true)
    schedule()
    if !changed.isEmpty { onChange(changed) }
  }
}
