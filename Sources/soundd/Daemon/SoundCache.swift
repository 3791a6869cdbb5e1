import CLinux
import SoundTrigger

/// Loads sounds in the background, and loads them again when their files change.
///
/// It watches the folders in which sounds are looked up. After an event it waits until the files have been quiet, looks all
/// sounds up again, and decodes those whose file is another one now. So a file that is replaced never fails in between.
///
/// Belongs to the event loop's thread. Nothing here blocks.
final class SoundCache: FolderSubscriber {
  /// How long the files must be quiet before the sounds are looked up again.
  static let quiet = Duration.milliseconds(500)
  /// The longest wait for that, because a program may write there without a pause.
  static let longest = Duration.seconds(5)

  private struct Entry {
    var file: SoundFile?
    /// The symbolic links that decide which file it is.
    var links: [String] = []
    /// `nil` while the sound is loaded for the first time.
    var result: Result<Clip, SoundError>?
  }

  private let loop: EventLoop
  private let worker: BackgroundWorker
  private let watcher: FolderWatcher
  private let locator: SoundLocator
  private let loader: ClipLoader
  private var entries: [String: Entry] = [:]
  /// The files that are watched beside the folders.
  private var watchedFiles: Set<String> = []
  /// Whether the events of this turn may concern a sound.
  private var isAffected = false
  /// When the first event came since the sounds were looked up.
  private var firstEvent: Instant?
  /// Whether the sounds are being looked up, and whether that is repeated afterwards.
  private var isRefreshing = false
  private var isOutdated = false
  private var timer: EventLoop.Timer?
  /// Why changes of files go unnoticed; `nil` if they do not.
  private(set) var watchProblem: String?
  /// Called with the names of sounds whose result has changed.
  var onChange: ([String]) -> Void = { _ in }

  init(locator: SoundLocator, loader: ClipLoader, watcher: FolderWatcher, worker: BackgroundWorker, on loop: EventLoop)
  {
    self.loop = loop
    self.worker = worker
    self.watcher = watcher
    self.locator = locator
    self.loader = loader
    timer = EventLoop.Timer { [unowned self] in timerFired() }
  }

  deinit {
    watcher.remove(self)
    if let timer { loop.cancel(timer) }
  }

  /// The clip of a sound that was loaded, or why it cannot be played.
  func result(of name: String) -> Result<Clip, SoundError> {
    entries[name]?.result ?? .failure(.notFound(name: name, searched: locator.folders))
  }

  /// Whether an event has come after which the sounds are going to be looked up again.
  var isSettling: Bool { timer?.isScheduled == true }

  // MARK: Loading

  /// Loads sounds and keeps them up to date from then on, beside those before. Calls `done` when they are loaded.
  func load(_ names: [String], then done: @escaping () -> Void) {
    for name in names where entries[name] == nil { entries[name] = Entry() }
    // Before the files are read: what changes later is noticed.
    follow()
    perform(names) { [unowned self] in
      for sound in $0 {
        // `keep`, called for another load, may have removed its entry.
        entries[sound.name] = Entry(file: sound.file, links: sound.links, result: sound.clip)
      }
      followNewLinks()
      done()
    }
  }

  /// Removes all sounds but these.
  func keep(_ names: [String]) {
    let kept = Set(names)
    entries = entries.filter { kept.contains($0.key) }
    follow()
  }

  /// Loads a sound and does not keep it, because by hand many different ones may be played over time.
  func fetch(_ name: String, then done: @escaping (Result<Clip, SoundError>) -> Void) {
    perform([name]) { if let sound = $0.first { done(sound.clip) } }
  }

  private func perform(_ names: [String], then done: @escaping ([LoadedSound]) -> Void) {
    var known: [SoundFile.Identity: Clip] = [:]
    for entry in entries.values {
      if let file = entry.file, case .success(let clip) = entry.result { known[file.identity] = clip }
    }
    worker.perform(
      { [locator, loader, known] in
        let sounds = loader.load(names, locator: locator, known: known)
        // Decoding leaves free memory behind, which no later load might give back.
        clinux_trim_heap()
        return sounds
      }, then: done)
  }

  // MARK: Watching

  /// Watches the folders in which sounds are looked up, the files of sounds given by their paths, and what links lead to.
  private func follow() {
    let paths = entries.keys.filter { $0.contains("/") }.map { FilePathText.join(locator.base, $0) }
    watchedFiles = Set(entries.values.flatMap(\.links)).union(paths)
    watchProblem = watcher.watch(for: self) { [locator, watchedFiles] in
      Self.interests(folders: locator.folders, files: watchedFiles.sorted())
    }
  }

  private static func interests(folders: [String], files: [String]) -> [FolderInterest] {
    let ways =
      folders.flatMap { FolderInterest.plan(for: $0).interests(ofFolder: .contents) }
      + files.flatMap { FolderInterest.plan(for: $0).interests }
    var seen: Set<FolderInterest> = []
    return ways.compactMap { interest in
      var interest = interest
      // While nothing changes in them, the folders cost no wake-up, whatever is removed beside them.
      if interest.kind == .passage { interest.kind = .way }
      return seen.insert(interest).inserted ? interest : nil
    }
  }

  func entryChanged(_ interest: FolderInterest, mask: UInt32) {
    if interest.kind == .contents {
      guard let name = SoundLocator.name(of: interest.name), entries[name] != nil else { return }
    }
    isAffected = true
  }

  func folderChanged() { isAffected = true }

  func eventsLost() { isAffected = true }

  func eventsEnded() {
    guard isAffected, let timer else { return }
    isAffected = false
    let first = firstEvent ?? loop.now
    firstEvent = first
    loop.schedule(timer, at: min(loop.now.advanced(by: Self.quiet), first.advanced(by: Self.longest)))
  }

  // MARK: Refreshing

  private func timerFired() {
    firstEvent = nil
    // A folder may have been replaced.
    follow()
    refresh()
  }

  /// Looks all sounds up again, and decodes those whose file has changed.
  private func refresh() {
    if isRefreshing {
      isOutdated = true
      return
    }
    isRefreshing = true
    perform(entries.keys.sorted()) { [unowned self] in
      isRefreshing = false
      let changed = $0.filter { apply($0) }.map(\.name)
      if isOutdated {
        isOutdated = false
        refresh()
      }
      followNewLinks()
      if !changed.isEmpty { onChange(changed) }
    }
  }

  /// Replaces a sound; returns whether it differs from the old one.
  private func apply(_ sound: LoadedSound) -> Bool {
    guard let old = entries[sound.name] else { return false }
    entries[sound.name] = Entry(file: sound.file, links: sound.links, result: sound.clip)
    switch (old.result, sound.clip) {
    case (.success(let old), .success(let new)): return old !== new
    case (.failure(let old), .failure(let new)): return old != new
    case (.success, .failure), (.failure, .success), (nil, _): return true
    }
  }

  /// Watches the targets of new links. They may have changed before, so all sounds are looked up again.
  private func followNewLinks() {
    if entries.values.allSatisfy({ watchedFiles.isSuperset(of: $0.links) }) { return }
    follow()
    refresh()
  }
}
