import Glibc
import SoundTrigger

/// Tells when to look at a path again: because something happened to what it names or on the way to it, or on a timer.
///
/// What it names and any folder on the way may be missing, appear, vanish, be replaced, or be symbolic links. While
/// nothing happens it costs no wake-up, unless it looks on a timer.
final class PathWatch: FolderSubscriber {
  /// What about the path is watched.
  enum Subject {
    /// Its coming, its going, and what is written to it.
    case content
    /// Its coming and going alone.
    case presence
    /// The same, and its permissions.
    case access
    /// Its coming and going, and those of the entries of the folder that it names.
    case entries
  }

  /// Why to look.
  struct Reason: OptionSet {
    var rawValue: UInt8
    /// What the path names may be another thing than before, or gone; the timer, too.
    static let way = Reason(rawValue: 1)
    /// What it names was written to.
    static let written = Reason(rawValue: 2)
    /// Entries of the folder came or went.
    static let entries = Reason(rawValue: 4)
  }

  let path: String
  private let subject: Subject
  private let poll: Duration?
  private let watcher: FolderWatcher
  private let loop: EventLoop
  private let look: (Reason) -> Void
  private var reason: Reason = []
  private var reportedProblem: String?
  private var pollTimer: EventLoop.Timer?
  /// Whether it has looked on a timer before.
  private var looks = false
  private var isStopped = false
  /// Why the folders cannot all be watched, so that it looks on a timer; `nil`: they are.
  private(set) var problem: String?

  /// Calls `look` whenever there is a reason, from `start` on; `poll` looks on a timer instead of watching.
  init(
    _ path: String, _ subject: Subject, poll: Duration?, watcher: FolderWatcher, on loop: EventLoop,
    look: @escaping (Reason) -> Void
  ) {
    self.path = path
    self.subject = subject
    self.poll = poll
    self.watcher = watcher
    self.loop = loop
    self.look = look
    pollTimer = EventLoop.Timer { [unowned self] in
      follow()
      look(.way)
      schedule()
    }
  }

  deinit { stop() }

  /// Begins to watch: what happens from now on is told. Does not call `look`.
  func start() {
    follow()
    schedule()
  }

  /// Tells the receiver what was found to be wrong with the path, once until it changes; `nil`: nothing any more.
  func report(_ problem: String?, to receiver: any ContentReceiver) {
    if problem == reportedProblem { return }
    reportedProblem = problem
    receiver.fileProblem(problem)
    // Somebody may have closed a folder on the way, and then its permissions are to be watched.
    if problem != nil, !isStopped, let pollTimer { loop.schedule(pollTimer, at: loop.now) }
  }

  /// Calls `look` no more.
  func stop() {
    isStopped = true
    watcher.remove(self)
    if let pollTimer { loop.cancel(pollTimer) }
  }

  private func follow() {
    if poll == nil { problem = watcher.follow(path, for: self, interests: interests).problem }
  }

  /// What to watch on a way that was planned for a file whose content matters.
  private func interests(_ plan: FolderInterest.Plan) -> [FolderInterest] {
    var interests = plan.interests
    if subject == .content { return interests }
    var folder: String?
    if subject == .entries, case .present(let real) = plan.outcome, FolderInterest.look(real) == .folder {
      folder = real
    }
    // A folder that is watched tells itself when it goes.
    if let last = interests.indices.last, interests[last].kind == .content {
      interests[last].kind = folder != nil ? .passage : subject == .access ? .permission : .entry
    }
    if let folder { interests.append(FolderInterest(folder: folder, name: "", kind: .entries)) }
    return interests
  }

  private func schedule() {
    // `look` may have called `stop`.
    guard !isStopped, let pollTimer else { return }
    guard let interval = poll ?? FolderWatcher.poll(watchProblem: problem, problem: reportedProblem) else {
      // What was wrong is over.
      return loop.cancel(pollTimer)
    }
    // One that was to look less often may be far off.
    if pollTimer.isScheduled, pollTimer.deadline <= loop.now.advanced(by: interval) { return }
    // Thousands do not all look in one moment.
    let next =
      looks ? watcher.nextPoll(after: pollTimer.deadline, every: interval) : watcher.firstPoll(every: interval)
    looks = true
    loop.schedule(pollTimer, at: next)
  }

  // MARK: Events

  func entryChanged(_ interest: FolderInterest, mask: UInt32) {
    let comings = mask & UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM) != 0
    switch interest.kind {
    case .entries: reason.insert(.entries)
    // Somebody may have given us the permission that was missing.
    case .content: reason.insert(comings || mask & UInt32(IN_ATTRIB) != 0 ? .way : .written)
    case .contents, .entry, .passage, .permission, .way: reason.insert(.way)
    }
  }

  func folderChanged() { reason.insert(.way) }

  func eventsLost() { reason.insert(.way) }

  func eventsEnded() {
    let reason = reason
    self.reason = []
    if isStopped || reason.isEmpty { return }
    if reason.contains(.way) { follow() }
    look(reason)
    schedule()
  }
}
