import SoundTrigger

/// Notices that a file of the configuration was saved, appeared or vanished: once for each save.
///
/// The files, and the folders on the way to them, may be missing. Nothing beside them causes a wake-up.
final class ConfigurationWatch {
  /// How long the file must be quiet before it is read: an editor may save in several steps.
  static let quiet = Duration.milliseconds(100)
  /// The longest wait for that.
  static let longest = Duration.seconds(1)
  /// The longest wait for a program that has the file open for writing.
  static let openPatience = Duration.seconds(10)
  /// How often a path is looked at that cannot be watched.
  static let retryInterval = Duration.seconds(10)

  private let loop: EventLoop
  private let files: FileThreads
  private let paths: [String]
  /// The numbers of these paths among those of `files`.
  private var watches: [String: Int] = [:]
  /// The same of the parts, because a part may be a link that leads elsewhere.
  private var parts: [String: Int] = [:]
  /// The paths that a program has changed and has not closed.
  private var written: Set<String> = []
  private let changed: () -> Void
  /// Called when it is known why a path cannot be watched.
  private let failed: (String) -> Void
  /// The paths that cannot be watched, and why.
  private var unwatched: [String: String] = [:]
  /// When the first event came since the file was read.
  private var firstEvent: Instant?
  private lazy var timer = EventLoop.Timer { [unowned self] in look() }
  private lazy var retry = EventLoop.Timer { [unowned self] in lookAtUnwatched() }

  /// Why a save is noticed late, or `nil` if it is noticed at once.
  var problem: String? {
    unwatched.min { $0.key < $1.key }.map { "\($0.value); soundd looks for a saved configuration every 10 s" }
  }

  /// Prepares to watch the absolute paths where the file, or the folder of its parts, may be. `changed` is called when it is time to look at them, `failed` once
  /// for each path that cannot be watched.
  init(
    _ paths: [String], files: FileThreads, on loop: EventLoop, changed: @escaping () -> Void,
    failed: @escaping (String) -> Void
  ) {
    self.loop = loop
    self.files = files
    self.paths = paths
    self.changed = changed
    self.failed = failed
  }

  /// Begins to watch. Looks as soon as a path is watched, because the file may have changed since it was read.
  func start() {
    for path in paths { watches[path] = open(path) }
  }

  /// Watches these parts, too, and no others.
  func follow(_ parts: [String]) {
    for (path, watch) in self.parts where !parts.contains(path) {
      files.close(watch)
      self.parts[path] = nil
      written.remove(path)
      unwatched[path] = nil
    }
    for path in parts where self.parts[path] == nil { self.parts[path] = open(path) }
  }

  func stop() {
    follow([])
    for watch in watches.values { files.close(watch) }
    (watches, unwatched) = ([:], [:])
    loop.cancel(timer)
    loop.cancel(retry)
  }

  private func open(_ path: String) -> Int {
    files.open(path, ChangeSource.self) { [unowned self] in receive($0, from: path) }
  }

  private func receive(_ report: FileReport, from path: String) {
    switch report {
    case .changed(let isBeingWritten):
      if isBeingWritten { written.insert(path) } else { written.remove(path) }
      awaitQuiet()
    case .begun(let reason):
      let isKnown = unwatched[path] != nil
      unwatched[path] = reason
      if reason != nil {
        if !isKnown, let problem { failed(problem) }
        if !retry.isScheduled { loop.schedule(retry, at: loop.now.advanced(by: Self.retryInterval)) }
      }
      changed()
    default: break
    }
  }

  /// Tries to watch the paths again that could not be watched, and looks at them.
  private func lookAtUnwatched() {
    for path in unwatched.keys {
      for numbers in [\ConfigurationWatch.watches, \.parts] {
        guard let number = self[keyPath: numbers][path] else { continue }
        files.close(number)
        self[keyPath: numbers][path] = open(path)
      }
    }
  }

  /// Calls `changed` at a given time, unless an event does so before.
  func lookAgain(at time: Instant) { loop.schedule(timer, at: time) }

  private func look() {
    if let end = firstEvent?.advanced(by: Self.openPatience), !written.isEmpty, loop.now < end {
      // An event reports when the writer closes it.
      return loop.schedule(timer, at: end)
    }
    firstEvent = nil
    changed()
  }

  private func awaitQuiet() {
    let first = firstEvent ?? loop.now
    firstEvent = first
    loop.schedule(timer, at: min(loop.now.advanced(by: Self.quiet), first.advanced(by: Self.longest)))
  }
}
