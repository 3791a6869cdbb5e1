import SoundTrigger

/// A thread beside the event loop for calls that may hang: the caller waits for each at most for a limit.
///
/// Belongs to the event loop. While a call hangs no further one is made.
final class BoundedWorker {
  private let loop: EventLoop
  private let worker: BackgroundWorker
  private let limit: Duration
  /// The calls that have not returned within the limit.
  private var overdue = 0
  /// Called when the last call that did not return in time has returned after all.
  var recovered: () -> Void = {}

  /// `name` is as for `BackgroundWorker`.
  init(name: String, limit: Duration, on loop: EventLoop) throws(SystemError) {
    self.loop = loop
    self.limit = limit
    worker = try BackgroundWorker(name: name, on: loop)
  }

  /// Runs `job` on the thread, and then `completion` with its result on the event loop: `nil` if it does not return in time.
  func perform<Result: Sendable>(
    _ job: @escaping @Sendable () -> Result, then completion: @escaping (Result?) -> Void
  ) {
    if overdue > 0 { return completion(nil) }
    var isOverdue = false
    let timer = EventLoop.Timer { [unowned self] in
      isOverdue = true
      overdue += 1
      completion(nil)
    }
    loop.schedule(timer, at: loop.now.advanced(by: limit))
    worker.perform(job) { [unowned self] result in
      loop.cancel(timer)
      if !isOverdue { return completion(result) }
      overdue -= 1
      if overdue == 0 { recovered() }
    }
  }

  /// Ends. Returns whether a call is left behind, see `BackgroundWorker.stop`.
  func stop() -> Bool { worker.stop() }
}
