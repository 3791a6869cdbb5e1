/// Stands for a trigger of a `SoundPlayer`: ends it, and says why it is silent.
///
/// The player owns the trigger, so the handle may be thrown away. Use it from any thread.
///
/// ```swift
/// let handle = player.sensoryFeedback(.success, trigger: model.uploads)
/// if let problem = handle.problem { print(problem) }
/// handle.end()
/// ```
public final class TriggerHandle: Sendable {
  private struct State: Sendable {
    weak var core: PlayerCore?
    var number = 0
    var problem: SoundProblem?
    var isEnded = false
  }

  private let state: Guarded<State>

  init(_ core: PlayerCore) { state = Guarded(State(core: core)) }

  /// Why the trigger is silent, or was when it should have played last; `nil` if nothing is wrong.
  ///
  /// A trigger that could not begin keeps its problem. The problem of a sound that a closure chose goes away when the closure
  /// chooses a sound that can be played.
  public var problem: SoundProblem? { state.withLock { $0.problem } }

  /// Whether the trigger has ended: by ``end()``, with the player, with a model that it does not hold, because it could not
  /// begin, or because it was a task without an id that has run. It never begins again.
  public var isEnded: Bool {
    state.withLock { state in state.isEnded || state.core == nil }
  }

  /// Ends the trigger at once: what waits is dropped, what sounds sounds to its end. Does nothing if it has ended.
  ///
  /// The player then frees what the trigger captured. The handle of a task cancels it, also while its action runs.
  public func end() {
    let (core, number) = state.withLock { state in
      state.isEnded = true
      return (state.core, state.number)
    }
    core?.end(number)
  }

  /// Sets the number of the trigger that begins.
  func begin(_ number: Int) { state.withLock { $0.number = number } }

  /// Ends the trigger because it cannot begin.
  func fail(_ problem: SoundProblem) {
    state.withLock { $0.isEnded = true }
    set(problem)
  }

  /// The player notes a problem. It is reported if it is another one than the last.
  func set(_ problem: SoundProblem?) {
    let core = state.withLock { state in
      defer { state.problem = problem }
      return problem == state.problem ? nil : state.core
    }
    if let problem { core?.report(problem) }
  }
}
