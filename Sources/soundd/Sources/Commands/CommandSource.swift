import CLinux
import Glibc
import SoundTrigger

/// Runs one command by its life, and passes on what it reports. Belongs to the event loop.
final class CommandSource: CommandProcess.Owner {
  /// Receives what a command reports.
  protocol Owner: AnyObject {
    /// It has begun to run.
    func started()
    /// Its values are stale, or are stale no more.
    func staleChanged(_ isStale: Bool)
    /// What is wrong with it has changed, see `problem`.
    func problemChanged()
    /// A line, or what a run gave: its output, or its exit status; `nil`: it is too long, and was skipped.
    func received(_ content: Span<UInt8>?)
  }

  /// How much output of a run is kept.
  static let longestOutput = Value.maximumLength

  private(set) var life: CommandLife
  /// Its process, while it has one.
  private(set) var process: CommandProcess?
  /// The last line of standard error of the last run.
  private var lastError: String?
  private let runner: CommandRunner
  private weak var owner: (any Owner)?
  /// What the owner knows: what is wrong, and how many runs have failed.
  private var reported: (problem: CommandProblem?, failures: Int) = (nil, 0)
  private var lines = LineReader()
  /// What a polled command has printed in this run, up to a little more than `longestOutput`.
  private var output: [UInt8] = []
  private lazy var timer = EventLoop.Timer { [weak self] in
    if let self { follow(life.pass(to: now)) }
  }

  init(_ command: ExternalCommand, by runner: CommandRunner, owner: any Owner) {
    life = CommandLife(command, at: runner.loop.now)
    self.runner = runner
    self.owner = owner
  }

  private var now: Instant { runner.loop.now }

  /// Begins. A command that may not run reports its problem.
  func begin() {
    runner.add(self)
    follow()
  }

  /// Reports nothing more, and ends the process and its group.
  func end() { follow(life.end(at: now)) }

  func slept(for duration: Duration) {
    life.slept(for: duration)
    follow()
  }

  /// The last line of standard error of this run, else of the last one; `nil` if there is none.
  var lastErrorLine: String? { process?.lastError ?? lastError }

  /// What is wrong with it, with the last line of its standard error; `nil` while it works.
  var problem: String? {
    switch life.problem {
    case .notStarted(_)?, nil: life.problem?.description
    case let problem?: "\(problem)" + (lastError.map { ": \($0)" } ?? "")
    }
  }

  /// Does what a step of its life asks for, reports what is wrong if that has changed, and waits for the next step.
  private func follow(_ actions: [CommandLife.Action] = []) {
    for action in actions {
      switch action {
      case .terminate: process?.send(SIGTERM)
      case .kill: process?.send(SIGKILL)
      case .stale: owner?.staleChanged(true)
      case .works: owner?.staleChanged(false)
      case .output: if output.count > Self.longestOutput { owner?.received(nil) } else { owner?.received(output.span) }
      case .status(let code): owner?.received(Array("\(code)".utf8).span)
      }
    }
    if life.isWanted, (life.problem, life.failures) != reported {
      reported = (life.problem, life.failures)
      owner?.problemChanged()
    }
    if let time = life.deadline { runner.loop.schedule(timer, at: time) } else { runner.loop.cancel(timer) }
    runner.stateChanged(of: self)
  }

  // MARK: A run

  /// It is its turn: `started` comes when its process is made.
  func willStart() {
    life.start(at: now)
    follow()
  }

  func started(_ result: Result<clinux_process, CommandProblem>) {
    switch result {
    case .success(let raw):
      do throws(SystemError) {
        process = try CommandProcess(raw, on: runner.loop, owner: self)
      } catch {
        runner.discard(raw.pid)
        return started(.failure(.notStarted("\(error)")))
      }
      (lines, output) = (LineReader(), [])
      follow(life.started(at: now))
      if life.isWanted { owner?.started() }
    case .failure(let problem):
      life.fail(problem, at: now)
      follow()
    }
  }

  func received(output bytes: Span<UInt8>) {
    if !life.isWanted { return }
    if life.command.every == nil {
      lines.feed(bytes) { line, _ in
        receive(line: line)
        return life.isWanted
      }
    } else if output.count <= Self.longestOutput {
      bytes.withUnsafeBufferPointer { output.append(contentsOf: $0) }
    }
  }

  private func receive(line: Span<UInt8>?) {
    // Lines may come by the million.
    if !life.isWell { follow(life.worked(at: now)) }
    owner?.received(line)
  }

  func outputEnded() {
    if !life.isWanted || life.command.every != nil { return }
    lines.finish { line, _ in
      receive(line: line)
      return true
    }
    life.closedOutput(at: now)
    follow()
  }

  func ended(_ ending: ProcessEnding) {
    lastError = process?.lastError
    process = nil
    follow(life.ended(ending, at: now))
    output = []
  }
}
