import CLinux

/// A thread for what blocks, because the threads that run tasks must not.
enum DetachedThread {
  private final class Job: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a thread of its own (pthread_create) that receives no signals. Nobody waits for its end.
  static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let job = Unmanaged.passRetained(Job(body))
    let error = clinux_start_thread(
      "soundd-remote",
      { argument in
        // What is passed below: the thread owns it from here on.
        guard let argument else { return }
        Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
      }, job.toOpaque())
    if error != 0 {
      job.release()
      throw SystemError("pthread_create", code: error)
    }
  }

  /// Runs `body` on a thread of its own and suspends the task until it returns.
  static func run<Success: Sendable>(
    _ body: @escaping @Sendable () throws(RemoteError) -> Success
  ) async throws(RemoteError) -> Success {
    let result: Result<Success, RemoteError> = await withCheckedContinuation { continuation in
      do throws(SystemError) {
        try start { continuation.resume(returning: Result(catching: body)) }
      } catch {
        continuation.resume(returning: .failure(.unavailable(error.description)))
      }
    }
    return try result.get()
  }
}
