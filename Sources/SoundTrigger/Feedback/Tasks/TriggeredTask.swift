public import Observation

/// Runs an asynchronous action, at most once at a time: an asynchronous button without a view.
///
/// ```swift
/// let save = TriggeredTask(player: player, cancellation: model.cancelled) { try await upload() }
/// save.start()
/// ```
///
/// The task runs until its action has returned, also after a cancellation. So two actions never overlap: an action that ignores
/// its cancellation keeps the button disabled. The action and `onFinish` run on the actor that makes the task. Use all else from
/// any thread. While the action runs, the task keeps itself alive.
public final class TriggeredTask: Observable, Sendable {
  /// How an action ended.
  public enum Outcome: Sendable {
    /// The action has returned.
    case finished
    /// `cancel` was called while it ran, the cancellation value has changed, or the action threw `CancellationError`.
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
    /// Counts the starts, so that a task that has ended before it is stored is forgotten.
    var starts = 0
    var task: Task<Void, Never>?
    var isRunning = false
    /// Whether the present run was cancelled.
    var isCancelled = false
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
  ///   - onFinish: Called once after each run, when the action has returned, with the outcome.
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

  /// Whether the action runs: from `start` until it has returned, also while it ends after a cancellation. Observable.
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
        state.isCancelled = false
        state.starts += 1
        return state.starts
      }
    }
    guard let number else { return }
    if let start = feedback.start { player?.play(start) }
    let task = Task { await run(isolation: actor) }
    let isCancelled = state.withLock { state in
      guard state.starts == number, state.isRunning else { return false }
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Cancels the action, and does not wait for its end. Does nothing unless it runs.
  public func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  private func run(isolation: isolated (any Actor)?) async {
    let result: Outcome
    do {
      try await closures.action()
      result = .finished
    } catch is CancellationError {
      result = .cancelled
    } catch {
      result = .failed(error)
    }
    let outcome = end(result)
    switch outcome {
    case .finished: if let success = feedback.success { player?.play(success) }
    case .failed: if let failure = feedback.failure { player?.play(failure) }
    case .cancelled: break
    }
    closures.onFinish(outcome)
  }

  /// Notes the end of the action. Returns the outcome of the run.
  private func end(_ result: Outcome) -> Outcome {
    registrar.withMutation(of: self, keyPath: \.outcome) {
      registrar.withMutation(of: self, keyPath: \.isRunning) {
        state.withLock { state in
          let outcome = state.isCancelled ? .cancelled : result
          state.outcome = outcome
          state.isRunning = false
          state.task = nil
          return outcome
        }
      }
    }
  }
}
