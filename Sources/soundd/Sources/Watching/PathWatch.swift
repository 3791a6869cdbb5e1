import Glibc
import SoundTrigger

/// Calls back when it is time to read a path again: after events about it or about the way to it, or on a timer.
///
/// What the path names, and any folder on the way, may be missing, appear, vanish, be replaced, or be a symbolic link.
/// Without events it causes no wake-up, unless it polls: see `PathWatchState.Mode`.
final class PathWatch: FolderSubscriber {
  typealias Subject = PathWatchState.Subject

  /// How often to poll a path that cannot be watched.
  private static let fallbackPoll = Duration.seconds(1)
  /// How often to try a path that could not be read for a reason that may pass without an event: too many open files, say.
  private static let problemPoll = Duration.seconds(10)

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
  /// Most paths need none.
  private lazy var timer = EventLoop.Timer { [weak self] in self?.timerFired() }
  /// Why the path cannot be read, as far as that was reported.
  private var reportedProblem: String?
  /// Why events do not report all changes, although they should; `nil` if they do.
  private(set) var problem: String?
  /// Called after the watch has stopped, because the path leads over other foreign mounts than those of the watcher's scope.
  var leave: (_ mounts: Set<String>) -> Void = { _ in }

  /// Prepares to watch an absolute path. `poll` polls instead of watching.
  init(_ path: String, _ subject: Subject, poll: Duration? = nil, watcher: FolderWatcher, on loop: EventLoop) {
    self.path = path
    self.poll = poll
    self.watcher = watcher
    self.loop = loop
    state = PathWatchState(subject)
  }

  deinit {
    // A stopped one may be freed on another thread than the watcher's.
    if !isStopped { watcher.remove(self) }
  }

  /// Begins to watch. Calls `read` later, whenever it is time to read the path. With `onlyIfOther` a file that was read last
  /// need not be read again.
  func start(_ read: @escaping (_ onlyIfOther: Bool) -> Void) {
    self.read = read
    state.mode = mode
    follow()
    schedule()
  }

  /// Calls `read` no more, unless it is moved and started again.
  func stop() {
    if isStopped { return }
    state.mode = .stopped
    watcher.remove(self)
    loop.cancel(timer)
  }

  /// Prepares a stopped watch to be started on another thread.
  func move(to watcher: FolderWatcher, on loop: EventLoop) {
    (self.watcher, self.loop) = (watcher, loop)
    state = PathWatchState(state.subject)
    (pending, end, nextPoll, problem) = ([], nil, nil, nil)
  }

  var isStopped: Bool { state.mode == .stopped }

  /// Whether something waits to be read.
  var awaitsReading: Bool { state.deadline != nil || !pending.isEmpty }

  /// Whether no other machine or program answers for the files on the way.
  var isOnLocalMount: Bool { watcher.scope.mounts.isEmpty }

  /// Whether a writer may have the file open.
  var isBeingWritten: Bool { state.isBeingWritten }

  /// Calls `read` at a given time, unless events call it before.
  func readAgain(at time: Instant) {
    state.readAgain(at: time)
    schedule()
  }

  /// Restarts the time after which the thread counts as stuck, because a long read has made progress.
  func noteProgress() { watcher.willTouch(path) }

  /// Reports why the path cannot be read, if that has changed. `problem` is `nil` if it can be read, or is missing.
  func report(_ problem: String?, to receiver: any ContentReceiver) {
    if problem == reportedProblem { return }
    reportedProblem = problem
    if !isStopped { state.mode = mode }
    receiver.fileProblem(problem)
    // A folder on the way may have been closed to us: it is followed at once, so that its permissions are watched.
    if problem == nil { schedule() } else { act(soonOn: [.follow, .read]) }
  }

  // MARK: Events

  func entryChanged(_ kind: FolderInterest.Kind, mask: UInt32) {
    act(soonOn: state.entryChanged(mask, kind: kind, at: loop.now))
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
    var action = pending.union(state.timePassed(loop.now))
    pending = []
    if let due = nextPoll, due <= loop.now {
      nextPoll = nil
      action.formUnion(state.lookIsDue())
    }
    if !action.isEmpty { act(action) }
    schedule()
  }

  private func act(_ action: PathWatchState.Action) {
    // Without events nothing reports that a link on the way now leads to a mount that must not be touched.
    let isBlind = if case .polling = state.mode { true } else { false }
    if action.contains(.follow) || isBlind || (action.contains(.followIfLink) && endsInLink) { follow() }
    if isStopped { return }
    watcher.willTouch(path)
    if action.contains(.read) { read(false) } else if action.contains(.readIfOther) { read(true) }
  }

  // MARK: Watching

  private func follow() {
    watcher.willTouch(path)
    let plan =
      poll == nil
      ? watcher.follow(path, for: self, interests: state.interests) : watcher.scope.plan(for: path)
    if let mounts = plan.elsewhere {
      stop()
      return leave(mounts)
    }
    end = plan.end
    // Below /proc and /sys missing events are expected, so they are no problem.
    problem = FolderWatcher.muteTree(of: path) == nil ? plan.problem : nil
    state.mode = mode
  }

  /// How changes are noticed from now on.
  private var mode: PathWatchState.Mode {
    if let poll { return .polling(every: poll) }
    if problem != nil || FolderWatcher.muteTree(of: path) != nil { return .polling(every: Self.fallbackPoll) }
    if state.subject == .files { return .watching }
    let mode = isOnLocalMount ? PathWatchState.Mode.watching : .foreign
    return reportedProblem == nil ? mode : .unreadable(every: mode.interval ?? Self.problemPoll)
  }

  /// Whether the last step is a link or cannot be examined. Otherwise, after a rename over a file, `act` need not follow the
  /// whole way.
  private var endsInLink: Bool {
    switch end.map(PathPlan.entry(at:)) {
    case .file, .folder, .missing: false
    case .link, .closed, .elsewhere, nil: true
    }
  }

  // MARK: Timer

  private func schedule() {
    // `read` may have called `stop`.
    if isStopped { return }
    // The next poll may be far off if it was scheduled for a longer interval.
    nextPoll = state.mode.interval.map { interval in
      // All that have the same interval poll together, so that they wake the machine once.
      let length = max(1, interval.nanoseconds)
      let next = Instant(nanoseconds: (loop.now.nanoseconds / length + 1) * length)
      return min(nextPoll ?? next, next)
    }
    // What is due keeps its turn, however many events come before that.
    if !pending.isEmpty, timer.isScheduled, timer.deadline <= loop.now { return }
    guard let next = pending.isEmpty ? Instant.earlier(state.deadline, nextPoll) : loop.now else {
      return loop.cancel(timer)
    }
    if !timer.isScheduled || timer.deadline != next { loop.schedule(timer, at: next) }
  }
}
