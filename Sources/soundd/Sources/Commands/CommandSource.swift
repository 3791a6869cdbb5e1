import CLinux
import Glibc
import SoundTrigger

/// Runs one command by its life, and passes on what it reports. Belongs to the event loop.
final class CommandSource: CommandProcess.Owner {
  /// What a command reports.
  enum Report {
    /// It has begun to run.
    case started
    /// Its values are stale, or are stale no more.
    case stale(Bool)
    /// What is wrong with it has changed.
    case problem
    /// The exit status of a run.
    case status(Int32)
  }

  /// How much output of a run is kept.
  static let longestOutput = Value.maximumLength
  static let noAnswer = "its file system does not answer"

  private(set) var life: CommandLife
  /// Its process, while it has one.
  private(set) var process: CommandProcess?
  /// The last line of standard error of the last run that failed.
  private(set) var lastError: String?
  private let runner: CommandRunner
  private let receive: (Report) -> Void
  /// Receives a line, or the output of a run; `nil`: it is too long, and was skipped.
  private let receiveText: (Span<UInt8>?) -> Void
  private var lines = LineReader()
  /// What a polled command has printed in this run, and whether that was too much.
  private var output: [UInt8] = []
  private var isTooLong = false
  private lazy var timer = EventLoop.Timer { [weak self] in self?.pass() }

  init(
    _ command: ExternalCommand, by runner: CommandRunner, report: @escaping (Report) -> Void,
    text: @escaping (Span<UInt8>?) -> Void
  ) {
    life = CommandLife(command, at: runner.loop.now)
    self.runner = runner
    receive = report
    receiveText = text
  }

  /// Begins. A command that may not run reports its problem.
  func begin() {
    if life.state == .due { runner.enqueue(self) } else { receive(.problem) }
    reschedule()
  }

  /// Reports nothing more, and ends the process and its group.
  func end() {
    update { $0.end(at: runner.loop.now) }
    if life.state == .over { runner.remove(self) }
  }

  func slept(for duration: Duration) {
    life.slept(for: duration)
    reschedule()
  }

  /// What is wrong with it, with the last line of its standard error; `nil` while it works.
  var problem: String? {
    life.problem.map { problem in "\(problem)" + (lastError.map { ": \($0)" } ?? "") }
  }

  /// Takes a step in its life, and does what the step asks for.
  private func update(_ step: (inout CommandLife) -> [CommandLife.Action]) {
    let before = (life.problem, life.failures)
    for action in step(&life) {
      switch action {
      case .queue: runner.enqueue(self)
      case .terminate: process?.send(SIGTERM)
      case .kill:
        process?.send(SIGKILL)
        runner.startSoon()
      case .stale: receive(.stale(true))
      case .works: receive(.stale(false))
      }
    }
    if life.isWanted, (life.problem, life.failures) != before { receive(.problem) }
    reschedule()
  }

  private func pass() { update { $0.pass(to: runner.loop.now) } }

  private func reschedule() {
    if let time = life.deadline { runner.loop.schedule(timer, at: time) } else { runner.loop.cancel(timer) }
  }

  // MARK: A run

  func willStart() { life.start(at: runner.loop.now) }

  func started(_ result: CommandRunner.StartResult) {
    switch result {
    case .process(let raw):
      do throws(SystemError) {
        process = try CommandProcess(raw, on: runner.loop, owner: self)
      } catch {
        runner.discard(raw.pid)
        return failedToStart("\(error)")
      }
      (lines, output, isTooLong) = (LineReader(), [], false)
      update { $0.started(at: runner.loop.now) }
      if life.isWanted { receive(.started) }
    case .failed(let reason): failedToStart(reason)
    }
  }

  /// Its start has not returned in time, and may return later.
  func startHangs() {
    lastError = nil
    update {
      $0.startHangs(Self.noAnswer)
      return []
    }
  }

  private func failedToStart(_ reason: String) {
    lastError = nil
    update {
      $0.failedToStart(reason, at: runner.loop.now)
      return []
    }
    runner.remove(self)
  }

  func received(output bytes: Span<UInt8>) {
    if !life.isWanted { return }
    if life.command.every == nil {
      lines.feed(bytes) { line, _ in
        receive(line: line)
        return life.isWanted
      }
    } else if !life.command.takesStatus, !isTooLong {
      isTooLong = output.count + bytes.count > Self.longestOutput
      if isTooLong { output = [] } else { bytes.withUnsafeBufferPointer { output.append(contentsOf: $0) } }
    }
  }

  private func receive(line: Span<UInt8>?) {
    // Lines may come by the million.
    if life.needsProof { update { $0.worked(at: runner.loop.now) } }
    receiveText(line)
  }

  func outputEnded() {
    if !life.isWanted || life.command.every != nil { return }
    lines.finish { line, _ in
      receive(line: line)
      return true
    }
    update {
      $0.closedOutput(at: runner.loop.now)
      return []
    }
  }

  func ended(_ ending: ProcessEnding) {
    lastError = process?.lastError
    process = nil
    var result: CommandLife.Result?
    update { life in
      let (given, actions) = life.ended(ending, at: runner.loop.now)
      result = given
      return actions
    }
    runner.remove(self)
    switch result {
    case .output: if isTooLong { receiveText(nil) } else { receiveText(output.span) }
    case .status(let code): receive(.status(code))
    case nil: break
    }
    output = []
  }
}
