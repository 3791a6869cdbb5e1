import CLinux
import Glibc
import SoundTrigger

/// Starts the commands of a configuration, one after the other. Belongs to the event loop.
final class CommandRunner {
  /// How many polled commands run at one time.
  static let mostPolled = 8

  /// What every command gets of soundd.
  struct Setting: Sendable {
    let environment: SystemEnvironment
    /// The limits of this moment, before soundd changes its own.
    let files = ResourceLimit(.openFiles)
    let realTime = ResourceLimit(.realTimeRuntime)

    init(_ environment: SystemEnvironment) { self.environment = environment }

    /// `NAME=VALUE`, without the variables that are for soundd alone: its socket and its notifications.
    fileprivate var variables: [String] {
      let own: Set = ["NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "WATCHDOG_USEC", "WATCHDOG_PID"]
      return environment.variables.filter { !own.contains($0.key) }.map { "\($0)=\($1)" }
    }
  }

  typealias Spawn = @Sendable (ExternalCommand, Setting) -> Result<clinux_process, CommandProblem>

  let loop: EventLoop
  private let setting: Setting
  private let spawn: Spawn
  /// Their threads make the processes, and live as long as the daemon, because the kernel kills the processes at their end. One
  /// is enough, unless a start hangs.
  private var workers: [BackgroundWorker] = []
  /// Those that have not ended for good. The next one to start is the first that is due.
  private var sources: [CommandSource] = []
  private lazy var next = EventLoop.Timer { [unowned self] in startNext() }

  /// `spawn` makes a process, on a thread of its own.
  init(_ setting: Setting, on loop: EventLoop, spawn: @escaping Spawn = { CommandRunner.spawn($0, $1) }) {
    self.loop = loop
    self.setting = setting
    self.spawn = spawn
  }

  /// Whether all commands have ended for good: no process is left.
  var isIdle: Bool { sources.isEmpty }

  func add(_ source: CommandSource) { sources.append(source) }

  /// Another one may start now. Forgets a command that has ended for good.
  func stateChanged(of source: CommandSource) {
    if source.life.state == .over { sources.removeAll { $0 === source } }
    if sources.contains(where: { $0.life.state == .due }) { loop.schedule(next, at: loop.now) }
  }

  private func startNext() {
    if sources.contains(where: { $0.life.state == .starting }) { return }
    let busy = sources.count { $0.life.command.every != nil && $0.life.isBusy }
    let index = sources.firstIndex {
      $0.life.state == .due && ($0.life.command.every == nil || busy < Self.mostPolled)
    }
    guard let index else { return }
    // Behind all others, so that each gets its turn.
    let source = sources.remove(at: index)
    sources.append(source)
    source.willStart()
    do throws(SystemError) {
      try freeWorker().perform { [spawn, setting, command = source.life.command] in
        spawn(command, setting)
      } then: {
        source.started($0)
      }
    } catch {
      source.started(.failure(.notStarted("\(error)")))
    }
  }

  /// A worker whose thread waits for a job.
  private func freeWorker() throws(SystemError) -> BackgroundWorker {
    if let worker = workers.first(where: { !$0.isBusy }) { return worker }
    let worker = try BackgroundWorker(name: "soundd-commands", on: loop)
    workers.append(worker)
    return worker
  }

  /// Kills a process that the loop cannot watch, and waits for its end on a thread.
  func discard(_ pid: pid_t) {
    kill(-pid, SIGKILL)
    try? freeWorker().perform({ waitpid(pid, nil, 0) }, then: { _ in })
  }

  /// Ends all processes at once, whatever they do, and the threads. Returns whether a start is left behind, see
  /// `BackgroundWorker.stop`.
  func stop() -> Bool {
    for source in sources { source.process?.send(SIGKILL) }
    return workers.reduce(false) { $1.stop() || $0 }
  }

  // MARK: Making a process

  /// Runs on a worker's thread. `input`: its standard input; -1: it has none.
  static func spawn(
    _ command: ExternalCommand, _ setting: Setting, input: Int32 = -1
  ) -> Result<clinux_process, CommandProblem> {
    do throws(SystemError) {
      return .success(
        try ChildProcess.start(
          command.arguments, environment: setting.variables, folder: command.folder, files: setting.files,
          realTime: setting.realTime, input: input))
    } catch {
      return .failure(.notStarted(command.startProblem(error.code, in: setting.environment)))
    }
  }
}
