import SoundTrigger

/// The threads that touch files for the daemon: one for all local file systems, and one for each foreign one that a path
/// leads over, or for several if it leads over several.
///
/// Each path starts on the local thread, which ends its way where a foreign mount begins; then the path moves to the thread of
/// that mount. So a mount that hangs stalls its own paths and nothing else. Belongs to the event loop, which never waits here.
final class FileThreads {
  /// How many threads may hang. Then further foreign mounts are not touched.
  static let mostStuck = 4
  /// How often paths that were not touched for that reason are tried again.
  private static let retryInterval = Duration.seconds(2)

  /// A path that is followed for somebody.
  private struct Subscription {
    let receive: (FileReport) -> Void
    /// The foreign mounts on its way, as far as they are known.
    var mounts: Set<String> = []
    /// The file, if it waits for a thread; `nil`: it has one.
    var parked: WatchedFile?
  }

  private let loop: EventLoop
  private var local: FileThread?
  private var foreign: [Set<String>: FileThread] = [:]
  private var subscriptions: [Int: Subscription] = [:]
  private var lastNumber = 0
  /// The subscriptions that wait for their first look.
  private var unbegun: Set<Int> = []
  /// Those who wait for all first looks, in their order, and until when.
  private var waiters: [(deadline: Instant, done: () -> Void)] = []
  private lazy var waiterTimer = EventLoop.Timer { [weak self] in self?.checkWaiters() }
  private lazy var retry = EventLoop.Timer { [weak self] in self?.retryParked() }
  private let names = MountScope([])
  /// Called when paths become unavailable (`true`) or answer again; the text names the mount.
  var onChange: (_ name: String, _ isStuck: Bool) -> Void = { _, _ in }

  init(on loop: EventLoop) throws(SystemError) {
    self.loop = loop
    local = try makeThread([])
  }

  private func makeThread(_ mounts: Set<String>) throws(SystemError) -> FileThread {
    try FileThread(mounts, on: loop) { [unowned self] in
      receive($0, $1)
    } stuckChanged: { [unowned self] in
      stuckChanged($0)
    }
  }

  // MARK: Paths

  /// Follows an absolute path until `close`, as `kind` does; returns a number for it. `receive` is called later, on the event loop.
  /// `poll` is as in `PathWatch`; `trims`: white space around a long content is dropped.
  func open(
    _ path: String, _ kind: ValueFeeder.Type, poll: Duration? = nil, trims: Bool = false,
    receive: @escaping (FileReport) -> Void
  ) -> Int {
    lastNumber += 1
    subscriptions[lastNumber] = Subscription(receive: receive)
    unbegun.insert(lastNumber)
    add(WatchedFile(lastNumber, path, kind, poll: poll, trims: trims), to: local)
    return lastNumber
  }

  /// Reports nothing more of a path.
  func close(_ number: Int) {
    guard let subscription = subscriptions.removeValue(forKey: number) else { return }
    if subscription.parked == nil, let thread = thread(subscription.mounts) {
      thread.remove(number)
      left(thread)
    }
    begun(number)
  }

  /// Why a path is unavailable; `nil` if it is not.
  func problem(of number: Int) -> String? {
    guard let subscription = subscriptions[number] else { return nil }
    if subscription.parked != nil {
      let name = names.description(of: subscription.mounts)
      return hasTooManyStuck
        ? "\(name) is not touched, because \(Self.mostStuck) other mounts do not answer"
        : "\(name) is not touched, because the system has no room for another thread"
    }
    guard let thread = thread(subscription.mounts), thread.isStuck else { return nil }
    return "\(name(of: thread)) does not answer"
  }

  /// Calls `done` when each path was looked at once or is unavailable, but at the latest after `FileExchange.patience`; never
  /// from here.
  func afterFirstLooks(_ done: @escaping () -> Void) {
    waiters.append((loop.now.advanced(by: FileExchange.patience), done))
    loop.schedule(waiterTimer, at: loop.now)
  }

  private func checkWaiters() {
    let isOver = unbegun.allSatisfy { problem(of: $0) != nil }
    let due = waiters.prefix { isOver || $0.deadline <= loop.now }
    waiters.removeFirst(due.count)
    if let next = waiters.first { loop.schedule(waiterTimer, at: next.deadline) }
    for waiter in due { waiter.done() }
  }

  /// Ends the threads without waiting for them; returns whether one of them works on something. See `FileThread.stop`.
  func stop() -> Bool {
    loop.cancel(retry)
    subscriptions = [:]
    let threads = foreign.values + [local].compactMap(\.self)
    // Each of them is ended.
    return threads.map { $0.stop() }.contains(true)
  }

  // MARK: Reports

  private func receive(_ number: Int, _ report: FileReport) {
    // Reports about a closed path may be on their way.
    guard var subscription = subscriptions[number] else { return }
    switch report {
    case .leaves(let file, let mounts):
      let before = thread(subscription.mounts)
      subscription.mounts = mounts
      subscriptions[number] = subscription
      move(file, to: mounts)
      if let before { left(before) }
    case .begun:
      subscription.receive(report)
      begun(number)
    default: subscription.receive(report)
    }
  }

  /// A subscription waits for its first look no longer.
  private func begun(_ number: Int) {
    unbegun.remove(number)
    if !waiters.isEmpty { loop.schedule(waiterTimer, at: loop.now) }
  }

  private func move(_ file: WatchedFile, to mounts: Set<String>) {
    if let thread = threadMakingIfNeeded(mounts) {
      add(file, to: thread)
    } else {
      subscriptions[file.number]?.parked = file
      loop.schedule(retry, at: loop.now.advanced(by: Self.retryInterval))
    }
    if !waiters.isEmpty { loop.schedule(waiterTimer, at: loop.now) }
  }

  private func add(_ file: WatchedFile, to thread: FileThread?) {
    thread?.fileCount += 1
    thread?.add(file)
  }

  private func left(_ thread: FileThread) {
    thread.fileCount -= 1
    endIfIdle(thread)
  }

  // MARK: Threads

  private func thread(_ mounts: Set<String>) -> FileThread? { mounts.isEmpty ? local : foreign[mounts] }

  /// `nil` if too many threads hang already, or the system has no room for one more.
  private func threadMakingIfNeeded(_ mounts: Set<String>) -> FileThread? {
    if let thread = thread(mounts) { return thread }
    if hasTooManyStuck { return nil }
    let thread = try? makeThread(mounts)
    foreign[mounts] = thread
    return thread
  }

  private var hasTooManyStuck: Bool { foreign.values.count(where: \.isStuck) >= Self.mostStuck }

  /// Tries what waits for a thread again: the local thread looks whether it still leads over that mount.
  private func retryParked() {
    for (number, subscription) in subscriptions.sorted(by: { $0.key < $1.key }) {
      guard let file = subscription.parked else { continue }
      subscriptions[number]?.parked = nil
      subscriptions[number]?.mounts = []
      add(file, to: local)
    }
  }

  /// Ends the thread of foreign mounts over which no path leads any more. One that hangs is left until it has recovered.
  private func endIfIdle(_ thread: FileThread) {
    if thread === local || thread.isStuck || thread.fileCount > 0 { return }
    foreign[thread.mounts] = nil
    thread.stop()
  }

  private func stuckChanged(_ thread: FileThread) {
    onChange(name(of: thread), thread.isStuck)
    if !waiters.isEmpty { loop.schedule(waiterTimer, at: loop.now) }
    if !thread.isStuck { endIfIdle(thread) }
  }

  private func name(of thread: FileThread) -> String {
    thread.mounts.isEmpty ? "the disk of \(thread.path)" : names.description(of: thread.mounts)
  }
}
