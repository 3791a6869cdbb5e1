extension DetachedThread {
  /// Runs `body` on a thread of its own and suspends the task until it returns.
  static func run<Success: Sendable>(
    _ body: @escaping @Sendable () throws(RemoteError) -> Success
  ) async throws(RemoteError) -> Success {
    let result: Result<Success, RemoteError> = await withCheckedContinuation { continuation in
      do throws(SystemError) {
        try start("soundd-remote") { continuation.resume(returning: Result(catching: body)) }
      } catch {
        continuation.resume(returning: .failure(.unavailable(error.description)))
      }
    }
    return try result.get()
  }
}
