import Glibc
import SoundTrigger

/// Notices that a configuration file was saved, appeared or vanished: once for each save.
///
/// The file, and the folders on the way to it, may be missing. Nothing beside it causes a wake-up.
final class ConfigurationWatch {
  /// How long the file must be quiet before it is read: an editor may save in several steps.
  static let quiet = Duration.milliseconds(100)
  /// The longest wait for that.
  static let longest = Duration.seconds(1)
  /// The longest wait for a program that has the file open for writing.
  static let openPatience = Duration.seconds(10)

  private let loop: EventLoop
  private let watches: [PathWatch]
  private let changed: () -> Void
  /// Why saves go unnoticed; `nil` if they do not.
  private(set) var problem: String?
  /// When the first event came since the file was read.
  private var firstEvent: Instant?
  private lazy var timer = EventLoop.Timer { [unowned self] in look() }

  /// Prepares to watch the places where the file may be. `changed` is called when it is time to look at them.
  init(_ places: [String], watcher: FolderWatcher, on loop: EventLoop, changed: @escaping () -> Void) {
    self.loop = loop
    self.changed = changed
    watches = places.filter(Self.isWatchable).map { PathWatch($0, .files, watcher: watcher, on: loop) }
  }

  /// Whether there is a regular file at the path, or may be one later, such as instead of a folder. Every program writes to
  /// /dev/null, and each write would be an event.
  private static func isWatchable(_ path: String) -> Bool {
    var status = stat()
    let isOther = stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    return !isOther && PathWatch.automaticPoll(path) == nil
  }

  /// Begins to watch. Looks at once, because the file may have changed since it was read.
  func start() {
    for watch in watches { watch.start { [unowned self] _ in settle() } }
    stopFailing()
    changed()
  }

  func stop() {
    for watch in watches { watch.stop() }
    loop.cancel(timer)
  }

  /// Whether a program has changed a file and has not closed it.
  private var isBeingWritten: Bool { watches.contains { $0.isBeingWritten } }

  /// Calls `changed` at a given time, unless an event does so before.
  func lookAgain(at time: Instant) { loop.schedule(timer, at: time) }

  private func look() {
    if let end = firstEvent?.advanced(by: Self.openPatience), isBeingWritten, loop.now < end {
      // An event reports when the writer closes it.
      return loop.schedule(timer, at: end)
    }
    firstEvent = nil
    changed()
  }

  /// A place that cannot be watched is not polled.
  private func stopFailing() {
    for watch in watches {
      guard let text = watch.problem else { continue }
      problem = "\(text); a saved configuration is read only by 'soundd reload'"
      watch.stop()
    }
  }

  private func settle() {
    stopFailing()
    let first = firstEvent ?? loop.now
    firstEvent = first
    loop.schedule(timer, at: min(loop.now.advanced(by: Self.quiet), first.advanced(by: Self.longest)))
  }
}
