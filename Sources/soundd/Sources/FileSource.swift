import Glibc
import SoundTrigger

/// Receives what a file holds; called on the event loop's thread.
protocol ContentReceiver: AnyObject {
  /// The whole content, of at most `FileSource.shortLimit` bytes. It need not differ from the last one.
  func receive(content: Span<UInt8>)
  /// The same of what may be told once more though it has not arrived once more; `isAgain`: it has not, as far as its source
  /// can tell.
  func receive(content: Span<UInt8>, isAgain: Bool)
  /// Longer content begins; its parts follow. An unfinished earlier one is void. `isAgain` is as above.
  func beginLongContent(isAgain: Bool)
  func receive(chunk: Span<UInt8>)
  /// All parts of the longer content have come.
  func endLongContent()
  /// The file cannot be read, and why; `nil`: it can be again. A file that is missing is no problem.
  func fileProblem(_ text: String?)
}

extension ContentReceiver {
  func receive(content: Span<UInt8>, isAgain: Bool) { receive(content: content) }
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

  let path: String
  private let loop: EventLoop
  private let watcher: FolderWatcher
  private weak var receiver: (any ContentReceiver)?
  private let poll: Duration?

  private var state = FileWatchState()
  private var wanted: FileWatchState.Action = []
  private var outcome = FolderInterest.Plan.Outcome.absent
  /// Where the way ends, whether or not the file is there; `nil`: it does not get that far.
  private var end: String?
  /// Why the folders cannot all be watched, so that the file is read on a timer; `nil`: they are.
  private(set) var watchProblem: String?
  private var reportedProblem: String?
  // Made when they are first needed: most files need none.
  private var settleTimer: EventLoop.Timer?
  private var pollTimer: EventLoop.Timer?
  private var polls = 0
  private var sliceTimer: EventLoop.Timer?
  /// Whether the file was ever found to hold something.
  private var hasFoundContent = false
  /// The file that was read last.
  private var identity: FileIdentity?
  /// The state in which it was read last.
  private var lastStamp: FileStamp?
  /// The state whose content was handed out last.
  private var toldStamp: FileStamp?
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
  }

  deinit { stop() }

  /// How often to read a file that inotify is mute about: those under /sys and /proc.
  static func automaticPoll(_ path: String) -> Duration? {
    FolderWatcher.muteTree(of: path) == nil ? nil : FolderWatcher.fallbackPoll
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

  func mountsChanged() { wanted.formUnion(state.mountsChanged()) }

  func eventsEnded() {
    let action = wanted
    wanted = []
    act(action)
  }

  private func act(_ action: FileWatchState.Action) {
    if isStopped { return }
    if action.contains(.follow) { follow() } else if action.contains(.lookAtEntry) { lookAtEntry() }
    if isAbsent {
      // What comes back may be another file with the same number, or have been written to elsewhere.
      identity = nil
      report(nil)
    }
    if action.contains(.read) || (action.contains(.readIfOther) && isOther) { beginReading() }
    // The receiver may have called `stop`.
    if isStopped { return }
    if let deadline = state.deadline {
      schedule(&settleTimer, at: deadline) { [unowned self] in act(state.deadlinePassed()) }
    } else if let settleTimer {
      loop.cancel(settleTimer)
    }
    guard let interval = poll ?? FolderWatcher.poll(watchProblem: watchProblem, problem: reportedProblem) else {
      if let pollTimer { loop.cancel(pollTimer) }
      return
    }
    if let pollTimer {
      // One that was to look less often may be far off.
      if !pollTimer.isScheduled || loop.now.advanced(by: interval) < pollTimer.deadline {
        loop.schedule(pollTimer, at: watcher.nextPoll(after: pollTimer.deadline, every: interval))
      }
    } else {
      schedule(&pollTimer, at: watcher.firstPoll(every: interval)) { [unowned self] in pollNow() }
    }
  }

  /// Whether what is known of the way can be relied on.
  private var isWatched: Bool { poll == nil && watchProblem == nil }
  private var isAbsent: Bool { isWatched && outcome == .absent }

  private func schedule(_ timer: inout EventLoop.Timer?, at deadline: Instant, _ handler: @escaping () -> Void) {
    let known = timer ?? EventLoop.Timer(handler)
    timer = known
    loop.schedule(known, at: deadline)
  }

  private func pollNow() {
    polls += 1
    // Watching is tried again now and then.
    act(poll == nil && polls % 32 == 0 ? [.follow, .read] : .read)
  }

  private func follow() {
    if poll != nil { return }
    let found = watcher.follow(path, for: self)
    outcome = found.plan.outcome
    end = found.plan.end
    watchProblem = found.problem
  }

  /// Spares following the whole way for every file that is moved over another one.
  private func lookAtEntry() {
    guard let end else { return follow() }
    switch FolderInterest.look(end) {
    case .file, .folder: outcome = .present(end)
    case .missing: outcome = .absent
    case .link, .strangeLink, .failed: follow()
    }
  }

  /// Whether the path names another file than the one that was read last, or that one in another state.
  private var isOther: Bool {
    var status = stat()
    if stat(path, &status) < 0 { return false }
    if FileIdentity(status) != identity { return true }
    // Somebody who is writing here is not interrupted.
    return FileStamp(status) != lastStamp && state.deadline == nil && !state.isBeingWritten
  }

  // MARK: Reading

  private func beginReading(isLastTry: Bool = false) {
    if reading != nil {
      isOutdated = true
      return
    }
    identity = nil
    if isAbsent { return }
    if case .blocked(let reason) = outcome, isWatched { return report("\(path): \(reason)") }
    do throws(FileReading.Problem) {
      let opened = try FileReading(path: path)
      try readFirst(opened)
    } catch {
      // Somebody may have closed a folder on the way: then its permissions are watched from now on.
      if case .unusable = error, poll == nil, !isLastTry {
        follow()
        return beginReading(isLastTry: true)
      }
      fail(error)
    }
  }

  /// Reads the beginning and, if that is all, hands it out.
  private func readFirst(_ opened: consuming FileReading) throws(FileReading.Problem) {
    // One byte more than short content has tells whether there is more.
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.shortLimit + 1)
    defer { buffer.deallocate() }
    // Before it is read: what is written meanwhile makes it another state.
    let stamp = opened.stamp()
    let isAgain = stamp != nil && stamp == toldStamp
    lastStamp = stamp
    let count = try opened.read(into: buffer, path: path)
    identity = stamp?.identity
    report(nil)
    let content = UnsafeBufferPointer(rebasing: buffer[..<count])
    if count > 0 {
      state.foundContent()
    } else if state.isBeingWritten, opened.hasWriter == false {
      state.writerIsGone()
    }
    if count == 0, !state.foundEmpty(isFirst: !hasFoundContent, at: loop.now) {
      return
    }
    hasFoundContent = hasFoundContent || count > 0
    if count <= Self.shortLimit {
      toldStamp = stamp
      receiver?.receive(content: content.span, isAgain: isAgain)
      return
    }
    reading = consume opened
    isOutdated = false
    receiver?.beginLongContent(isAgain: isAgain)
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
      fail(error)
      return readAgainIfOutdated()
    }
    schedule(&sliceTimer, at: loop.now) { [unowned self] in readSlices() }
  }

  private func endReading() {
    if reading == nil { return }
    reading = nil
    toldStamp = lastStamp
    receiver?.endLongContent()
    readAgainIfOutdated()
  }

  private func readAgainIfOutdated() {
    if !isOutdated { return }
    isOutdated = false
    act(.read)
  }

  private func fail(_ problem: FileReading.Problem) {
    switch problem {
    case .missing: report(nil)
    case .unusable(let text): report(text)
    }
  }

  /// Tells the receiver what is wrong, once until it changes.
  private func report(_ problem: String?) {
    state.isFailing = problem != nil
    if problem == reportedProblem { return }
    reportedProblem = problem
    receiver?.fileProblem(problem)
  }
}
