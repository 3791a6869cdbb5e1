import Glibc
import SoundTrigger

/// How many entries a folder has, hidden ones included, counted whenever entries come or go, or on a timer.
///
/// They are counted anew each time, so that the number never drifts. A folder that is missing has no number: its last one
/// counts.
final class CountSource: ValueFeeder {
  /// How many entries are counted before others get their turn.
  private static let slice = 4096

  private let path: String
  private let loop: EventLoop
  private unowned let receiver: any ContentReceiver
  private var watch: PathWatch?
  private var state = FolderCountState()
  private var reading: FolderReading?
  /// All of it has been read.
  private var isComplete = false
  /// Whether a number was handed out.
  private var hasCounted = false
  /// The path may lead to another folder since the count began.
  private var isOutdated = false
  private var settleTimer: EventLoop.Timer?
  private var sliceTimer: EventLoop.Timer?
  private var isStopped = false

  /// Prepares to count what lies in the folder at `path`; `poll` looks on a timer instead of watching. `receiver` has to outlive
  /// it.
  init(path: String, poll: Duration?, watcher: FolderWatcher, on loop: EventLoop, receiver: any ContentReceiver) {
    self.path = path
    self.loop = loop
    self.receiver = receiver
    watch = PathWatch(path, .entries, poll: poll, watcher: watcher, on: loop) { [unowned self] in look($0) }
    settleTimer = EventLoop.Timer { [unowned self] in count() }
    sliceTimer = EventLoop.Timer { [unowned self] in countOn() }
  }

  deinit { stop() }

  var watchProblem: String? { watch?.problem }

  func start() {
    watch?.start()
    count()
  }

  func stop() {
    isStopped = true
    watch?.stop()
    for timer in [settleTimer, sliceTimer] { if let timer { loop.cancel(timer) } }
    reading = nil
  }

  private func look(_ reason: PathWatch.Reason) {
    if reason.contains(.entries) { state.changed(at: loop.now) }
    if reason.contains(.way) { count() } else { settle() }
  }

  /// Waits for what is due; what comes or goes during a count is looked at after it.
  private func settle() {
    guard !isStopped, reading == nil, let settleTimer, let deadline = state.deadline else { return }
    loop.schedule(settleTimer, at: deadline)
  }

  private func count() {
    if isStopped { return }
    if reading != nil {
      isOutdated = true
      return
    }
    isOutdated = false
    state.countBegan()
    do throws(FileReading.Problem) {
      reading = try FolderReading(path: path)
      try readOn()
    } catch {
      fail(error)
    }
  }

  private func countOn() {
    do throws(FileReading.Problem) {
      try readOn()
    } catch {
      fail(error)
    }
  }

  /// Counts a slice.
  ///
  /// What happened while it was counted is known in the turn after the last slice; the first number of all, which is
  /// nobody's change, does not wait for that.
  private func readOn() throws(FileReading.Problem) {
    if isComplete { return finish() }
    guard let isAtEnd = try reading?.readOn(limit: Self.slice, path: path) else { return }
    isComplete = isAtEnd
    if isAtEnd, !hasCounted { return finish() }
    if let sliceTimer { loop.schedule(sliceTimer, at: loop.now) }
  }

  private func finish() {
    let number = reading?.count ?? 0
    reading = nil
    isComplete = false
    watch?.report(nil, to: receiver)
    if state.counted(at: loop.now) {
      hasCounted = true
      let text = Array(String(number).utf8)
      receiver.receive(content: text.span, isAgain: true)
    }
    if isOutdated { count() } else { settle() }
  }

  private func fail(_ problem: FileReading.Problem) {
    reading = nil
    isComplete = false
    switch problem {
    case .missing: watch?.report(nil, to: receiver)
    case .unusable(let text): watch?.report(text, to: receiver)
    }
    if isOutdated { count() } else { settle() }
  }
}
