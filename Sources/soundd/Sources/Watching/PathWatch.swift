import Glibc
import SoundTrigger

/// Calls back when it is time to read a path again: after events about it or about the way to it, or on a timer.
///
/// What the path names, and any folder on the way, may be missing, appear, vanish, be replaced, or be a symbolic link.
/// Without events it causes no wake-up, unless it polls.
///
/// It polls if the caller wants it, or below /proc and /sys, where inotify is mute. It also polls as long as some of the
/// folders cannot be watched, and more slowly while the path cannot be read.
final class PathWatch: FolderSubscriber {
  typealias Subject = PathWatchState.Subject

  /// How often to poll a path that cannot be watched.
  private static let fallbackPoll = Duration.seconds(1)
  /// How often to poll a path that could not be read for a reason that may pass without an event: too many open files, say.
  private static let troublePoll = Duration.seconds(10)
  /// Among how many polls there is one that tries again to watch the folders.
  private static let pollsBetweenFollows = 32

  let path: String
  private let poll: Duration?
  private var watcher: FolderWatcher
  private var loop: EventLoop
  private var read: (_ onlyIfOther: Bool) -> Void = { _ in }
  private var state: PathWatchState
  /// What events have asked for, to be done when the timer fires.
  private var pending: PathWatchState.Action = []
  /// Where the way ends, whether or not anything is there; `nil` if the way does not get that far.
  private var end: String?
  private var nextPoll: Instant?
  private var polls = 0
  /// Most paths need none.
  private lazy var timer = EventLoop.Timer { [weak self] in self?.timerFired() }
  private var reportedProblem: String?
  private(set) var isStopped = false
  /// Which entries of a folder matter, with the subject `files`.
  var concerns: (_ entry: String) -> Bool = { _ in true }
  /// Called if the path leads over other foreign mounts than those of the watcher's scope. It is not read then, and the
  /// callee stops the watch.
  var leave: (_ mounts: Set<String>) -> Void = { _ in }
  /// Why the folders cannot all be watched, so that the path is polled; `nil` if they are.
  private(set) var problem: String?

  /// Prepares to watch `path`, which is absolute or relative to the working folder.
  ///
  /// `poll` polls instead of watching; `nil` lets `automaticPoll` decide.
  init(_ path: String, _ subject: Subject, poll: Duration? = nil, watcher: FolderWatcher, on loop: EventLoop) {
    self.path = path
    self.poll = poll ?? Self.automaticPoll(path)
    self.watcher = watcher
    self.loop = loop
    state = PathWatchState(subject)
  }

  deinit {
    // A stopped one may be freed on another thread than the watcher's.
    if !isStopped { watcher.remove(self) }
  }

  /// How often to poll a path that inotify is mute about: those below /proc and /sys. `nil` for any other path.
  static func automaticPoll(_ path: String) -> Duration? { FolderWatcher.muteTree(of: path).map { _ in fallbackPoll } }

  /// Begins to watch. `read` is called whenever it is time to read the path, but not now. `onlyIfOther`: only if it
  /// names another file than the one that was read last.
  func start(_ read: @escaping (_ onlyIfOther: Bool) -> Void) {
    self.read = read
    follow()
    schedule()
  }

  /// Calls `read` no more, unless it is moved and started again.
  func stop() {
    if isStopped { return }
    isStopped = true
    watcher.remove(self)
    loop.cancel(timer)
  }

  /// Prepares a stopped watch to be started on another thread.
  func move(to watcher: FolderWatcher, on loop: EventLoop) {
    (self.watcher, self.loop) = (watcher, loop)
    state = PathWatchState(state.subject)
    (pending, end, nextPoll, polls, problem) = ([], nil, nil, 0, nil)
    state.isFailing = reportedProblem != nil
    isStopped = false
  }

  /// Whether something waits to be read.
  var isSettling: Bool { state.deadline != nil || !pending.isEmpty }

  /// Whether no other machine or program answers for the files on the way.
  var isOnLocalMount: Bool { watcher.poll == nil }

  /// Whether a writer may have the file open.
  var isBeingWritten: Bool { state.isBeingWritten }

  /// Calls `read` at a given time, unless events call it before.
  func readAgain(at time: Instant) {
    state.readAgain(at: time)
    schedule()
  }

  /// Passes on why the path cannot be read, once until that changes; `nil`: it can be read, or is missing.
  func report(_ problem: String?, to receiver: any ContentReceiver) {
    state.isFailing = problem != nil
    if problem == reportedProblem { return }
    reportedProblem = problem
    receiver.fileProblem(problem)
    if problem != nil {
      // A folder on the way may have been closed to us: follow it at once, so that its permissions are watched.
      polls = 0
      nextPoll = loop.now
    }
    schedule()
  }

  // MARK: Events

  func entryChanged(_ interest: FolderInterest, mask: UInt32) {
    if interest.kind == .contents, !concerns(interest.name) { return }
    act(soonOn: state.entryChanged(mask, kind: interest.kind, at: loop.now))
  }

  func anythingChanged() { act(soonOn: state.anythingChanged()) }

  func mountsChanged() { act(soonOn: state.mountsChanged()) }

  /// Acts on events by the timer: what events ask for together is done once, and many paths share the turns of the
  /// event loop.
  private func act(soonOn action: PathWatchState.Action) {
    pending.formUnion(action)
    schedule()
  }

  private func timerFired() {
    var action = pending
    pending = []
    if let deadline = state.deadline, deadline <= loop.now { action.formUnion(state.deadlinePassed()) }
    if let due = nextPoll, due <= loop.now {
      nextPoll = watcher.nextPoll(after: due, every: interval ?? Self.fallbackPoll)
      let isFollowed = problem == nil || polls % Self.pollsBetweenFollows == 0
      // If events are reported as well, a look that finds nothing new is no update.
      let isLook = poll == nil && problem == nil && reportedProblem == nil
      action.formUnion(isLook ? .readIfOther : .read)
      if isFollowed { action.insert(.follow) }
      polls += 1
    }
    act(action)
  }

  private func act(_ action: PathWatchState.Action) {
    if isStopped || action.isEmpty { return schedule() }
    if action.contains(.follow) || (action.contains(.followIfLink) && endsInLink) {
      follow()
    } else if problem != nil {
      leaveIfElsewhere(watcher.elsewhere(path))
    }
    if isStopped { return }
    watcher.willTouch(path)
    if action.contains(.read) { read(false) } else if action.contains(.readIfOther) { read(true) }
    schedule()
  }

  // MARK: Watching

  private func follow() {
    watcher.willTouch(path)
    if poll != nil { return leaveIfElsewhere(watcher.elsewhere(path)) }
    let way = watcher.follow(path, for: self, interests: interests)
    end = way.plan.end
    problem = way.problem
    leaveIfElsewhere(way.plan.elsewhere)
  }

  private func leaveIfElsewhere(_ mounts: Set<String>?) {
    guard let mounts else { return }
    stop()
    leave(mounts)
  }

  /// Whether the last step is anything but a file or folder with a fixed place. It saves following the whole way whenever a
  /// file is renamed over another one.
  private var endsInLink: Bool {
    switch end.map(FolderInterest.entry(at:)) {
    case .file, .folder, .missing: false
    case .link, .strangeLink, .failed, .elsewhere, nil: true
    }
  }

  /// What to watch on a way that was planned for the content of a file.
  private func interests(_ plan: FolderInterest.Plan) -> [FolderInterest] {
    switch state.subject {
    case .content, .lines: plan.interests
    case .presence: plan.interests(last: .entry)
    case .access: plan.interests(last: .permission)
    case .entries: plan.interests(last: .entry, inFolder: .entries)
    case .files: plan.interests(last: .content, inFolder: .contents, way: .way)
    }
  }

  // MARK: Timer

  /// How often to poll; `nil`: not at all.
  private var interval: Duration? {
    if let poll { return poll }
    // Sounds and configurations are not polled.
    if state.subject == .files { return problem == nil ? nil : Self.fallbackPoll }
    if problem != nil { return Self.fallbackPoll }
    return watcher.poll ?? (reportedProblem != nil ? Self.troublePoll : nil)
  }

  private func schedule() {
    // `read` may have called `stop`.
    if isStopped { return }
    if let interval {
      // The next poll may be far off if it was scheduled for a longer interval.
      nextPoll = min(nextPoll ?? watcher.firstPoll(every: interval), loop.now.advanced(by: interval))
    } else {
      nextPoll = nil
    }
    let deadline = Instant.earlier(state.deadline, nextPoll)
    // What is due keeps its turn, however many events come before that.
    if !pending.isEmpty, timer.isScheduled, timer.deadline <= loop.now { return }
    guard let next = pending.isEmpty ? deadline : loop.now else { return loop.cancel(timer) }
    if !timer.isScheduled || timer.deadline != next { loop.schedule(timer, at: next) }
  }
}
