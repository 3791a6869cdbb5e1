/// Lets observers look in the next turn of their actor, in the order in which they were declared.
///
/// Observation reports the observers of a property in no particular order. One hop serves all observers of an actor.
package final class TurnSchedule: Sendable {
  private struct State: Sendable {
    var lastNumber = 0
    /// The observers that look in the next turn of an actor.
    var waiting: [(actor: ObjectIdentifier, observer: ValueObserver)] = []
  }

  private let state = Guarded(State())
  /// Counts the turns under way.
  let turns: PendingTurns

  init(_ turns: PendingTurns? = nil) { self.turns = turns ?? PendingTurns() }

  /// The number of the next observer.
  func makeNumber() -> Int {
    state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
  }

  /// Lets an observer look in the actor's next turn. Call it once for each turn, from any thread.
  func add(_ observer: ValueObserver, on actor: any Actor) {
    let isFirst = state.withLock { state in
      defer { state.waiting.append((ObjectIdentifier(actor), observer)) }
      return !state.waiting.contains { $0.actor == ObjectIdentifier(actor) }
    }
    if !isFirst { return }
    turns.begin()
    if actor === MainActor.shared {
      // Straight to its thread. The other way leads through a thread of the pool, and takes three times as long.
      Task.detached(priority: .high) { @MainActor in self.look(isolation: MainActor.shared) }
    } else {
      // Detached, because the priority of the thread that wrote is not that of the feedback.
      Task.detached(priority: .high) { await self.look(isolation: actor) }
    }
  }

  private func look(isolation: isolated (any Actor)?) {
    let actor = isolation.map { ObjectIdentifier($0) }
    var observers: [(actor: ObjectIdentifier, observer: ValueObserver)] = []
    state.withLock { state in
      swap(&observers, &state.waiting)
      if observers.contains(where: { $0.actor != actor }) {
        state.waiting = observers.filter { $0.actor != actor }
        observers.removeAll { $0.actor != actor }
      }
    }
    if observers.count > 1 { observers.sort { $0.observer.number < $1.observer.number } }
    for (_, observer) in observers { observer.look(isolation: isolation) }
    // Reuses the memory of the array.
    observers.removeAll(keepingCapacity: true)
    state.withLock { if $0.waiting.isEmpty { swap(&observers, &$0.waiting) } }
    turns.end()
  }
}
