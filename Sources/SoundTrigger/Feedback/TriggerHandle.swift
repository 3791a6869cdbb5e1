/// Stands for a trigger of a `SoundPlayer`: ends it, and says why it is silent.
///
/// The player owns the trigger, so the handle may be thrown away. Use it from any thread.
///
/// ```swift
/// let handle = player.sensoryFeedback(.success, trigger: model.uploads)
/// if let problem = handle.problem { print(problem) }
/// handle.end()
/// ```
public final class TriggerHandle: @unchecked Sendable {
  // Safety of `@unchecked Sendable`: the state is accessed under the lock of the player's schedule.
  private struct State {
    var number = 0
    var problem: SoundProblem?
    var isEnded = false
  }

  private weak let core: PlayerCore?
  private let lock: Guarded<Bool>
  private var state = State()

  init(_ core: PlayerCore) {
    self.core = core
    lock = core.schedule.lock
  }

  private func withState<Result>(_ body: (inout State) -> Result) -> Result { lock.withLock { _ in body(&state) } }

  /// Why the trigger is silent, or was when it should have played last; `nil` if nothing is wrong.
  ///
  /// A trigger that could not begin keeps its problem. The problem of a sound that a closure chose goes away when the closure
  /// chooses a sound that can be played.
  public var problem: SoundProblem? { withState { $0.problem } }

  /// Whether the trigger has ended: by ``end()``, with the player, with a model that it does not hold, because it could not
  /// begin, or because it was a task without an id that has run. It never begins again.
  public var isEnded: Bool { withState { $0.isEnded } || core == nil }

  /// Ends the trigger at once: what waits is dropped, what sounds sounds to its end. Does nothing if it has ended.
  ///
  /// The player then frees what the trigger captured. The handle of a task cancels it, also while its action runs.
  public func end() {
    let number = withState { state in
      state.isEnded = true
      return state.number
    }
    core?.end(number)
  }

  /// Sets the number of the trigger that begins.
  func begin(_ number: Int) { withState { $0.number = number } }

  /// Ends the trigger because it cannot begin.
  func fail(_ problem: SoundProblem) {
    withState { $0.isEnded = true }
    set(problem)
  }

  /// The player notes a problem. It is reported if it is another one than the last.
  func set(_ problem: SoundProblem?) {
    let isNew = withState { state in
      defer { state.problem = problem }
      return problem != state.problem
    }
    if let problem, isNew { core?.report(problem) }
  }
}
