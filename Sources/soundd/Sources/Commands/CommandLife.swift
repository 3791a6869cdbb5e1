import SoundTrigger

/// Decides when a command starts, when it is ended, and whether it works. Reads no clock: the caller passes the time.
struct CommandLife {
  /// Where the command is in its life. See `stepTime` for how long.
  enum State {
    /// Waits until its next run, or until a pause after a failure is over.
    case waiting
    /// Its time has come: it starts when it is its turn.
    case due
    /// Its process is being made.
    case starting
    /// Its process is still being made, because a file system does not answer.
    case hung
    /// It runs.
    case running
    /// It was asked to end (SIGTERM), and is killed later.
    case ending
    /// It was killed (SIGKILL), and its end has not come yet.
    case killed
    /// It is not started again, or may not run at all.
    case over
  }

  /// What the caller has to do.
  enum Action: Equatable {
    /// Send SIGTERM to its group.
    case terminate
    /// Send SIGKILL to its group.
    case kill
    /// Its values are stale.
    case stale
    /// It works again: its values are stale no more.
    case works
    /// Pass on what the run has printed.
    case output
    /// Pass on the exit status of the run.
    case status(Int32)
  }

  /// How long the making of a process may take, because the program may be on a mount that hangs.
  static let startPatience = Duration.seconds(2)
  /// How long a group may take to end before it is killed.
  static let grace = Duration.seconds(1)
  /// After how long without working its values are stale.
  static let patience = Duration.seconds(10)
  /// How long a long-running program runs before it counts as working: less, so that a quiet one is not stale at its start.
  static let trial = Duration.seconds(5)
  static let longestPause = Duration.seconds(60)

  let command: ExternalCommand
  private(set) var state: State
  /// When the state ends unless something happens before.
  private(set) var stepTime: Instant?
  /// What was wrong last; `nil` while it works.
  private(set) var problem: CommandProblem?
  /// Why this run is ended, or will be; `nil` if nothing is wrong with it.
  private var endReason: CommandProblem?
  private(set) var isStale = false
  /// False after `end`.
  private(set) var isWanted = true
  /// How many processes were started, and how many of the runs failed.
  private(set) var starts = 0
  private(set) var failures = 0
  /// When the last run began, or the making of its process.
  private var began: Instant
  /// When it last worked; at first, when it was made.
  private var workedAt: Instant
  /// Whether this run of a long-running command works.
  private(set) var isWell = false
  /// How many runs ended early, one after the other.
  private var earlyEnds = 0

  /// A command that is due at once, unless it may not run.
  init(_ command: ExternalCommand, at now: Instant) {
    self.command = command
    began = now
    workedAt = now
    problem = command.obstacle.map { .forbidden($0) }
    state = problem == nil ? .due : .over
  }

  /// Whether it counts among the commands that run at one time. One that hangs or cannot even be killed holds up no others.
  var isBusy: Bool { [.starting, .running, .ending].contains(state) }

  /// When `pass` has something to do.
  var deadline: Instant? { Instant.earlier(stepTime, staleTime) }

  private var staleTime: Instant? {
    if isStale || !isWanted || (command.every == nil && isWell) { return nil }
    return workedAt.advanced(by: max(Self.patience, (command.every ?? .zero) * 2))
  }

  /// Does what is due at this time.
  mutating func pass(to now: Instant) -> [Action] {
    var actions: [Action] = []
    if let stepTime, stepTime <= now { actions = step(at: now) }
    if let staleTime, staleTime <= now {
      isStale = true
      actions.append(.stale)
    }
    return actions
  }

  private mutating func step(at now: Instant) -> [Action] {
    switch state {
    case .waiting: enter(.due)
    case .starting:
      enter(.hung)
      problem = .notStarted("its file system does not answer")
    case .running:
      if command.every == nil, endReason == nil { return worked(at: now) }
      return terminate(endReason ?? .timedOut(command.timeout), at: now)
    case .ending:
      enter(.killed)
      return [.kill]
    case .due, .hung, .killed, .over: break
    }
    return []
  }

  private mutating func enter(_ state: State, until time: Instant? = nil) { (self.state, stepTime) = (state, time) }

  private mutating func terminate(_ reason: CommandProblem?, at now: Instant) -> [Action] {
    enter(.ending, until: now.advanced(by: Self.grace))
    endReason = reason
    return [.terminate]
  }

  // MARK: Runs

  /// It is its turn.
  mutating func start(at now: Instant) {
    enter(.starting, until: now.advanced(by: Self.startPatience))
    began = now
  }

  /// Its process runs, perhaps later than expected.
  mutating func started(at now: Instant) -> [Action] {
    starts += 1
    if !isWanted { return terminate(nil, at: now) }
    enter(.running, until: now.advanced(by: command.every == nil ? Self.trial : command.timeout))
    (began, endReason) = (now, nil)
    return []
  }

  /// A long-running command has reported a line, or runs for long enough; or a run was a success.
  mutating func worked(at now: Instant) -> [Action] {
    (isWell, workedAt, problem) = (true, now, nil)
    if state == .running { stepTime = nil }
    if !isStale { return [] }
    isStale = false
    return [.works]
  }

  /// A long-running command has closed its output: it can report nothing more, but may end by itself for a moment.
  mutating func closedOutput(at now: Instant) {
    if state == .running { (stepTime, endReason) = (now.advanced(by: Self.grace), .closedOutput) }
  }

  /// Its process has ended.
  mutating func ended(_ ending: ProcessEnding, at now: Instant) -> [Action] {
    guard state == .running, let every = command.every, let result = result(of: ending) else {
      fail(state == .running ? .ended(ending) : endReason ?? .ended(ending), at: now)
      return []
    }
    enter(.waiting, until: max(now, began.advanced(by: every)))
    return worked(at: now) + [result]
  }

  /// What a run of a polled command gave; `nil` if it has failed.
  private func result(of ending: ProcessEnding) -> Action? {
    switch ending {
    case .exit(126), .exit(127), .signal: nil
    case .exit(let code) where command.takesStatus: .status(code)
    case .exit(0): .output
    case .exit: nil
    }
  }

  /// Notes a failure, such as that its process cannot be made, and when the next run begins.
  mutating func fail(_ problem: CommandProblem, at now: Instant) {
    if !isWanted { return enter(.over) }
    self.problem = problem
    failures += 1
    if let every = command.every {
      return enter(.waiting, until: max(now, began.advanced(by: every)))
    }
    // A program that worked did so until now.
    if isWell { workedAt = now }
    isWell = false
    if began.advanced(by: Self.trial) <= now { earlyEnds = 0 }
    enter(.waiting, until: now.advanced(by: min(Self.longestPause, .seconds(1 << min(earlyEnds, 6)))))
    earlyEnds += 1
  }

  /// Ends it for good: after a reload, or because soundd leaves.
  mutating func end(at now: Instant) -> [Action] {
    isWanted = false
    switch state {
    case .waiting, .due, .over: enter(.over)
    case .running: return terminate(nil, at: now)
    case .starting, .hung, .ending, .killed: break
    }
    return []
  }

  /// The machine slept: that time counts neither for a start or a timeout nor for what is stale.
  mutating func slept(for duration: Duration) {
    workedAt = workedAt.advanced(by: duration)
    if state != .starting, state != .running { return }
    began = began.advanced(by: duration)
    stepTime = stepTime?.advanced(by: duration)
  }
}
