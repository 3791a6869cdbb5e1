import CLinux
import Glibc

/// A thread for what blocks, because the threads that run tasks must not.
package enum DetachedThread {
  private final class Job: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a thread of its own (pthread_create) that receives no signals. Nothing waits for its end.
  ///
  /// `name` has at most 15 bytes and is what top and gdb show.
  package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let job = Unmanaged.passRetained(Job(body))
    let error = clinux_start_thread(
      name,
      { argument in
        // It is passed below: the thread owns it from here on.
        guard let argument else { return }
        Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
      }, job.toOpaque())
    if error == 0 { return }
    job.release()
    throw SystemError("pthread_create", name, code: error)
  }

  /// Runs `body` on this thread and at the same time on `others` more, and waits until it has returned on all of them.
  ///
  /// There are fewer threads if the system refuses them.
  static func concurrently(_ name: String, others: Int, _ body: @escaping @Sendable () -> Void) {
    let done = others > 0 ? clinux_eventfd() : -1
    var running = 0
    if done >= 0 {
      let job: @Sendable () -> Void = {
        body()
        clinux_eventfd_signal(done)
      }
      for _ in 0..<others where (try? start(name, job)) != nil { running += 1 }
    }
    body()
    while running > 0 {
      _ = clinux_wait(done, Int16(POLLIN), -1)
      running -= Int(clinux_drain(done))
    }
    if done >= 0 { close(done) }
  }

  /// Runs `body` on a thread whose prints go nowhere (`clinux_call_quietly`), and waits for it; on this thread if the system refuses one.
  ///
  /// A descriptor that was opened before is not open in `body`.
  static func quietly<Returned, Problem>(_ body: () throws(Problem) -> Returned) throws(Problem) -> Returned {
    var result: Result<Returned, Problem>?
    withoutActuallyEscaping(body) { body in
      let work = QuietWork { result = Result { () throws(Problem) in try body() } }
      withExtendedLifetime(work) {
        _ = clinux_call_quietly(
          "soundd-decoder",
          { argument in
            guard let argument else { return }
            Unmanaged<QuietWork>.fromOpaque(argument).takeUnretainedValue().body()
          }, Unmanaged.passUnretained(work).toOpaque())
      }
    }
    return if let result { try result.get() } else { try body() }
  }

  private final class QuietWork {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }
}
