extension SoundPlayer {
  /// Runs an action after a delay, and again for each new id, as SwiftUI's `task(id:_:)` does.
  ///
  /// The first delay begins now. A change of the id cancels what waits or runs, and begins the delay for the new id.
  ///
  /// ```swift
  /// player.task(id: model.page, delay: .seconds(2)) { model.markAsRead() }
  /// ```
  ///
  /// - Parameters:
  ///   - id: Read now and after each change of an `@Observable` property that it reads. It keeps the model alive.
  ///   - delay: 0 or more; less than 0 counts as 0.
  ///   - priority: The priority of the action; the caller's, if not given.
  ///   - isolation: The actor of the action; the caller's, if not given.
  ///   - action: Runs on that actor, in a task that is cancelled when the id changes and when the trigger ends.
  /// - Returns: A handle, which may be thrown away.
  @discardableResult
  public func task<ID: Equatable>(
    id: @autoclosure @escaping () -> ID, delay: Duration, priority: TaskPriority? = nil,
    isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext(always) _ action: sending @escaping @isolated(any) () async -> Void
  ) -> TriggerHandle {
    let tasks = DelayedTasks(core.clock, delay, priority, isolation, action)
    let handle = onChange(of: id(), isolation: isolation) { _, _ in
      tasks.cancel()
      tasks.start()
    }
    if handle.problem == nil { tasks.start() }
    return handle
  }

  /// Runs an action once, after a delay.
  ///
  /// ```swift
  /// let hint = player.task(delay: .seconds(5)) { model.showsHint = true }
  /// ```
  ///
  /// The handle cancels it, also while the action runs, and so does the end of the player. When the action has returned, the
  /// trigger ends and keeps nothing alive. The other parameters are those of ``task(id:delay:priority:isolation:_:)``.
  @discardableResult
  public func task(
    delay: Duration, priority: TaskPriority? = nil, isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext(always) _ action: sending @escaping @isolated(any) () async -> Void
  ) -> TriggerHandle {
    let handle = TriggerHandle(core)
    let tasks = DelayedTasks(core.clock, delay, priority, isolation, onEnd: { handle.end() }, action)
    do throws(SoundProblem) {
      if isolation == nil { throw .notOnAnActor }
      handle.begin(try core.add(PlayerCore.Entry(tasks: tasks)))
      tasks.start()
    } catch {
      handle.fail(error)
    }
    return handle
  }

  /// Runs an action when an id has been still for a time.
  ///
  /// Each change of the id begins the wait anew. An action that runs already is not cancelled. The first id begins no
  /// wait. The other parameters are those of ``task(id:delay:priority:isolation:_:)``.
  ///
  /// ```swift
  /// player.task(id: model.query, debounce: .milliseconds(300)) { await model.search() }
  /// ```
  @discardableResult
  public func task<ID: Equatable>(
    id: @autoclosure @escaping () -> ID, debounce: Duration, priority: TaskPriority? = nil,
    isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext(always) _ action: sending @escaping @isolated(any) () async -> Void
  ) -> TriggerHandle {
    let tasks = DelayedTasks(core.clock, debounce, priority, isolation, action)
    return onChange(of: id(), isolation: isolation) { _, _ in
      tasks.cancelWait()
      tasks.start()
    }
  }
}

/// Starts an action after a delay, on one actor. Its end cancels all tasks that wait or run.
final class DelayedTasks: Sendable {
  /// The parts that a task needs. It does not hold `DelayedTasks`, or nothing would ever go away.
  ///
  /// Safety of `@unchecked Sendable`: the action runs on its actor alone.
  private struct Job: @unchecked Sendable {
    let clock: any PlayerClock
    let delay: Duration
    let action: @isolated(any) () async -> Void
    weak let actor: (any Actor)?
    let priority: TaskPriority
  }

  private struct State: Sendable {
    var number = 0
    /// The tasks that wait or run, by number; without a task while `start` makes it.
    var tasks: [Int: Task<Void, Never>?] = [:]
    /// The one that waits.
    var waiting: Int?
  }

  private let job: Job
  /// Called when an action has returned.
  private let onEnd: @Sendable () -> Void
  private let state = Guarded(State())

  init(
    _ clock: any PlayerClock, _ delay: Duration, _ priority: TaskPriority?, _ actor: (any Actor)?,
    onEnd: @escaping @Sendable () -> Void = {}, _ action: @escaping @isolated(any) () async -> Void
  ) {
    // A later start happens in a turn, whose priority is not that of the caller.
    job = Job(
      clock: clock, delay: delay, action: action, actor: actor, priority: priority ?? Task.currentPriority)
    self.onEnd = onEnd
  }

  deinit { cancel() }

  func start() {
    job.clock.turns?.begin()
    let number = state.withLock { state in
      state.number += 1
      state.waiting = state.number
      state.tasks.updateValue(nil, forKey: state.number)
      return state.number
    }
    let task = Task(priority: job.priority) { [job, weak self] in
      await Self.run(job, isolation: job.actor) { [weak self] in
        self?.beginAction(number)
      } didEnd: { [weak self] in
        self?.forget(number)
      }
    }
    // It may have ended meanwhile, or have been cancelled.
    let isOver = state.withLock { state in
      if state.tasks[number] == nil { return true }
      state.tasks.updateValue(task, forKey: number)
      return false
    }
    if isOver { task.cancel() }
  }

  func cancel() {
    let tasks = state.withLock { state in
      defer { state.tasks = [:] }
      return state.tasks.values
    }
    for task in tasks { task?.cancel() }
  }

  /// Cancels the one that waits.
  func cancelWait() {
    let task = state.withLock { state in state.waiting.flatMap { state.tasks.removeValue(forKey: $0) } }
    task??.cancel()
  }

  /// How many wait or run.
  var count: Int { state.withLock { $0.tasks.count } }

  private func beginAction(_ number: Int) { state.withLock { if $0.waiting == number { $0.waiting = nil } } }

  private func forget(_ number: Int) {
    state.withLock { $0.tasks[number] = nil }
    onEnd()
  }

  private static func run(
    _ job: Job, isolation: isolated (any Actor)?, willAct: @Sendable () -> Void, didEnd: @Sendable () -> Void
  ) async {
    defer { didEnd() }
    endTurnWhenSuspended(job.clock, isolation)
    // If it is cancelled, the task is.
    try? await job.clock.sleep(for: job.delay, isolation: isolation)
    endTurnWhenSuspended(job.clock, isolation)
    if Task.isCancelled { return }
    willAct()
    await job.action()
  }

  /// Ends the turn of this task as soon as its actor is free: when it sleeps, waits for something else, or has ended.
  private static func endTurnWhenSuspended(_ clock: any PlayerClock, _ actor: isolated (any Actor)?) {
    guard let turns = clock.turns else { return }
    Task {
      _ = actor
      turns.end()
    }
  }
}
