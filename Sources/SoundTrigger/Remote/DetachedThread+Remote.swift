extension DetachedThread {
  /// Runs `body` on a thread of its own (pthread_create) that receives no signals. Nothing waits for its end.
  static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let error = start("soundd-remote", body)
    if error != 0 { throw SystemError("pthread_create", code: error) }
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
