/// Counts the turns of actors that are under way, so that a test can wait for them.
package final class PendingTurns: Sendable {
  private struct State: Sendable {
    var count = 0
    var waiters: [@Sendable () -> Void] = []
  }

  private let state = Guarded(State())

  package init() {}

  package func begin() { state.withLock { $0.count += 1 } }

  package func end() {
    let waiters = state.withLock { state -> [@Sendable () -> Void] in
      state.count -= 1
      if state.count > 0 { return [] }
      defer { state.waiters = [] }
      return state.waiters
    }
    for resume in waiters { resume() }
  }

  /// Returns when no turn is under way.
  package func none() async {
    await withCheckedContinuation { continuation in
      let isNone = state.withLock { state in
        if state.count > 0 { state.waiters.append { continuation.resume() } }
        return state.count == 0
      }
      if isNone { continuation.resume() }
    }
  }
}
