/// Counts the turns of actors that are under way, so that a test can wait for them.
package final class PendingTurns: Sendable {
  /// After so many turns in which triggers have looked there will be no rest.
  private static let patience = 10_000

  private struct State: Sendable {
    var count = 0
    /// In how many turns triggers have looked while somebody waits.
    var looks = 0
    var waiters: [@Sendable (_ isNone: Bool) -> Void] = []

    mutating func takeWaiters() -> [@Sendable (_ isNone: Bool) -> Void] {
      defer { waiters = [] }
      return waiters
    }
  }

  private let state = Guarded(State())

  package init() {}

  /// Begins a turn. `looks`: triggers look in it.
  package func begin(looks: Bool = false) {
    let waiters = state.withLock { state -> [@Sendable (Bool) -> Void] in
      state.count += 1
      if looks { state.looks += 1 }
      return state.looks > Self.patience ? state.takeWaiters() : []
    }
    for resume in waiters { resume(false) }
  }

  package func end() {
    let waiters = state.withLock { state -> [@Sendable (Bool) -> Void] in
      state.count -= 1
      return state.count > 0 ? [] : state.takeWaiters()
    }
    for resume in waiters { resume(true) }
  }

  /// Returns true when no turn is under way; false if triggers still look after 10,000 turns.
  package func none() async -> Bool {
    await withCheckedContinuation { continuation in
      let isNone = state.withLock { state in
        if state.count == 0 { return true }
        if state.waiters.isEmpty { state.looks = 0 }
        state.waiters.append { continuation.resume(returning: $0) }
        return false
      }
      if isNone { continuation.resume(returning: true) }
    }
  }
}
