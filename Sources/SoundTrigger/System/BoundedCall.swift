import Synchronization

/// Calls that may never return, such as those of a device or a mount, each on a thread of its own.
package enum BoundedCall {
  /// How long a call may take, unless its caller says otherwise.
  package static let patience = Duration.seconds(1)

  private enum Outcome<Result: Sendable>: Sendable {
    /// The call has not returned, and its caller waits.
    case awaited
    /// It has returned.
    case returned(Result)
    /// The caller waits no longer.
    case abandoned
  }

  /// How many calls have not returned.
  private static let running = Atomic<Int>(0)

  /// Whether a call has not returned. If nobody waits for it any more, the process must end by `_exit`: what libraries tear down
  /// in `exit` may be in use.
  package static var isAnyLeftBehind: Bool { running.load(ordering: .acquiring) > 0 }

  static func began() { running.add(1, ordering: .relaxed) }
  static func ended() { running.subtract(1, ordering: .releasing) }

  /// Runs `call` and waits for its result, at most for `patience`.
  ///
  /// `nil`: it has not returned by then. The thread is left behind, and `late` receives the result there.
  package static func result<Result: Sendable>(
    within patience: Duration = patience, of call: @escaping @Sendable () -> Result,
    late: @escaping @Sendable (Result) -> Void = { _ in }
  ) -> Result? {
    guard let done = try? EventDescriptor() else { return call() }
    let outcome = Guarded(Outcome<Result>.awaited)
    let job: @Sendable () -> Void = {
      let result = call()
      let isAwaited = outcome.withLock { outcome in
        guard case .awaited = outcome else { return false }
        outcome = .returned(result)
        return true
      }
      if isAwaited { done.signal() } else { late(result) }
    }
    // Without a thread it is called here, as there is no better way.
    do throws(SystemError) { try start("sound-call", job) } catch { return call() }
    done.wait(for: patience)
    return outcome.withLock { outcome in
      guard case .returned(let result) = outcome else {
        outcome = .abandoned
        return nil
      }
      return result
    }
  }

  /// Runs `call`. Nothing waits for it.
  static func start(_ name: String, _ call: @escaping @Sendable () -> Void) throws(SystemError) {
    began()
    do throws(SystemError) {
      try DetachedThread.start(name) {
        call()
        ended()
      }
    } catch {
      ended()
      throw error
    }
  }
}
