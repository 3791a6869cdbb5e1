/// Lets observers look in the next turn of their actor, in the order in which they were declared.
///
/// Observation reports the observers of a property in no particular order. One hop serves all observers of an actor.
package final class TurnSchedule: Sendable {
  /// After so many turns in a row, each caused by the one before, the other tasks of the actor come first.
  private static let longestHaste = 8

  /// What an actor has before it, from the first change until a turn leaves nothing to look at.
  private struct Agenda: Sendable {
    /// The observers that look in its next turn. While it is empty, a turn runs.
    var waiting: [ValueObserver] = []
    /// How many turns there were in a row.
    var turns = 0
  }

  private struct State: Sendable {
    var lastNumber = 0
    var agendas: [ObjectIdentifier: Agenda] = [:]
    /// The memory of an array that was used before.
    var spare: [ValueObserver] = []
  }

  private let state = Guarded(State())
  /// Guards what each observer and each handle remembers: a lock of its own would be one more object for each of them. No code of
  /// the user runs under it.
  let lock = Guarded(false)
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
    let turn = state.withLock { state -> Int? in
      // Until it is put back, the array has one owner, and is not copied.
      var agenda = state.agendas.removeValue(forKey: ObjectIdentifier(actor)) ?? Agenda()
      defer { state.agendas[ObjectIdentifier(actor)] = agenda }
      if agenda.waiting.isEmpty { swap(&agenda.waiting, &state.spare) }
      agenda.waiting.append(observer)
      return agenda.waiting.count == 1 ? agenda.turns : nil
    }
    guard let turn else { return }
    turns.begin(looks: true)
    let priority: TaskPriority = turn < Self.longestHaste ? .high : .background
    if actor === MainActor.shared {
      // Straight to its thread. The other way leads through a thread of the pool, and takes three times as long.
      Task.detached(priority: priority) { @MainActor in self.look(isolation: MainActor.shared) }
    } else {
      // Detached, because the priority of the thread that wrote is not that of the feedback.
      Task.detached(priority: priority) { await self.look(isolation: actor) }
    }
  }

  private func look(isolation: isolated (any Actor)?) {
    guard let actor = isolation.map({ ObjectIdentifier($0) }) else { return }
    var observers: [ValueObserver] = []
    state.withLock { state in
      guard var agenda = state.agendas.removeValue(forKey: actor) else { return }
      swap(&observers, &agenda.waiting)
      agenda.turns += 1
      state.agendas[actor] = agenda
    }
    if observers.count > 1 { observers.sort { $0.number < $1.number } }
    for observer in observers { observer.look(isolation: isolation) }
    observers.removeAll(keepingCapacity: true)
    state.withLock { state in
      if state.agendas[actor]?.waiting.isEmpty ?? false { state.agendas[actor] = nil }
      swap(&observers, &state.spare)
    }
    turns.end()
  }
}
