import Glibc
import Logging
import SoundTrigger

/// The running daemon: wires sources, pipeline, sounds, output and socket to one event loop.
///
/// `init` opens nothing that could block; the device is open already, and `run` loads the sounds while it handles signals.
final class Daemon {
  /// How long the sounds may take to fade when the daemon is told to leave, and how long all of the end may take: well within
  /// the 200 ms of a clean stop.
  private static let farewellFade = Duration.milliseconds(50)
  private static let longestFarewell = Duration.milliseconds(150)
  /// How long the last state may take to be saved if nobody told the daemon to leave.
  private static let longestSave = Duration.seconds(2)

  let plan: DaemonPlan
  let log: Logger
  let loop: EventLoop
  let environment: SystemEnvironment
  let startTime: Instant
  var configuration: Configuration
  let pipeline: Pipeline
  let output: Output
  let device: DeviceKeeper
  let sounds: TriggerSounds
  let feeds: ValueFeeds
  let memory: DaemonMemory
  private(set) var server: ControlServer?
  private(set) lazy var publisher = EventPublisher { Timestamp(of: $0) }
  /// Clients that wait to learn what became of their plays by hand.
  var handPlays: [PlayID: ClientConnection] = [:]
  var complaints = Complaints()
  private let service: ServiceManager
  private var wiring = Wiring()
  private var departure = Departure()
  private var isReady = false

  /// What keeps timers and descriptors on the loop.
  private struct Wiring {
    var reports: EventLoop.Token?
    var deadline: EventLoop.Timer?
    var farewell: EventLoop.Timer?
  }

  /// How near the end is.
  private struct Departure {
    enum Stage {
      /// Nobody asked for it.
      case none
      /// The input has ended. What waits is still played; then the daemon leaves.
      case afterTheLastSound
      /// The daemon was told to leave: nothing begins any more, and it leaves after the fade-out.
      case now
    }

    var stage = Stage.none
    /// When the daemon leaves, whatever is under way.
    var latest: Instant?
    /// Why standard input, the only source, could not be read to its end.
    var inputProblem: String?
    /// Whether a background job did not end in time.
    var leavesJobBehind = false
    /// Whether the last reload failed, so that the file is not what runs.
    var hasFailedReload = false
    /// Whether a reload was asked for before the daemon was ready.
    var isReloadPending = false
  }

  /// Messages that may come in storms.
  struct Complaints {
    var noVoice = RateLimit(.seconds(1))
    var clientsWait = RateLimit(.seconds(60))
    var wasRealTime = false
  }

  /// Whether a background job did not end in time. Then the process must end by `_exit`, see `BackgroundWorker.stop`.
  var leavesJobBehind: Bool { departure.leavesJobBehind }

  init(
    _ plan: DaemonPlan, _ startup: Startup, _ opened: OpenedDevice?, environment: SystemEnvironment, log: Logger
  ) throws {
    self.plan = plan
    self.log = log
    self.environment = environment
    loop = startup.loop
    startTime = loop.now
    configuration = plan.configuration
    service = ServiceManager(environment: { environment.variable($0) })
    let watcher = try FolderWatcher(on: loop)
    output = try Output(configuration.output, opened: opened, voiceLimit: configuration.limits.voices)
    if let error = output.deviceError, plan.needsDevice { throw error }
    pipeline = try Pipeline(
      configuration, player: Player(output), at: loop.now, seed: .random(in: 0 ... .max))
    sounds = try TriggerSounds(
      locator: environment.soundLocator(configurationFile: plan.file),
      loader: ClipLoader(rate: output.rate, limitSeconds: configuration.limits.soundSeconds), file: plan.file,
      watcher: watcher, on: loop, log: log)
    feeds = ValueFeeds(pipeline, watcher: watcher, on: loop, log: log)
    memory = try DaemonMemory(plan, pipeline, environment: environment, watcher: watcher, on: loop, log: log)
    device = startup.device
    startup.handler = { [unowned self] in handle(signal: $0) }
    pipeline.observer = self
    pipeline.arrival = { [loop] in loop.monotonicNow }
    sounds.onChange = { [unowned self] _ in pipeline.setSounds(sounds.loaded, at: loop.now) }
    loop.afterSleep = { [unowned self] in pipeline.slept(for: $0) }
    wiring.deadline = EventLoop.Timer { [unowned self] in pipeline.advance(to: loop.now) }
    wiring.farewell = EventLoop.Timer { [unowned self] in loop.stop() }
    wiring.reports = try loop.add(output.reportDescriptor, .readable) { [unowned self] _ in collect() }
  }

  /// Loads the sounds, reads the sources and plays until the daemon is told to leave.
  func run() throws {
    device.keep(output) { [unowned self] in if departure.stage != .now { service.status(summary) } }
    logRealTime()
    try loadSounds()
    if !loop.isStopping { try open() }
    while !loop.isStopping { try turn() }
    server?.close()
    memory.keeper?.saveNow()
    output.stop()
    let isLoading = sounds.stop()
    let patience = departure.latest.map { EventLoop.clock().duration(to: $0) } ?? Self.longestSave
    let isSaving = memory.keeper?.end(patience: patience) ?? false
    departure.leavesJobBehind = device.stop() || isLoading || isSaving
    if let problem = departure.inputProblem { throw Failure(.inputOutput, problem) }
  }

  /// Loads the sounds while signals are handled. Nothing is decided meanwhile.
  private func loadSounds() throws {
    let start = loop.now
    var isLoaded = false
    sounds.load(configuration.soundNames) { isLoaded = true }
    while !isLoaded, !loop.isStopping {
      try loop.runOnce()
      if departure.stage == .now, pipeline.triggers.player.isSilent { loop.stop() }
    }
    // soundd could not listen: that time does not count for expect_every.
    pipeline.slept(for: start.duration(to: loop.now))
  }

  /// Opens the socket and starts the sources, once the sounds are loaded.
  private func open() throws {
    sounds.use(configuration)
    if let problem = sounds.watchProblem {
      log.warning("\(problem); sounds that change are loaded again only by 'soundd reload'")
    }
    if let socket = plan.socket { server = try openSocket(socket) }
    feeds.follow(configuration.values)
    try feeds.read(plan.input) { [unowned self] in inputEnded($0) }
    service.ready(status: summary)
    log.notice("ready: \(summary)")
    isReady = true
    if departure.isReloadPending { try? reload { _ in } }
  }

  /// One turn of the loop, and what follows from it.
  private func turn() throws {
    try loop.runOnce()
    if departure.stage == .afterTheLastSound { pipeline.finishLoops(at: loop.now) }
    if pipeline.removeHasDecided() { memory.keeper?.decided() }
    publisher.send()
    if let timer = wiring.deadline {
      if let deadline = pipeline.nextDeadline { loop.schedule(timer, at: deadline) } else { loop.cancel(timer) }
    }
    switch departure.stage {
    case .none: break
    case .afterTheLastSound:
      if pipeline.nextWait == nil, !sounds.isBusy, pipeline.triggers.player.isSilent { loop.stop() }
    case .now: if pipeline.triggers.player.isSilent { loop.stop() }
    }
  }

  /// Receives what the audio thread reports.
  func collect() {
    watchPriority()
    device.collected(pipeline.collect(at: loop.now))
  }

  // MARK: The end

  private func handle(signal: Int32) {
    // A daemon that leaves has nothing to reload, and must not tell the service manager that it is ready.
    if departure.stage == .now { return }
    if signal != SIGHUP { return leave() }
    if !isReady {
      departure.isReloadPending = true
    } else {
      // The log has what is wrong with the file; there is nobody else to notify.
      try? reload { _ in }
    }
  }

  /// Fades out and leaves.
  private func leave() {
    service.stopping()
    departure.stage = .now
    sounds.stop()
    feeds.stopInput()
    publisher.send()
    server?.close()
    pipeline.triggers.player.refuseAll()
    pipeline.triggers.player.stopAll(fade: Self.farewellFade)
    // While it fades.
    memory.keeper?.saveNow()
    let latest = loop.now.advanced(by: Self.longestFarewell)
    departure.latest = latest
    if let timer = wiring.farewell { loop.schedule(timer, at: latest) }
  }

  private func inputEnded(_ problem: String?) {
    if feeds.hasSource {
      if let problem { log.error("\(problem)") }
    } else if departure.stage == .none {
      departure.inputProblem = problem
      pipeline.expectNothing()
      departure.stage = .afterTheLastSound
    }
  }

  // MARK: Reload

  /// Reads the configuration again. If anything is wrong with it, nothing changes.
  ///
  /// Logs what is wrong. Throws what is found at once; otherwise `done` is called when the sounds are loaded and the
  /// configuration is in use, or with what was wrong after all.
  func reload(then done: @escaping (Failure?) -> Void) throws(Failure) {
    service.reloading()
    var next: Configuration
    do throws(Failure) {
      guard let file = plan.file else { throw Failure(.refused, "there is no configuration file to reload") }
      next = try ConfigurationFile.read(file, environment: environment)
    } catch {
      reloadFailed(error)
      throw error
    }
    if let device = plan.device { next.output.device = device }
    if next.output != configuration.output || next.limits != configuration.limits {
      log.warning("changes of [output] and [limits] need a restart: systemctl --user restart soundd")
      next.output = configuration.output
      next.limits = configuration.limits
    }
    sounds.load(next.soundNames) { [unowned self] in
      do throws(Failure) {
        try use(next)
        done(nil)
      } catch {
        sounds.removeUnused()
        reloadFailed(error)
        done(error)
      }
    }
  }

  private func reloadFailed(_ failure: Failure) {
    departure.hasFailedReload = true
    log.error("\(failure)\nthe configuration was not changed")
    service.ready(status: summary)
  }

  /// Uses another configuration, whose sounds are loaded.
  private func use(_ next: Configuration) throws(Failure) {
    let changed = pipeline.triggers(notAmong: next.triggers.map(\.definition))
    do throws(ValueStoreError) {
      try pipeline.replace(next, at: loop.now) {
        configuration = next
        publisher.triggersChanged()
        pipeline.triggers.player.keepLatencies(of: Set(next.triggers.map(\.definition.name)))
        sounds.use(next)
      }
    } catch {
      throw Failure(.configuration, "\(plan.file ?? ""): \(error)")
    }
    for trigger in changed where trigger.isBusy {
      log.notice("trigger '\(trigger.name)' has changed: what it waited for is called off")
    }
    memory.use(next)
    feeds.follow(next.values)
    departure.hasFailedReload = false
    log.notice("reloaded: \(summary)")
    service.ready(status: summary)
  }

  /// For people: the log and `systemctl status`.
  private var summary: String {
    let triggers = configuration.triggers.count
    return
      "\(triggers) \(triggers == 1 ? "trigger" : "triggers"), "
      + (output.device == nil && !output.isReleased ? "no device" : configuration.output.device)
      + (departure.hasFailedReload ? "; the configuration has errors and was not reloaded" : "")
  }
}

/// Lets something through once in a while.
struct RateLimit {
  private let interval: Duration
  private var last: Instant?

  init(_ interval: Duration) { self.interval = interval }

  mutating func allows(at now: Instant) -> Bool {
    if let last, last.duration(to: now) < interval { return false }
    last = now
    return true
  }
}
