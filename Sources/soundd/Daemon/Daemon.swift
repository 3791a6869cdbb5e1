import CLinux
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
  private static let longestFarewell = Duration.milliseconds(120)
  /// How long the end of the audio thread and the closing of the device may take, and at least may take.
  private static let longestClosing = Duration.milliseconds(100)
  private static let shortestClosing = Duration.milliseconds(20)
  /// How long the last state may take to be saved if nobody told the daemon to leave.
  private static let longestSave = Duration.seconds(2)

  let plan: DaemonPlan
  let log: Logger
  let loop: EventLoop
  let startTime: Instant
  var configuration: Configuration
  let pipeline: Pipeline
  let device: DeviceDriver
  /// What touches files.
  let files: FileThreads
  let sounds: TriggerSounds
  let feeds: ValueFeeds
  let memory: DaemonMemory
  var clients = Clients()
  var remembered = Remembered()
  let service: ServiceManager
  var reloads: ReloadState
  private var stage = Stage.loading(isReloadPending: false)

  private enum Stage {
    /// The sounds are being loaded; and whether a reload was asked for meanwhile.
    case loading(isReloadPending: Bool)
    case running
    /// Standard input, the only source, has ended; the text says why it could not be read to its end. What waits is
    /// still played; then the daemon leaves.
    case finishing(String?)
    /// A signal has stopped the daemon: no sound begins any more. It leaves after the fade-out, or at this time. The text
    /// is that of `finishing`, if the input had ended.
    case leaving(Instant, String?)

    var inputProblem: String? {
      switch self {
      case .loading, .running: nil
      case .finishing(let problem), .leaving(_, let problem): problem
      }
    }
  }

  /// Whom the daemon serves.
  struct Clients {
    /// `nil` if there is no socket.
    fileprivate(set) var server: ControlServer?
    let subscriptions = EventSubscriptions<ClientConnection> { Timestamp(of: $0) }
    /// Those that wait to learn what became of their plays by hand.
    var handPlays: [PlayID: ClientConnection] = [:]
  }

  /// What the log has been told, because some messages may come in storms, and what is watched meanwhile.
  struct Remembered {
    var noVoice = RateLimit(.seconds(1))
    var unpitched = RateLimit(.seconds(60))
    var clientsWait = RateLimit(.seconds(60))
    var clientMadeRoom = RateLimit(.seconds(60))
    var wasRealTime = false
    var misspeltNames = MisspeltNames()
    /// When each alarm that is not normal began, as clients know it.
    var alarmTimes: [String: (Instant, Timestamp)] = [:]
    /// What the log said last of each alarm that is not normal.
    var alarmTexts: [String: String] = [:]
    var oldSilences = OldSilences()
    /// The patterns that have refused members.
    var fullPatterns: Set<ValuePattern> = []
    /// Fires when the next silence is old.
    var silenceTimer: EventLoop.Timer?
    /// What subscribers know; `nil`: the next turn notifies them, whatever it is.
    var settings: Settings?
    /// The sound servers' sockets among the paths of `files`, while no server plays the device and one might.
    var serverWatches: [Int] = []
    var serverSearch = ServerSearch()
    /// The one that listened when the device was opened, if it plays the device.
    var server: SoundServer?
  }

  /// Opens the device and locks the state, in the background, and makes a daemon for them. Returns `nil` if soundd was told to leave
  /// meanwhile. Then the opening may be left behind, and the process must end by `_exit`.
  static func start(_ plan: DaemonPlan, log: Logger) throws -> Daemon? {
    // A second daemon must not take the device before it finds the first one.
    if let path = plan.socket, passedSocket(plan) == nil { try ListeningSocket.check(path) }
    let commands = CommandRunner.Setting(plan.environment)
    let loop = try EventLoop()
    var isLeaving = false
    // First of all, because every thread that is started later inherits the blocked signals.
    let signals = try SignalSource(on: loop) { isLeaving = isLeaving || plan.ends(at: $0) }
    let place = try StatePlace(plan, on: loop, log: log)
    let device = try DeviceOpener(plan.configuration.output)
    device.begin()
    let report = try loop.add(device.reportDescriptor, .readable) { _ in }
    let patience = EventLoop.Timer {}
    loop.schedule(patience, at: loop.now.advanced(by: BoundedCall.patience))
    while (!device.isDone && patience.isScheduled) || place?.lock.isAsked ?? false, !isLeaving { try loop.runOnce() }
    loop.cancel(patience)
    loop.remove(report)
    return isLeaving ? nil : try Daemon(plan, device, place, signals, commands, on: loop, log: log)
  }

  private init(
    _ plan: DaemonPlan, _ opener: DeviceOpener, _ place: StatePlace?, _ signals: SignalSource,
    _ commands: CommandRunner.Setting, on loop: EventLoop, log: Logger
  ) throws {
    self.plan = plan
    self.log = log
    self.loop = loop
    startTime = loop.now
    configuration = plan.configuration
    reloads = ReloadState(
      reader: try BoundedWorker(name: "soundd-reader", limit: FileExchange.patience, on: loop))
    reloads.lastRead = plan.bad.map(\.text) ?? plan.text
    reloads.file = plan.text?.file
    (reloads.bad, reloads.problem) = (plan.bad, plan.bad?.failure)
    service = ServiceManager(environment: plan.environment.variable)
    files = try FileThreads(on: loop)
    device = try DeviceDriver(opener, voiceLimit: configuration.limits.voices, at: loop.now)
    if let error = device.output.deviceError, plan.needsDevice { throw error }
    pipeline = try Pipeline(
      configuration, player: Player(device.output, seed: .random(in: 0 ... .max)), at: loop.now,
      seed: .random(in: 0 ... .max))
    sounds = try TriggerSounds(
      locator: plan.environment.soundLocator(configurationFile: reloads.file, configuration),
      loader: ClipLoader(rate: device.output.rate, limitSeconds: configuration.limits.soundSeconds, isConfined: true),
      file: reloads.file,
      files: files, commands: commands, on: loop, log: log)
    feeds = ValueFeeds(pipeline, files: files, commands: commands, on: loop, log: log)
    memory = try DaemonMemory(plan, place, pipeline, files: files, on: loop, log: log)
    signals.handler = { [unowned self] in handle(signal: $0) }
    memory.mutes.unmute = { [unowned self] in setMuted(false, $0) }
    pipeline.observer = self
    pipeline.conductor.notesChanges = false
    clients.subscriptions.subscribersChanged = { [unowned self] in
      pipeline.conductor.notesChanges = !clients.subscriptions.isEmpty
      pipeline.conductor.engine.notesVerdicts = clients.subscriptions.wantsVerdicts
    }
    pipeline.conductor.monotonic = { [loop] _ in loop.monotonicNow }
    sounds.onChange = { [unowned self] _ in pipeline.setSounds(sounds.loaded, at: loop.now) }
    files.onChange = { [unowned self, log] name, isStuck in
      if isStuck {
        log.warning("\(name) does not answer: what is on it keeps its last content until it does")
      } else {
        log.notice("\(name) answers again")
        sounds.mountRecovered()
      }
    }
    reloads.reader.recovered = { [unowned self] in configurationMayHaveChanged() }
    let paths = plan.paths.map(plan.environment.absolute)
    reloads.watch = ConfigurationWatch(paths + paths.map(ConfigurationFile.folder), files: files, on: loop) {
      [unowned self] in
      configurationMayHaveChanged()
    } failed: { [log] in
      log.warning("\($0)")
    }
    loop.afterSleep = { [unowned self] in
      pipeline.woke(at: loop.now)
      feeds.commands.slept(for: $0)
    }
    _ = try loop.add(opener.reportDescriptor, .readable) { [unowned self] _ in collect() }
  }

  var output: Output { device.output }

  /// Loads the sounds, reads the sources and plays until the daemon is told to leave.
  ///
  /// `leavesJobBehind`: whether a background job did not end in time. Then the process must end by `_exit`, see
  /// `BackgroundWorker.stop`.
  func run(_ leavesJobBehind: inout Bool) throws {
    device.isEndless = { [unowned pipeline] in pipeline.conductor.player.playing.allSatisfy(\.loops) }
    logDevice()
    keepDevice()
    logRealTime()
    try loadSounds()
    if let text = plan.bad?.text { noteErrors(of: ConfigurationDraft(text, environment: plan.environment), text) }
    let deadline = EventLoop.Timer { [unowned self] in
      pipeline.advance(to: loop.now)
      keepDevice()
    }
    logRestoredAlarms()
    try lookAtSources(deadline)
    if !loop.isStopping, !isLeaving { try open() }
    while !loop.isStopping { try turn(deadline) }
    clients.server?.close()
    let isStarting = feeds.commands.stop()
    memory.keeper?.saveNow()
    memory.activity?.saveNow()
    let isLoading = sounds.stop()
    var patience = Self.longestSave
    var devicePatience = Self.longestClosing
    if case .leaving(let latest, _) = stage {
      patience = EventLoop.clock().duration(to: latest)
      devicePatience = min(devicePatience, max(.zero, patience) + Self.shortestClosing)
    }
    let isPlaying = output.stop(patience: devicePatience)
    let isSaving = memory.keeper?.end(patience: patience) ?? false
    let isTouching = files.stop()
    let isReading = reloads.reader.stop()
    device.stop()
    leavesJobBehind =
      BoundedCall.isAnyLeftBehind || isLoading || isSaving || isPlaying || isTouching || isReading || isStarting
    if let problem = stage.inputProblem { throw Failure(.inputOutput, problem) }
  }

  /// Loads the sounds, while signals are handled and the device is kept. Nothing is decided meanwhile.
  private func loadSounds() throws {
    var isLoaded = false
    sounds.room = { [unowned self] in pipeline.roomForCollections }
    sounds.load(configuration.soundNames) { isLoaded = true }
    let deadline = EventLoop.Timer { [unowned self] in keepDevice() }
    while !isLoaded, !loop.isStopping {
      if let next = deviceDeadline { loop.schedule(deadline, at: next) }
      try loop.runOnce()
      if isLeaving, pipeline.conductor.player.isSilent { loop.stop() }
    }
    loop.cancel(deadline)
    pipeline.woke(at: loop.now)
  }

  /// Looks at the sources, once the sounds are loaded. A mount that does not answer is waited for a second at most; then it is looked
  /// at later.
  private func lookAtSources(_ deadline: EventLoop.Timer) throws {
    if loop.isStopping { return }
    sounds.use(configuration)
    var isDone = false
    feeds.follow(configuration) { isDone = true }
    while !isDone, !loop.isStopping { try turn(deadline) }
  }

  /// Opens the socket and reads standard input, after the first looks at the sources.
  private func open() throws {
    if let problem = sounds.watchProblem {
      log.warning("\(problem); sounds that change are loaded again only by 'soundd reload'")
    }
    if let socket = plan.socket { clients.server = try openSocket(socket) }
    if let path = clients.server?.path {
      // Also at its first look, because the file may be gone by then.
      _ = files.open(path, ChangeSource.self) { [unowned self] _ in keepSocket() }
    }
    try feeds.read(plan.input) { [unowned self] in inputEnded($0) }
    pipeline.resumeAlarms(at: loop.now)
    logOldSilences()
    service.ready(status: summary)
    log.notice("ready: \(summary)\(locations)")
    findWarnings { [log, isBad = reloads.bad != nil] in
      for warning in $0 { log.log(level: isBad && warning.isAboutFile ? .error : .warning, "\(warning)") }
    }
    service.keepAlive(on: loop) { [unowned self] in output.isAudioThreadAlive() }
    guard case .loading(let isReloadPending) = stage else { return }
    stage = .running
    if plan.bad != nil { playError() } else if let text = plan.text { memory.keep(good: text) }
    if isReloadPending { reload { _ in } }
    reloads.watch?.start()
  }

  /// One turn of the loop, and what follows from it. `deadline` fires when pipeline or device have something to do.
  private func turn(_ deadline: EventLoop.Timer) throws {
    try loop.runOnce()
    if case .finishing = stage { pipeline.finishAlarms(at: loop.now) }
    speak(at: loop.now)
    pipeline.drain(at: loop.now)
    checkNames()
    notifySettings()
    if pipeline.removeHasHappened() {
      memory.keeper?.decided()
      if pipeline.heapTrimIsDue() { clinux_trim_heap() }
    }
    if let dropped = clients.server?.droppedBytes, dropped >= HeapTrim.least {
      clients.server?.droppedBytes = 0
      clinux_trim_heap()
    }
    clients.subscriptions.send()
    if let next = Instant.earlier(pipeline.nextDeadline, deviceDeadline) {
      loop.schedule(deadline, at: next)
    } else {
      loop.cancel(deadline)
    }
    switch stage {
    case .loading, .running: break
    case .finishing: if pipeline.nextWait == nil, !sounds.isBusy, pipeline.conductor.player.isSilent { loop.stop() }
    case .leaving: if pipeline.conductor.player.isSilent, feeds.commands.isIdle { loop.stop() }
    }
  }

  /// Receives what the audio thread reports.
  func collect() {
    watchPriority()
    keepDevice(pipeline.collect(at: loop.now))
  }

  /// Plays `error`: the configuration is bad, and its user may look at no log.
  private func playError() {
    sounds.fetch("error") { [unowned self] result in
      switch result {
      case .failure(let problem): log.warning("\(problem.line)")
      case .success(let clip): pipeline.play("error", clip, as: pipeline.makePlayID(), at: loop.now)
      }
    }
  }

  // MARK: The end

  var isLeaving: Bool { if case .leaving = stage { true } else { false } }

  private func handle(signal: Int32) {
    // A daemon that leaves has nothing to reload, and must not tell the service manager that it is ready.
    if isLeaving { return }
    if plan.ends(at: signal) { return leave() }
    // `watch` under nohup(1) has no configuration.
    if plan.paths.isEmpty { return }
    if case .loading = stage {
      stage = .loading(isReloadPending: true)
    } else {
      // The log has what is wrong with the file; there is nobody else to notify.
      reload { _ in }
    }
  }

  /// Fades out and leaves.
  private func leave() {
    service.stopping()
    let latest = loop.now.advanced(by: Self.longestFarewell)
    stage = .leaving(latest, stage.inputProblem)
    sounds.stop()
    reloads.watch?.stop()
    feeds.stopInput()
    feeds.commands.end()
    pipeline.endSearches()
    clients.subscriptions.send()
    clients.server?.close()
    pipeline.end(fade: Self.farewellFade, at: loop.now)
    // While it fades.
    memory.keeper?.saveNow()
    memory.activity?.saveNow()
    loop.schedule(EventLoop.Timer { [loop] in loop.stop() }, at: latest)
  }

  private func inputEnded(_ problem: String?) {
    if feeds.hasSource {
      if let problem { log.error("\(problem)") }
    } else if !isLeaving {
      pipeline.expectNothing()
      stage = .finishing(problem)
    }
  }

  /// Where the configuration and the socket are, as the log says it.
  private var locations: String {
    let parts = [
      reloads.file.map { "configuration \(plan.environment.absolute($0))" },
      clients.server.map { "socket \($0.path ?? "of the service manager")" },
    ].compactMap(\.self)
    return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
  }

  /// For people: the log and `systemctl status`.
  var summary: String {
    let triggers = configuration.triggers.count
    return
      "\(triggers) \(triggers == 1 ? "trigger" : "triggers"), "
      + (output.device == nil && !output.isReleased ? "no device" : configuration.output.device)
      + configurationProblem
  }

  private var configurationProblem: String {
    if let bad = reloads.bad {
      return "; with\(bad.copyKeptAt == nil ? "out a" : " the last") good configuration ('soundd status' says why)"
    }
    return reloads.problem == nil ? "" : "; the configuration was not reloaded ('soundd status' says why)"
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
