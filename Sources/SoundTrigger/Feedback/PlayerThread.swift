import CLinux
import Glibc

/// Advances a `PlayerCore` by CLOCK_MONOTONIC: at its deadlines, and when the audio thread reports. It also keeps the device.
///
/// Safety of `@unchecked Sendable`: the state is under a lock, and the output's device is touched under the core's lock.
final class PlayerThread: PlayerClock, @unchecked Sendable {
  private struct State: Sendable {
    var thread: pthread_t?
    var isStopping = false
    /// Whether the thread itself called `stop`, which then does not wait for its end.
    var stopsItself = false
    /// The result of an opening, from the thread that opened.
    var opened: OpenedDevice?
    /// Wakes this thread for it; `nil` before there is one.
    var wake: (@Sendable () -> Void)?
    var waiters: [@Sendable () -> Void] = []
  }

  private let output: Output
  /// The output's, which never changes: any thread may signal it, while `output` belongs to the core's lock.
  private let report: Int32
  private let state: Locked<State>
  /// Under the core's lock.
  private var upkeep: DeviceUpkeep
  /// Why an opening does not return, until it is reported. Under the core's lock.
  private var blocked: OutputError?
  /// An eventfd: readable when the thread has ended.
  private let ended: Int32
  /// An eventfd: readable when everything has been played that `waitUntilSilent` waits for.
  private let silent: Int32

  /// Starts the output, the core and the thread.
  static func start(_ settings: OutputSettings, locator: SoundLocator) throws -> PlayerCore {
    let state = Locked(State())
    let isWanted = settings.device != OutputSettings.noDevice
    let opened = isWanted ? OpenedDevice.openSoon(settings) { deliver($0, to: state) } : nil
    let output = try Output(settings, opened: opened)
    let clock = PlayerThread(output, state)
    guard clock.ended >= 0, clock.silent >= 0 else {
      throw OutputError(SystemError("eventfd"), device: settings.device)
    }
    let core = PlayerCore(output, locator: locator, clock: clock) { [unowned clock] in clock.willPlay() }
    // The thread alone holds the box when it takes the core out of it.
    let box = Locked<PlayerCore?>(core)
    do throws(SystemError) {
      try DetachedThread.start("SoundTrigger") {
        if let core = box.withLock({ $0.take() }) { PlayerThread.run(core) }
      }
    } catch {
      throw OutputError(error, device: settings.device)
    }
    return core
  }

  private init(_ output: Output, _ state: Locked<State>) {
    self.output = output
    report = output.reportDescriptor
    self.state = state
    upkeep = DeviceUpkeep(output.settings)
    ended = clinux_eventfd()
    silent = clinux_eventfd()
    if let error = output.deviceError {
      if error.isSilence { upkeep.openingBlocks() } else { upkeep.failed(at: now) }
    } else {
      upkeep.opened(at: now)
    }
    let report = output.reportOwner
    state.withLock { $0.wake = { report.signal() } }
  }

  /// Gives the thread what an opening came to. If the thread has ended, closes the device.
  private static func deliver(_ opened: OpenedDevice, to state: Locked<State>) {
    let wake = state.withLock { state -> (@Sendable () -> Void)? in
      if state.isStopping { return { opened.close() } }
      state.opened = opened
      return state.wake
    }
    wake?()
  }

  deinit {
    close(ended)
    close(silent)
  }

  var now: Instant { Output.now }

  func deadlineCameCloser() { wake() }

  /// Wakes the thread. It sleeps on the descriptor of the audio thread's reports.
  private func wake() { clinux_eventfd_signal(report) }

  var turns: PendingTurns? { nil }

  func sleep(for duration: Duration, isolation: isolated (any Actor)?) async throws {
    try await Task.sleep(for: duration, clock: .suspending)
  }

  func silence() async {
    await withCheckedContinuation { continuation in
      state.withLock { $0.waiters.append { continuation.resume() } }
      wake()
    }
  }

  /// Blocks until all that was started has been played.
  func waitUntilSilent() {
    state.withLock { $0.waiters.append { [silent] in clinux_eventfd_signal(silent) } }
    wake()
    wait(for: silent)
    _ = clinux_drain(silent)
  }

  /// Blocks until an eventfd is readable. A signal interrupts ppoll.
  private func wait(for descriptor: Int32) {
    while clinux_wait(descriptor, Int16(POLLIN), -1) < 0, errno == EINTR {}
  }

  /// Ends the thread and waits for that, unless the thread itself calls it.
  func stop() {
    let isOwn = state.withLock { state in
      state.isStopping = true
      state.stopsItself = state.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false
      return state.stopsItself
    }
    wake()
    if !isOwn { wait(for: ended) }
  }

  // MARK: The thread

  private static func run(_ core: consuming PlayerCore) {
    guard let clock = core.clock as? PlayerThread else { return }
    clock.loop(core)
    let ended = clock.state.withLock { $0.stopsItself } ? nil : clock.ended
    // Released first, so that the caller of `stop` is the last to hold the output, and closes the device.
    _ = consume core
    _ = consume clock
    if let ended { clinux_eventfd_signal(ended) }
  }

  private func loop(_ core: PlayerCore) {
    state.withLock { $0.thread = pthread_self() }
    while true {
      let (deadline, error) = core.advance()
      if let error { core.report(.device("\(error)")) }
      finishOpening(core)
      let upkeepDeadline = core.perform { _, now in keepDevice(core, error, at: now) }
      if let blocked = core.perform({ _, _ in blocked.take() }) { core.report(.device("\(blocked)")) }
      callWaiters(of: core)
      // After `advance`, which takes the signal of `stop`.
      if state.withLock({ $0.isStopping }) { break }
      let next = Instant.earlier(deadline, upkeepDeadline)
      let timeout = next.map { max(0, now.duration(to: $0).nanoseconds) } ?? -1
      _ = clinux_wait(report, Int16(POLLIN), timeout)
    }
    for call in takeWaiters() { call() }
    if let opened = state.withLock({ $0.opened.take() }) { output.discard(opened) }
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

  // MARK: The device, under the core's lock

  func willPlay() {
    let before = upkeep.deadline
    if let action = upkeep.willPlay(on: output, at: now) { act(action) }
    if let deadline = upkeep.deadline, before.map({ deadline < $0 }) ?? true { wake() }
  }

  private func keepDevice(_ core: PlayerCore, _ error: OutputError?, at now: Instant) -> Instant? {
    if error != nil { upkeep.lost(at: now) }
    if let action = upkeep.update(output, at: now) { act(action) }
    return upkeep.deadline
  }

  private func act(_ action: DeviceUpkeep.Action) {
    switch action {
    case .open: open()
    case .stopHolding: output.stopHolding()
    case .reportBlockedOpening: blocked = output.openingBlocks()
    case .release: output.release()
    case .takeBackRelease: output.takeBackRelease()
    // The thread then collects why.
    case .abandon: output.abandon()
    }
  }

  /// Opens the device on a thread of its own.
  private func open() {
    let open = output.beginOpening()
    do throws(SystemError) {
      try BoundedCall.start("sound-open") { [state] in Self.deliver(open(), to: state) }
    } catch {
      output.stopHolding()
      upkeep.failed(at: now)
    }
  }

  /// Takes the result of an opening. Reports why it failed, unless that is known already.
  private func finishOpening(_ core: PlayerCore) {
    guard let opened = state.withLock({ $0.opened.take() }) else { return }
    let new: OutputError? = core.perform { _, now in
      if output.isAtAnotherRate(opened) {
        output.discard(opened)
        act(upkeep.reopens(at: now))
        return nil
      }
      let wasReleased = output.isReleased
      let error = output.finishOpening(opened)
      if error == nil { upkeep.opened(at: now) } else { upkeep.failed(at: now) }
      return wasReleased ? error : nil
    }
    if let new { core.report(.device("\(new)")) }
  }
}
