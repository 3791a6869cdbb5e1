import CLinux
import Glibc
import SoundTrigger

/// A thread beside the event loop for what may take long: decoding a sound, opening a device.
///
/// Jobs run one after the other, in the order in which they were given; each one's completion runs on the loop's thread, in
/// the same order. It belongs to that thread. At rest both threads sleep without a wake-up.
final class BackgroundWorker {
  private let loop: EventLoop
  private let exchange: Exchange
  private var token: EventLoop.Token?
  /// What is to be done with the results still to come, the next one first.
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
    let argument = Unmanaged.passRetained(exchange)
    let error = clinux_start_thread(
      name,
      { argument in
        // What `init` passes below: the thread owns it from here on, and may outlive the worker.
        guard let argument else { return }
        Unmanaged<Exchange>.fromOpaque(argument).takeRetainedValue().run()
      }, argument.toOpaque())
    if error != 0 {
      argument.release()
      throw SystemError("pthread_create", name, code: error)
    }
  }

  deinit { stop() }

  /// Whether a job waits or is under way, or its completion has not run yet.
  var isBusy: Bool { !completions.isEmpty }

  /// Runs `job` on the thread, and then `completion` with its result on the loop's thread.
  ///
  /// Neither runs once `stop` was called; a job that is under way then runs on, but its completion does not. Never blocks.
  func perform<Result: Sendable>(
    _ job: @escaping @Sendable () -> Result, then completion: @escaping (Result) -> Void
  ) {
    if isStopped { return }
    let outcome = Locked<Result?>(nil)
    completions.append {
      if let result = outcome.withLock({ $0.take() }) { completion(result) }
    }
    exchange.add {
      let result = job()
      outcome.withLock { $0 = result }
    }
  }

  /// Waits until all jobs are done, or with `longest` until that is over, and runs the completions of what is done: for a
  /// time at which the loop does not turn.
  func waitUntilIdle(for longest: Duration? = nil) {
    let end = longest.map { EventLoop.clock().advanced(by: $0) }
    while isBusy {
      let left = end.map { max(.zero, EventLoop.clock().duration(to: $0)) }
      _ = clinux_wait(exchange.done.raw, Int16(POLLIN), left?.nanoseconds ?? -1)
      collect()
      if left == .zero { return }
    }
  }

  /// Ends the thread without waiting for it: a job that is under way is left behind, those that wait are dropped.
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
    for _ in 0..<exchange.takeDone() {
      // A completion may have called `stop`.
      if completions.isEmpty { return }
      let completion = completions.removeFirst()
      completion()
    }
  }
}

/// What both threads share.
private final class Exchange: Sendable {
  private struct State: Sendable {
    var jobs: [@Sendable () -> Void] = []
    /// Jobs that are done and not yet told to the loop.
    var done = 0
    var isWorking = false
    var isEnding = false
  }

  /// Rouses the thread.
  private let wake: Descriptor
  /// Rouses the loop.
  let done: Descriptor
  private let state = Locked(State())

  init(wake: consuming Descriptor, done: consuming Descriptor) {
    self.wake = wake
    self.done = done
  }

  // MARK: The loop's side

  func add(_ job: @escaping @Sendable () -> Void) {
    state.withLock { state in state.jobs.append(job) }
    clinux_eventfd_signal(wake.raw)
  }

  /// How many jobs were done since the last time.
  func takeDone() -> Int {
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
    // Let go of here, not under the lock.
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
