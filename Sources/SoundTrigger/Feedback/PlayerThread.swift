import Glibc

/// Advances a `PlayerCore` by CLOCK_MONOTONIC: at its deadlines, and when the audio thread reports.
final class PlayerThread: PlayerClock {
  private struct State: Sendable {
    var thread: pthread_t?
    var isStopping = false
    /// Whether the thread itself called `stop`, which then does not wait for its end.
    var stopsItself = false
    var waiters: [@Sendable () -> Void] = []
  }

  private let state = Guarded(State())
  /// The output's. The thread sleeps on it, so any thread may signal it.
  private let report: EventDescriptor
  /// Readable when the thread has ended.
  private let ended: EventDescriptor
  /// Readable when everything has been played that `waitUntilSilent` waits for.
  private let silent: EventDescriptor

  /// Starts the output, the core and the thread. Blocks while the device opens, at most for `BoundedCall.patience`.
  static func start(_ settings: OutputSettings, locator: SoundLocator) throws(OutputError) -> PlayerCore {
    let opener = try DeviceOpener(settings)
    opener.begin()
    opener.wait()
    let device = try DeviceDriver(opener, at: Output.now)
    do throws(SystemError) {
      let core = PlayerCore(
        device.output, locator: locator, clock: try PlayerThread(opener.report), device: device)
      // The thread alone holds the box when it takes the core out of it.
      let box = Guarded<PlayerCore?>(core)
      try DetachedThread.start("SoundTrigger") {
        if let core = box.withLock({ $0.take() }) { PlayerThread.run(core) }
      }
      return core
    } catch {
      throw OutputError(error, device: settings.device)
    }
  }

  private init(_ report: EventDescriptor) throws(SystemError) {
    self.report = report
    ended = try EventDescriptor()
    silent = try EventDescriptor()
  }

  var now: Instant { Output.now }

  func deadlineCameCloser() { report.signal() }

  var turns: PendingTurns? { nil }

  func sleep(for duration: Duration, isolation: isolated (any Actor)?) async throws {
    try await Task.sleep(for: duration, clock: .suspending)
  }

  func silence() async {
    await withCheckedContinuation { continuation in
      state.withLock { $0.waiters.append { continuation.resume() } }
      report.signal()
    }
  }

  /// Blocks until all that was started has been played.
  func waitUntilSilent() {
    state.withLock { $0.waiters.append { [silent] in silent.signal() } }
    report.signal()
    silent.wait()
    silent.drain()
  }

  /// Ends the thread and waits for that, unless the thread itself calls it.
  func stop() {
    let isOwn = state.withLock { state in
      state.isStopping = true
      state.stopsItself = state.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false
      return state.stopsItself
    }
    report.signal()
    if !isOwn { ended.wait() }
  }

  // MARK: The thread

  private static func run(_ core: consuming PlayerCore) {
    guard let clock = core.clock as? PlayerThread else { return }
    clock.loop(core)
    let ended = clock.state.withLock { $0.stopsItself } ? nil : clock.ended
    // Released first, so that the caller of `stop` is the last to hold the output, and closes the device.
    _ = consume core
    _ = consume clock
    ended?.signal()
  }

  private func loop(_ core: PlayerCore) {
    state.withLock { $0.thread = pthread_self() }
    while true {
      let deadline = core.advance()
      callWaiters(of: core)
      // After `advance`, which takes the signal of `stop`.
      if state.withLock({ $0.isStopping }) { break }
      report.wait(for: deadline.map { max(.zero, now.duration(to: $0)) })
    }
    for call in takeWaiters() { call() }
  }

  /// Calls those who wait for silence, if it is silent.
  private func callWaiters(of core: PlayerCore) {
    // First, because what they have started before must count.
    let waiters = takeWaiters()
    if waiters.isEmpty { return }
    if core.isSilent {
      for call in waiters { call() }
    } else {
      state.withLock { $0.waiters = waiters + $0.waiters }
    }
  }

  private func takeWaiters() -> [@Sendable () -> Void] {
    state.withLock { state in
      defer { state.waiters = [] }
      return state.waiters
    }
  }
}
