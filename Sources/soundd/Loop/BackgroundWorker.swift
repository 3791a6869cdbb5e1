import CLinux
import Glibc
import SoundTrigger

/// A thread beside the event loop for slow work: decoding a sound, writing the state.
///
/// Jobs run one after the other, in the order of the calls; their completions run on the loop's thread, in the same order.
/// The worker belongs to that thread. At rest both threads sleep without a wake-up.
final class BackgroundWorker {
  private let loop: EventLoop
  private let exchange: Exchange
  private var token: EventLoop.Token?
  /// The completions of jobs that are not done, the next one first.
  private var completions: [() -> Void] = []
  private var isStopped = false

  /// Starts the thread. `name` has at most 15 bytes and is what top and gdb show.
  ///
  /// It has no real-time priority, whatever the calling thread has, and no signal is delivered to it.
  init(name: String, on loop: EventLoop) throws(SystemError) {
    self.loop = loop
    exchange = Exchange(
      wake: try Descriptor("eventfd") { clinux_eventfd() }, done: try Descriptor("eventfd") { clinux_eventfd() })
    token = try loop.add(exchange.done.raw, .readable) { [unowned self] _ in collect() }
    // The thread holds the exchange, and may outlive the worker.
    try DetachedThread.start(name) { [exchange] in exchange.run() }
  }

  deinit { stop() }

  /// Whether a job waits or runs, or its completion has not run yet.
  var isBusy: Bool { !completions.isEmpty }

  /// Runs `job` on the thread, and then `completion` with its result on the loop's thread.
  ///
  /// After `stop` neither starts; a job that runs already finishes without its completion. Never blocks.
  func perform<Result: Sendable>(
    _ job: @escaping @Sendable () -> Result, then completion: @escaping (Result) -> Void
  ) {
    if isStopped { return }
    let outcome = Guarded<Result?>(nil)
    completions.append {
      if let result = outcome.withLock({ $0.take() }) { completion(result) }
    }
    exchange.add {
      let result = job()
      outcome.withLock { $0 = result }
    }
  }

  /// Waits until all jobs are done, at most for `longest`, and runs their completions. For use while the loop does not run.
  func waitUntilIdle(for longest: Duration? = nil) {
    let end = longest.map { EventLoop.clock().advanced(by: $0) }
    while isBusy {
      let left = end.map { max(.zero, EventLoop.clock().duration(to: $0)) }
      _ = clinux_wait(exchange.done.raw, Int16(POLLIN), left?.nanoseconds ?? -1)
      collect()
      if left == .zero { return }
    }
  }

  /// Ends the thread without waiting for it: drops the jobs that wait, and leaves a running one behind.
  ///
  /// - Returns: whether a job was left behind. Then the process must end by `_exit`: what libraries tear down in `exit` may
  ///   be in that job's use.
  @discardableResult
  func stop() -> Bool {
    if !isStopped {
      isStopped = true
      if let token { loop.remove(token) }
      token = nil
      completions = []
      exchange.end()
    }
    return exchange.isWorking
  }

  /// Runs the completions of all jobs that are done.
  private func collect() {
    for _ in 0..<exchange.collectDone() {
      // A completion may have called `stop`.
      if completions.isEmpty { return }
      let completion = completions.removeFirst()
      completion()
    }
  }
}

/// The state that both threads share.
private final class Exchange: Sendable {
  private struct State: Sendable {
    var jobs: [@Sendable () -> Void] = []
    /// Jobs that are done and that the loop has not collected yet.
    var done = 0
    var isWorking = false
    var isEnding = false
  }

  /// Wakes the thread.
  private let wake: Descriptor
  /// Wakes the loop.
  let done: Descriptor
  private let state = Guarded(State())

  init(wake: consuming Descriptor, done: consuming Descriptor) {
    self.wake = wake
    self.done = done
  }

  // MARK: The loop's side

  func add(_ job: @escaping @Sendable () -> Void) {
    state.withLock { state in state.jobs.append(job) }
    clinux_eventfd_signal(wake.raw)
  }

  /// How many jobs were done since the last call.
  func collectDone() -> Int {
    _ = clinux_drain(done.raw)
    return state.withLock { state in
      defer { state.done = 0 }
      return state.done
    }
  }

  func end() {
    let dropped = state.withLock { state in
      defer { state.jobs = [] }
      state.isEnding = true
      return state.jobs
    }
    clinux_eventfd_signal(wake.raw)
    // Released here, not under the lock.
    _ = consume dropped
  }

  var isWorking: Bool { state.withLock { $0.isWorking } }

  // MARK: The thread's side

  func run() {
    while true {
      while let job = next() {
        job()
        state.withLock { state in
          state.isWorking = false
          state.done += 1
        }
        clinux_eventfd_signal(done.raw)
      }
      if state.withLock({ $0.isEnding }) { return }
      _ = clinux_wait(wake.raw, Int16(POLLIN), -1)
      _ = clinux_drain(wake.raw)
    }
  }

  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      if state.isEnding || state.jobs.isEmpty { return nil }
      state.isWorking = true
      return state.jobs.removeFirst()
    }
  }
}
