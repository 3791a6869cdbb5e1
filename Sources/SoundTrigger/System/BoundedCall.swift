import Synchronization

/// Calls that may never return, such as those of a device or a mount, each on a thread of its own.
package enum BoundedCall {
  /// How long a call may take, unless its caller says otherwise.
  package static let patience = Duration.seconds(1)

  /// How many calls have not returned.
  private static let running = Atomic<Int>(0)

  /// Whether a call has not returned. If nobody waits for it any more, the process must end by `_exit`: what libraries tear down
  /// in `exit` may be in use.
  package static var isAnyLeftBehind: Bool { running.load(ordering: .acquiring) > 0 }

  static func began() { running.add(1, ordering: .relaxed) }
  static func ended() { running.subtract(1, ordering: .releasing) }

  /// Runs `call` and waits for its result, at most for `patience`.
  ///
  /// `nil`: it has not returned by then. The thread is left behind, and drops the result.
  package static func result<Result: Sendable>(
    within patience: Duration = patience, of call: @escaping @Sendable () -> Result
  ) -> Result? {
    guard let done = try? EventDescriptor() else { return call() }
    let result = Guarded<Result?>(nil)
    let job: @Sendable () -> Void = {
      let returned = call()
      result.withLock { $0 = returned }
      done.signal()
    }
    // Without a thread it is called here, as there is no better way.
    do throws(SystemError) { try start("sound-call", job) } catch { return call() }
    done.wait(for: patience)
    return result.withLock { $0 }
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
