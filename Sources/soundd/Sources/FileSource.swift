import Glibc
import SoundTrigger

/// Receives what a file holds; called on the event loop's thread.
protocol ContentReceiver: AnyObject {
  /// The whole content, of at most `FileSource.shortLimit` bytes. It need not differ from the last one.
  func receive(content: Span<UInt8>)
  /// Longer content begins; its parts follow. An unfinished earlier one is void.
  func beginLongContent()
  func receive(chunk: Span<UInt8>)
  /// All parts of the longer content have come.
  func endLongContent()
  /// The file cannot be read, and why; `nil`: it can be again. A file that is missing is no problem.
  func fileProblem(_ text: String?)
}

/// The content of a file, read whenever it changes, or on a timer.
///
/// The file and any folder on the way to it may be missing, appear, vanish, be replaced, or be symbolic links. A file that
/// vanishes gives nothing: its last content counts. Not seen are changes through a memory map or through another hard
/// link, and changes on other machines of a network file system: those need `poll`.
final class FileSource: FolderSubscriber {
  /// Content up to this many bytes is handed out in one piece.
  static let shortLimit = 65_536
  /// How much of a long file is read before others get their turn.
  private static let slice = 1 << 20
  /// How often a file is read whose folder cannot be watched.
  static let fallbackPoll = Duration.seconds(1)

  let path: String
  private let loop: EventLoop
  private let watcher: FolderWatcher
  private weak var receiver: (any ContentReceiver)?
  private let poll: Duration?

  private var state = FileWatchState()
  private var wanted: FileWatchState.Action = []
  private var outcome = FolderInterest.Plan.Outcome.absent
  /// Why the folders cannot all be watched, so that the file is read every `fallbackPoll`; `nil`: they are.
  private(set) var watchProblem: String?
  private var reportedProblem: String?
  private var settleTimer: EventLoop.Timer?
  private var pollTimer: EventLoop.Timer?
  private var sliceTimer: EventLoop.Timer?
  /// Whether the file was ever found to hold something.
  private var hasFoundContent = false
  /// A long file on its way in.
  private var reading: FileReading?
  /// The file has changed since its reading began: it is read again afterwards.
  private var isOutdated = false
  private var isStopped = false

  /// Prepares to read `path`, which is absolute or relative to the working folder.
  ///
  /// `poll` reads on a timer instead of watching; `nil`: `automaticPoll` decides. `receiver` gets the content, once
  /// `start` is called; it is not kept alive.
  init(
    path: String, poll: Duration? = nil, watcher: FolderWatcher, on loop: EventLoop, receiver: any ContentReceiver
  ) {
    self.path = path
    self.loop = loop
    self.watcher = watcher
    self.receiver = receiver
    self.poll = poll ?? Self.automaticPoll(path)
    settleTimer = EventLoop.Timer { [unowned self] in act(state.deadlinePassed()) }
    pollTimer = EventLoop.Timer { [unowned self] in pollNow() }
    sliceTimer = EventLoop.Timer { [unowned self] in readSlices() }
  }

  deinit { stop() }

  /// How often to read a file that inotify is mute about: those under /sys and /proc.
  static func automaticPoll(_ path: String) -> Duration? {
    let isMute = ["/sys/", "/proc/"].contains { path.utf8.starts(with: $0.utf8) }
    return isMute ? .seconds(1) : nil
  }

  /// Reads the file, if it is there, and from then on whenever it changes.
  func start() { act([.follow, .read]) }

  /// Hands out nothing more.
  func stop() {
    isStopped = true
    watcher.remove(self)
    for timer in [settleTimer, pollTimer, sliceTimer] { if let timer { loop.cancel(timer) } }
    reading = nil
  }

  // MARK: Events

  func entryChanged(_ interest: FolderInterest, mask: UInt32) {
    wanted.formUnion(state.entryChanged(mask, kind: interest.kind, at: loop.now))
  }

  func folderChanged() { wanted.formUnion(state.folderChanged()) }

  func eventsLost() { wanted.formUnion(state.overflowed()) }

  func eventsEnded() {
    let action = wanted
    wanted = []
    act(action)
  }

  private func act(_ action: FileWatchState.Action) {
    if isStopped { return }
    if action.contains(.follow) { follow() }
    if action.contains(.read) { beginReading() }
    // The receiver may have called `stop`.
    if isStopped { return }
    if let settleTimer {
      if let deadline = state.deadline { loop.schedule(settleTimer, at: deadline) } else { loop.cancel(settleTimer) }
    }
    if let pollTimer, !pollTimer.isScheduled, let interval = poll ?? (watchProblem == nil ? nil : Self.fallbackPoll) {
      loop.schedule(pollTimer, at: loop.now.advanced(by: interval))
    }
  }

  private func pollNow() { act(poll == nil ? [.follow, .read] : .read) }

  /// Follows the path until two walks agree with the watches set in between: what changed before was seen by the second
  /// walk, what changes after is reported.
  private func follow() {
    if poll != nil { return }
    var plan = FolderInterest.plan(for: path, look: FolderInterest.look)
    for _ in 0..<8 {
      watchProblem = watcher.watch(plan.interests, for: self)?.description
      let again = FolderInterest.plan(for: path, look: FolderInterest.look)
      if again == plan { break }
      plan = again
    }
    outcome = plan.outcome
  }

  // MARK: Reading

  private func beginReading() {
    if reading != nil {
      isOutdated = true
      return
    }
    if poll == nil {
      switch outcome {
      case .absent: return
      case .blocked(let reason): return report("\(path): \(reason)")
      case .present: break
      }
    }
    do throws(FileReading.Problem) {
      let opened = try FileReading(path: path)
      try readFirst(opened)
    } catch {
      fail(error)
    }
  }

  /// Reads the beginning and, if that is all, hands it out.
  private func readFirst(_ opened: consuming FileReading) throws(FileReading.Problem) {
    // One byte more than short content has tells whether there is more.
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.shortLimit + 1)
    defer { buffer.deallocate() }
    let count = try opened.read(into: buffer, path: path)
    report(nil)
    let content = UnsafeBufferPointer(rebasing: buffer[..<count])
    if count > 0 {
      state.foundContent()
    } else if !state.foundEmpty(isFirst: !hasFoundContent, at: loop.now) {
      return
    }
    hasFoundContent = hasFoundContent || count > 0
    if count <= Self.shortLimit {
      receiver?.receive(content: content.span)
      return
    }
    reading = consume opened
    isOutdated = false
    receiver?.beginLongContent()
    receiver?.receive(chunk: content.span)
    if !isStopped { readSlices() }
  }

  /// Reads on, and leaves the rest of a very long file to the next turn.
  private func readSlices() {
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.shortLimit)
    defer { buffer.deallocate() }
    var total = 0
    do throws(FileReading.Problem) {
      while total < Self.slice {
        // `stop` may have been called by the receiver.
        guard let count = try reading?.read(into: buffer, path: path) else { return }
        if count > 0 { receiver?.receive(chunk: UnsafeBufferPointer(rebasing: buffer[..<count]).span) }
        if count < buffer.count { return endReading() }
        total += count
      }
    } catch {
      reading = nil
      return fail(error)
    }
    if let sliceTimer { loop.schedule(sliceTimer, at: loop.now) }
  }

  private func endReading() {
    if reading == nil { return }
    reading = nil
    receiver?.endLongContent()
    if isOutdated {
      isOutdated = false
      beginReading()
    }
  }

  private func fail(_ problem: FileReading.Problem) {
    if case .unusable(let text) = problem { report(text) }
  }

  /// Tells the receiver what is wrong, once until it changes.
  private func report(_ problem: String?) {
    state.isFailing = problem != nil
    if problem == reportedProblem { return }
    reportedProblem = problem
    receiver?.fileProblem(problem)
  }
}
