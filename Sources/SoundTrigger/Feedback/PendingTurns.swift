/// Counts the turns of actors that are under way, so that a test can wait for them.
package final class PendingTurns: Sendable {
  /// After so many turns in which triggers have looked there will be no rest.
  private static let patience = 10_000

  private struct Waiter: Sendable {
    /// The number of looks at which it stops to wait.
    let limit: Int
    let resume: @Sendable (_ isNone: Bool) -> Void
  }

  private struct State: Sendable {
    var count = 0
    /// How many turns there have been in which triggers have looked.
    var looks = 0
    var waiters: [Waiter] = []
  }

  private let state = Guarded(State())

  package init() {}

  /// Begins a turn. `looks`: triggers look in it.
  package func begin(looks: Bool = false) {
    let impatient = state.withLock { state -> [Waiter] in
      state.count += 1
      if looks { state.looks += 1 }
      if state.waiters.isEmpty { return [] }
      defer { state.waiters.removeAll { $0.limit < state.looks } }
      return state.waiters.filter { $0.limit < state.looks }
    }
    for waiter in impatient { waiter.resume(false) }
  }

  package func end() {
    let waiters = state.withLock { state -> [Waiter] in
      state.count -= 1
      if state.count > 0 { return [] }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(true) }
  }

  /// Returns true when no turn is under way; false if triggers still look after 10,000 turns.
  package func none() async -> Bool {
    await withCheckedContinuation { continuation in
      let isNone = state.withLock { state in
        if state.count > 0 {
          state.waiters.append(
            Waiter(limit: state.looks + Self.patience) { continuation.resume(returning: $0) })
        }
        return state.count == 0
      }
      if isNone { continuation.resume(returning: true) }
    }
  }
}
