import CLinux

/// A thread for what blocks, because the threads that run tasks must not.
package enum DetachedThread {
  private final class Job: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a thread of its own (pthread_create) that receives no signals. Nothing waits for its end.
  ///
  /// `name` has at most 15 bytes. Returns an errno, 0 on success.
  package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Int32 {
    let job = Unmanaged.passRetained(Job(body))
    let error = clinux_start_thread(
      name,
      { argument in
        // It is passed below: the thread owns it from here on.
        guard let argument else { return }
        Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
      }, job.toOpaque())
    if error != 0 { job.release() }
    return error
  }
}
