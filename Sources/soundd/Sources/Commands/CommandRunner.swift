import CLinux
import Glibc
import SoundTrigger

/// Starts the commands of a configuration, one after the other, and knows which of them run. Belongs to the event loop.
final class CommandRunner {
  /// How many polled commands run at one time.
  static let mostPolled = 8
  /// How long the start of a program may take, because it may be on a mount that hangs.
  private static let startPatience = Duration.seconds(2)
  /// How many starts may hang. Then no further program is started.
  private static let mostStuck = 4

  /// What every command gets of soundd.
  struct Setting: Sendable {
    /// `NAME=VALUE`.
    var environment: [String]
    var path: String?
    /// Whether soundd is a unit of systemd.
    var isService: Bool
    /// The limits with which soundd was started.
    var files, realTime: ResourceLimit

    /// Without the variables that are for soundd alone: its socket and its notifications.
    init(_ environment: SystemEnvironment) {
      let own: Set = ["NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "WATCHDOG_USEC", "WATCHDOG_PID"]
      self.environment = environment.variables.filter { !own.contains($0.key) }.map { "\($0)=\($1)" }.sorted()
      path = environment.variable("PATH")
      isService = environment.variable("INVOCATION_ID") != nil
      files = ResourceLimit(.openFiles)
      realTime = ResourceLimit(.realTimeRuntime)
    }
  }

  let loop: EventLoop
  private let setting: Setting
  private let spawn: @Sendable (ExternalCommand, Setting) -> StartResult
  /// Its thread makes the processes and lives as long as the daemon, because the kernel kills them at its end.
  private var worker: BoundedWorker?
  /// Those whose last start does not return, and those whose last start returned late.
  private var stuck: [BoundedWorker] = []
  private var idle: [BoundedWorker] = []
  private var waiting: [CommandSource] = []
  private var isStarting = false
  /// Those that start, or have a process.
  private var live: [ObjectIdentifier: CommandSource] = [:]
  private lazy var next = EventLoop.Timer { [unowned self] in startNext() }

  /// `spawn` makes a process, on a thread of its own.
  init(
    _ setting: Setting, on loop: EventLoop,
    spawn: @escaping @Sendable (ExternalCommand, Setting) -> StartResult = CommandRunner.spawn
  ) {
    self.loop = loop
    self.setting = setting
    self.spawn = spawn
  }

  /// Whether no process is left.
  var isIdle: Bool { live.isEmpty }

  func enqueue(_ source: CommandSource) {
    waiting.append(source)
    startSoon()
  }

  func remove(_ source: CommandSource) {
    waiting.removeAll { $0 === source }
    live[ObjectIdentifier(source)] = nil
    startSoon()
  }

  /// Starts the next command in the next turn of the loop, one in each.
  func startSoon() { if !isStarting, !waiting.isEmpty { loop.schedule(next, at: loop.now) } }

  private func startNext() {
    let busy = live.values.count { $0.life.command.every != nil && $0.life.isBusy }
    let index = waiting.firstIndex { $0.life.command.every == nil || busy < Self.mostPolled }
    guard !isStarting, let index else { return }
    let source = waiting.remove(at: index)
    isStarting = true
    live[ObjectIdentifier(source)] = source
    source.willStart()
    start(source)
  }

  /// Ends all processes at once, whatever they do.
  func killAll() { for source in live.values { source.process?.send(SIGKILL) } }

  /// Ends the threads. Returns whether a start is left behind, see `BackgroundWorker.stop`.
  func stop() -> Bool {
    let workers = stuck + idle + [worker].compactMap(\.self)
    return workers.reduce(false) { $1.stop() || $0 }
  }

  // MARK: Making a process

  enum StartResult: Sendable {
    case process(clinux_process)
    case failed(String)
  }

  /// Where a start is, for both threads.
  private enum Start: Sendable {
    case running
    /// The loop has given up. The thread discards the process if it still comes.
    case givenUp
    case done(StartResult)
  }

  private func start(_ source: CommandSource) {
    do throws(SystemError) {
      if worker == nil { worker = idle.popLast() }
      if worker == nil, stuck.count < Self.mostStuck {
        worker = try BoundedWorker(name: "soundd-commands", limit: Self.startPatience, on: loop)
      }
    } catch {
      return finish(source, .failed("\(error)"))
    }
    guard let worker else {
      return finish(source, .failed("\(Self.mostStuck) other programs are on file systems that do not answer"))
    }
    let outcome = Guarded(Start.running)
    worker.perform { [spawn, setting, command = source.life.command] in
      let result = spawn(command, setting)
      outcome.withLock { outcome in
        if case .givenUp = outcome, case .process(let process) = result {
          Self.discard(process.pid)
          for fd in [process.pidfd, process.output, process.errors] { close(fd) }
        }
        outcome = .done(result)
      }
    } then: { [unowned self] _ in
      let result = outcome.withLock { outcome -> StartResult? in
        if case .done(let result) = outcome { return result }
        outcome = .givenUp
        return nil
      }
      if let result { finish(source, result) } else { giveUp(source, worker) }
    }
  }

  private func finish(_ source: CommandSource, _ result: StartResult) {
    isStarting = false
    source.started(result)
    startSoon()
  }

  /// A start does not return: others get another thread. The command is not started again until it does.
  private func giveUp(_ source: CommandSource, _ worker: BoundedWorker) {
    stuck.append(worker)
    self.worker = nil
    isStarting = false
    source.startHangs()
    worker.recovered = { [unowned self, unowned worker] in
      stuck.removeAll { $0 === worker }
      idle.append(worker)
      source.started(.failed(CommandSource.noAnswer))
    }
    startSoon()
  }

  /// Kills a process that the loop cannot watch. The worker's thread waits for its end.
  func discard(_ pid: pid_t) { worker?.perform({ Self.discard(pid) }, then: { _ in }) }

  private static func discard(_ pid: pid_t) {
    kill(-pid, SIGKILL)
    waitpid(pid, nil, 0)
  }

  /// Runs on the worker's thread.
  @Sendable static func spawn(_ command: ExternalCommand, _ setting: Setting) -> StartResult {
    var process = clinux_process()
    var step: Int32 = 0
    let code = withStrings(command.arguments) { arguments in
      withStrings(setting.environment) { environment in
        command.folder.withCString { folder in
          var description = clinux_command(
            arguments: arguments, environment: environment, folder: folder,
            files: clinux_limit(soft: setting.files.soft, hard: setting.files.hard),
            realtime: clinux_limit(soft: setting.realTime.soft, hard: setting.realTime.hard))
          return clinux_spawn(&description, &process, &step) == 0 ? 0 : errno
        }
      }
    }
    if code == 0 { return .process(process) }
    switch Int(step) {
    case CLINUX_STEP_EXEC:
      return .failed(command.startProblem(code, path: setting.path, isService: setting.isService))
    case CLINUX_STEP_FOLDER: return .failed("the folder \(command.folder): \(SystemError.text(code))")
    default: return .failed(SystemError.text(code))
    }
  }

  /// A NULL-terminated array of C strings.
  private static func withStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    let pointers = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return withExtendedLifetime(pointers) { body(pointers) }
  }
}
