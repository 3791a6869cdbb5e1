public import Observation

/// Runs an asynchronous action, at most once at a time: an asynchronous button without a view.
///
/// ```swift
/// let save = TriggeredTask(player: player, cancellation: model.cancelled) { try await upload() }
/// save.start()
/// ```
///
/// A cancelled action may still be ending when the next one starts. The action and `onFinish` run on the actor that makes
/// the task. Use all else from any thread. While the action runs, the task keeps itself alive.
public final class TriggeredTask: Observable, Sendable {
  /// How an action ended.
  public enum Outcome: Sendable {
    /// The action has returned.
    case finished
    /// `cancel` was called, the cancellation value has changed, or the action threw `CancellationError`.
    case cancelled
    /// The action threw this error.
    case failed(any Error)
  }

  /// The feedback that a task plays; `nil`: none.
  public struct Feedback: Equatable, Sendable {
    /// When the action begins.
    public var start: SensoryFeedback?
    /// When it has finished.
    public var success: SensoryFeedback?
    /// When it has thrown an error.
    public var failure: SensoryFeedback?

    /// Creates the feedback of a task; `nil`: none at this point. A cancelled task plays nothing at its end.
    public init(
      start: SensoryFeedback? = .start, success: SensoryFeedback? = .success, failure: SensoryFeedback? = .error
    ) {
      self.start = start
      self.success = success
      self.failure = failure
    }
  }

  private struct State: Sendable {
    /// Counts the starts, so that an action that was cancelled cannot end a later one.
    var starts = 0
    var task: Task<Void, Never>?
    var isRunning = false
    var outcome: Outcome?
  }

  /// The closures of the task.
  ///
  /// Safety of `@unchecked Sendable`: they run on the task's actor alone.
  private struct Closures: @unchecked Sendable {
    let action: @isolated(any) () async throws -> Void
    let onFinish: (Outcome) -> Void
    weak let actor: (any Actor)?
  }

  private let state = Guarded(State())
  private let registrar = ObservationRegistrar()
  private let closures: Closures
  private let player: SoundPlayer?
  private let feedback: Feedback
  /// Follows the cancellation value.
  private let observer = Guarded<ValueObserver?>(nil)
  /// Why the task never runs: it was made outside of an actor. `nil` if nothing is wrong.
  public let problem: SoundProblem?

  /// Makes a task that does not run yet: ``start()`` runs it.
  ///
  /// - Parameters:
  ///   - player: Plays the feedback; `nil`: none is played.
  ///   - feedback: What the player plays at the start, after success and after failure.
  ///   - cancellation: When this value changes, a running action is cancelled. It keeps its model alive.
  ///   - isolation: The actor of the action; the caller's, if not given.
  ///   - onFinish: Called after each run with its outcome. Of a cancelled run it does not wait for the action.
  ///   - action: What `start` runs.
  public init(
    player: SoundPlayer? = nil, feedback: Feedback = Feedback(),
    cancellation: @autoclosure @escaping () -> (any Equatable)? = nil,
    isolation: isolated (any Actor)? = #isolation, onFinish: @escaping (Outcome) -> Void = { _ in },
    @_inheritActorContext(always) action: sending @escaping @isolated(any) () async throws -> Void
  ) {
    self.player = player
    self.feedback = feedback
    closures = Closures(action: action, onFinish: onFinish, actor: isolation)
    problem = isolation == nil ? .notOnAnActor : nil
    if let problem {
      player?.core.report(problem)
      return
    }
    var old: (any Equatable)?
    var hasLooked = false
    let observer = ValueObserver(player?.core.schedule ?? TurnSchedule()) {
      _ = cancellation()
    } act: { [weak self] in
      let new = cancellation()
      if hasLooked, old.differs(from: new) { self?.cancel() }
      (old, hasLooked) = (new, true)
    }
    self.observer.withLock { $0 = observer }
    observer.begin(isolation: isolation)
  }

  deinit { observer.withLock { $0 }?.end() }

  /// Whether the action runs. Observable.
  public var isRunning: Bool {
    registrar.access(self, keyPath: \.isRunning)
    return state.withLock { $0.isRunning }
  }

  /// How the last run ended; `nil` before the first end. Observable.
  public var outcome: Outcome? {
    registrar.access(self, keyPath: \.outcome)
    return state.withLock { $0.outcome }
  }

  /// Starts the action, and returns at once. Call it from any thread.
  ///
  /// Does nothing while the action runs, and if there is no actor to run it on.
  public func start() {
    guard let actor = closures.actor else { return }
    let number = registrar.withMutation(of: self, keyPath: \.isRunning) {
      state.withLock { state -> Int? in
        if state.isRunning { return nil }
        state.isRunning = true
        state.starts += 1
        return state.starts
      }
    }
    guard let number else { return }
    if let start = feedback.start { player?.play(start) }
    let task = Task { await run(number, isolation: actor) }
    let isCancelled = state.withLock { state in
      if state.starts == number, state.isRunning { state.task = task }
      return state.starts != number || !state.isRunning
    }
    if isCancelled { task.cancel() }
  }

  /// Cancels the action and waits for nothing: the task can be started again at once. Does nothing unless it runs.
  public func cancel() {
    let number = state.withLock { $0.starts }
    guard let task = end(number, .cancelled) else { return }
    task?.cancel()
    guard let actor = closures.actor else { return }
    Task { await callOnFinish(.cancelled, isolation: actor) }
  }

  private func run(_ number: Int, isolation: isolated (any Actor)?) async {
    let outcome: Outcome
    do {
      try await closures.action()
      outcome = .finished
    } catch is CancellationError {
      outcome = .cancelled
    } catch {
      outcome = .failed(error)
    }
    // If it was cancelled, it has ended already.
    if end(number, outcome) == nil { return }
    switch outcome {
    case .finished: if let success = feedback.success { player?.play(success) }
    case .failed: if let failure = feedback.failure { player?.play(failure) }
    case .cancelled: break
    }
    closures.onFinish(outcome)
  }

  private func callOnFinish(_ outcome: Outcome, isolation: isolated (any Actor)?) { closures.onFinish(outcome) }

  /// Notes the end of a run. Returns its task, which may not be stored yet; `nil` if it had ended before.
  private func end(_ number: Int, _ outcome: Outcome) -> Task<Void, Never>?? {
    let isRunning = state.withLock { $0.isRunning && $0.starts == number }
    guard isRunning else { return nil }
    return registrar.withMutation(of: self, keyPath: \.outcome) {
      registrar.withMutation(of: self, keyPath: \.isRunning) {
        state.withLock { state -> Task<Void, Never>?? in
          guard state.isRunning, state.starts == number else { return nil }
          state.isRunning = false
          state.outcome = outcome
          return .some(state.task.take())
        }
      }
    }
  }
}
