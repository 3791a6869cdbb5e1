import SoundTrigger

/// Decides when a command starts, when it is ended, and whether it works. Reads no clock: the caller passes the time.
struct CommandLife {
  /// Where the command is in its life.
  enum State: Equatable {
    /// Waits until its next run, or until a pause after a failure is over.
    case waiting(until: Instant)
    /// Its time has come: it starts when it is its turn.
    case due
    /// Its process is being made.
    case starting(since: Instant)
    /// It runs.
    case running(since: Instant)
    /// It has closed its output, and may end by itself until that time.
    case mute(since: Instant, until: Instant)
    /// It was asked to end (SIGTERM), for this reason, and is killed at that time. The run began at `since`.
    case ending(since: Instant, kill: Instant, CommandProblem?)
    /// It was killed (SIGKILL), and its end has not come yet.
    case killed(since: Instant, CommandProblem?)
    /// It is not started again, or may not run at all.
    case over
  }

  /// What the caller has to do.
  enum Action: Equatable {
    /// Start it when it is its turn, see `start`.
    case queue
    /// Send SIGTERM to its group.
    case terminate
    /// Send SIGKILL to its group.
    case kill
    /// Its values are stale.
    case stale
    /// It works again: its values are stale no more.
    case works
  }

  /// What a run of a polled command gave.
  enum Result: Equatable {
    /// What it printed.
    case output
    /// Its exit status.
    case status(Int32)
  }

  /// How long a group may take to end before it is killed.
  static let grace = Duration.seconds(1)
  /// After how long without working its values are stale.
  static let patience = Duration.seconds(10)
  /// How long a long-running program runs before it counts as working: less, so that a quiet one is not stale at its start.
  static let trial = Duration.seconds(5)
  static let longestPause = Duration.seconds(60)

  let command: ExternalCommand
  private(set) var state: State
  /// What was wrong last; `nil` while it works.
  private(set) var problem: CommandProblem?
  private(set) var isStale = false
  /// False after `end`.
  private(set) var isWanted = true
  /// How many processes were started, and how many of the runs failed.
  private(set) var starts = 0
  private(set) var failures = 0
  /// When it last worked; at first, when it began.
  private var workedAt: Instant
  /// Whether this run of a long-running command works.
  private var isWell = false
  /// How many runs ended early, one after the other.
  private var earlyEnds = 0

  /// A command that is due at once, unless it may not run.
  init(_ command: ExternalCommand, at now: Instant) {
    self.command = command
    workedAt = now
    problem = command.obstacle.map { .forbidden($0) }
    state = problem == nil ? .due : .over
  }

  /// Whether it counts among the commands that run at one time. One that cannot even be killed holds up no others.
  var isBusy: Bool {
    switch state {
    case .starting, .running, .mute, .ending: true
    case .waiting, .due, .killed, .over: false
    }
  }

  /// When `pass` has something to do.
  var deadline: Instant? {
    let next: Instant? =
      switch state {
      case .waiting(let time), .mute(_, let time), .ending(_, let time, _): time
      case .running(let since) where command.every != nil: since.advanced(by: command.timeout)
      case .running(let since): isWell ? nil : since.advanced(by: Self.trial)
      case .due, .starting, .killed, .over: nil
      }
    return Instant.earlier(next, staleTime)
  }

  private var staleTime: Instant? {
    if isStale || !isWanted || (command.every == nil && isWell) { return nil }
    return workedAt.advanced(by: max(Self.patience, (command.every ?? .zero) * 2))
  }

  /// Does what is due at this time.
  mutating func pass(to now: Instant) -> [Action] {
    var actions: [Action] = []
    switch state {
    case .waiting(let time) where time <= now:
      state = .due
      actions.append(.queue)
    case .running(let since) where command.every != nil && since.advanced(by: command.timeout) <= now:
      actions += terminate(since, .timedOut(command.timeout), at: now)
    case .running(let since) where command.every == nil && !isWell && since.advanced(by: Self.trial) <= now:
      actions += worked(at: now)
    case .mute(let since, let time) where time <= now: actions += terminate(since, .closedOutput, at: now)
    case .ending(let since, let time, let problem) where time <= now:
      state = .killed(since: since, problem)
      actions.append(.kill)
    default: break
    }
    if let staleTime, staleTime <= now {
      isStale = true
      actions.append(.stale)
    }
    return actions
  }

  private mutating func terminate(_ since: Instant, _ problem: CommandProblem?, at now: Instant) -> [Action] {
    state = .ending(since: since, kill: now.advanced(by: Self.grace), problem)
    return [.terminate]
  }

  // MARK: Runs

  /// It is its turn.
  mutating func start(at now: Instant) { state = .starting(since: now) }

  /// Its process runs.
  mutating func started(at now: Instant) -> [Action] {
    guard case .starting(let since) = state else { return [] }
    starts += 1
    if !isWanted { return terminate(since, nil, at: now) }
    state = .running(since: since)
    return []
  }

  /// The making of its process hangs.
  mutating func startHangs(_ reason: String) { problem = .notStarted(reason) }

  /// Its process cannot be made.
  mutating func failedToStart(_ reason: String, at now: Instant) {
    if case .starting(let since) = state { fail(.notStarted(reason), since: since, at: now) }
  }

  /// Whether a line would show that the command works.
  var needsProof: Bool { !isWell || problem != nil }

  /// A long-running command has reported a line, or runs for long enough; or a run was a success.
  mutating func worked(at now: Instant) -> [Action] {
    (isWell, workedAt, problem) = (true, now, nil)
    if !isStale { return [] }
    isStale = false
    return [.works]
  }

  /// A long-running command has closed its output: it can report nothing more.
  mutating func closedOutput(at now: Instant) {
    guard command.every == nil, case .running(let since) = state else { return }
    state = .mute(since: since, until: now.advanced(by: Self.grace))
  }

  /// Its process has ended. `result` is what a successful run gave.
  mutating func ended(_ ending: ProcessEnding, at now: Instant) -> (result: Result?, actions: [Action]) {
    switch state {
    case .running(let since), .mute(let since, _):
      guard isWanted, let every = command.every, let result = result(of: ending) else {
        fail(.ended(ending), since: since, at: now)
        return (nil, [])
      }
      state = .waiting(until: max(now, since.advanced(by: every)))
      return (result, worked(at: now))
    case .ending(let since, _, let problem), .killed(let since, let problem):
      fail(problem ?? .ended(ending), since: since, at: now)
    case .waiting, .due, .starting, .over: break
    }
    return (nil, [])
  }

  private func result(of ending: ProcessEnding) -> Result? {
    switch ending {
    case .exit(126), .exit(127), .signal: nil
    case .exit(let code) where command.takesStatus: .status(code)
    case .exit(0): .output
    case .exit: nil
    }
  }

  /// Notes a failure, and when the next run begins.
  private mutating func fail(_ problem: CommandProblem, since: Instant, at now: Instant) {
    if !isWanted { return state = .over }
    self.problem = problem
    failures += 1
    if let every = command.every {
      state = .waiting(until: max(now, since.advanced(by: every)))
      return
    }
    // A program that worked did so until now.
    if isWell { workedAt = now }
    isWell = false
    if since.advanced(by: Self.trial) <= now { earlyEnds = 0 }
    state = .waiting(until: now.advanced(by: min(Self.longestPause, .seconds(1 << min(earlyEnds, 6)))))
    earlyEnds += 1
  }

  /// Ends it for good: after a reload, or because soundd leaves.
  mutating func end(at now: Instant) -> [Action] {
    isWanted = false
    switch state {
    case .waiting, .due, .over: state = .over
    case .running(let since), .mute(let since, _): return terminate(since, nil, at: now)
    case .starting, .ending, .killed: break
    }
    return []
  }

  /// The machine slept: that time counts neither for a timeout nor for what is stale.
  mutating func slept(for duration: Duration) {
    workedAt = workedAt.advanced(by: duration)
    if case .running(let since) = state { state = .running(since: since.advanced(by: duration)) }
  }
}
