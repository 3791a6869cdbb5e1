import CLinux
import Glibc
import Logging
import SoundTrigger

/// The running daemon: sources, pipeline, sounds and output on one event loop.
///
/// This is the one place where triggers and the mixer meet.
final class Daemon: RequestHandler {
  /// How long what sounds at the end may take to fade, and how long all of the end, with the last state's way to the disk:
  /// well within the 200 ms of a clean stop.
  private static let farewell = Duration.milliseconds(50)
  private static let longestFarewell = Duration.milliseconds(150)
  /// How long the last state may take if nobody told it to leave.
  private static let longestSave = Duration.seconds(2)

  let plan: DaemonPlan
  let log: Logger
  let loop: EventLoop
  let environment: SystemEnvironment
  let output: Output
  var configuration: Configuration
  var pipeline: Pipeline
  var shelf = SoundShelf()
  let sounds: SoundKeeper
  var server: ControlServer?
  /// When it was said last that clients have to wait.
  var lastClientWait: Instant?
  var volume = MasterVolume()
  var profile: ProfileKeeper?
  var state: StateKeeper?
  var clockDifference: ClockDifference
  var digests = DigestMemory()
  var running = RunningSounds()
  /// What no device has taken yet.
  var unheard = UnheardPlays()
  /// Who follows what happens.
  private(set) lazy var events = EventSubscriptions<ControlClient> { [unowned self] in timestamp($0) }
  /// Plays that they are still to be told of.
  var notedPlays: [NotedPlay] = []
  /// How many plays there have been since it was asked what for.
  var playCount = 0
  /// Whether lines are carried out in a run, which has the engine for itself.
  var isInRun = false
  /// Voices to be stopped for which the mixer's queue had no room.
  var unstopped: [RunningSounds.Sound] = []
  /// Whether loops that are called off may sound to their end.
  var isFinishing = false
  /// Whether a loop found no room, and is to be tried again when there is some.
  var hasLoopWithoutRoom = false
  let startTime: Instant
  private let manager: ServiceManager
  private let watcher: FolderWatcher
  private let worker: BackgroundWorker
  private var signals: SignalSource?
  private var files: [FileFeed] = []
  private var input: StdinSource?
  private var reportToken: EventLoop.Token?
  private var deadlineTimer: EventLoop.Timer?
  var device: DeviceKeeper?
  /// How long the plays of each trigger took, by its name.
  var latencies: [String: LatencyRecord] = [:]
  private var farewellTimer: EventLoop.Timer?
  private var ending = Ending.none
  /// When it is over whatever is under way, once it was told to leave.
  private var leaveBy: Instant?
  /// Whether a job in the background did not end in time: then the process must end by `_exit`, see `BackgroundWorker.stop`.
  private(set) var leavesJobBehind = false
  /// Why standard input, the only source, could not be read to its end.
  private var inputProblem: String?
  /// Plays left out because too much was under way, and when that was last said.
  var leftOut = 0
  var lastCrowd: Instant?
  /// What the mixer had left out when that was last said.
  var refusedBefore = 0
  /// How many values cannot be watched, and of how many of them it is said why.
  private var unwatched = 0
  private static let mostUnwatched = 5
  /// Whether the configuration file is not what runs, because the last attempt to reload it failed.
  private var hasFailedReload = false
  /// Whether the audio thread had real-time priority when it was last looked at.
  var wasRealTime = false
  /// The event that is being handled arrived then, by CLOCK_MONOTONIC.
  var arrival: Instant { loop.monotonicNow }

  /// Opens everything: the device, the sounds, the socket. Nothing is played yet.
  init(_ plan: DaemonPlan, environment: SystemEnvironment, log: Logger) throws {
    self.plan = plan
    self.log = log
    self.environment = environment
    configuration = plan.configuration
    manager = ServiceManager(environment: { environment.variable($0) })
    loop = try EventLoop()
    startTime = loop.now
    clockDifference = ClockDifference(at: startTime)
    // First of all: the audio thread is to inherit the blocked signals.
    watcher = try FolderWatcher(on: loop)
    let early = SignalRelay()
    signals = try SignalSource(on: loop) { early.handler($0) }
    output = try Output(configuration.output, voiceLimit: configuration.limits.voices)
    if let error = output.deviceError, plan.needsDevice { throw error }
    pipeline = try Pipeline(configuration, at: loop.now, seed: .random(in: 0 ... .max))
    worker = try BackgroundWorker(name: "soundd-loader", on: loop)
    sounds = SoundKeeper(
      locator: environment.soundLocator(configurationFile: plan.file),
      loader: ClipLoader(rate: output.rate, limitSeconds: configuration.limits.soundSeconds), watcher: watcher,
      worker: worker, on: loop)
    early.handler = { [unowned self] in handle(signal: $0) }
    deadlineTimer = EventLoop.Timer { [unowned self] in
      pipeline.advance(to: loop.now)
      dropUnheard()
    }
    device = try DeviceKeeper(output, on: loop, log: log) { [unowned self] in
      if output.device != nil { unheard.removeAll() }
      if ending != .now { manager.status(summary) }
    }
    farewellTimer = EventLoop.Timer { [unowned self] in loop.stop() }
    reportToken = try loop.add(output.reportDescriptor, .readable) { [unowned self] _ in collect() }
    pipeline.perform = { [unowned self] in perform($0) }
    pipeline.refused = { [unowned self] in
      log.warning("value '\(pipeline.store.name(of: $0))': \($1); the old one stays")
    }
    loop.afterSleep = { [unowned self] in pipeline.slept(for: $0) }
    try goOn(watcher: watcher)
    loadSounds()
    if let socket = plan.socket { server = try openSocket(socket) }
  }

  /// Reads the sources and plays until it is told to end.
  func run() throws {
    device?.start()
    logRealTime()
    // Nothing could be heard of any value while the sounds were loaded.
    pipeline.slept(for: loop.lookAtClock())
    for value in configuration.values { try follow(value) }
    countUnwatched()
    switch plan.input {
    case .none: break
    case .lines:
      input = StdinSource(
        on: loop, onLine: { [unowned self] in takeLine($0, $1) }, onEnd: { [unowned self] in inputEnded($0) })
    case .value(let name):
      let id = try pipeline.store.idDeclaringIfNeeded(Array(name.utf8).span)
      input = StdinSource(
        on: loop, onLine: { [unowned self] in takeValue(id, $0, $1) }, onEnd: { [unowned self] in inputEnded($0) })
    }
    manager.ready(status: summary)
    log.notice("ready: \(summary)")
    while !loop.isStopping {
      try loop.runOnce()
      settle()
    }
    server?.close()
    state?.saveNow()
    output.stop()
    let isLoading = worker.stop()
    let patience = leaveBy.map { EventLoop.clock().duration(to: $0) } ?? Self.longestSave
    let isSaving = state?.end(patience: patience) ?? false
    leavesJobBehind = device?.stop() ?? false || isLoading || isSaving
    if let inputProblem { throw Failure(.inputOutput, inputProblem) }
  }

  /// After every turn of the loop: the next deadline, and whether this was the end.
  private func settle() {
    if !unstopped.isEmpty {
      let sounds = unstopped
      unstopped = []
      stop(sounds)
    }
    if ending == .afterTheLastSound {
      // No value is going to change any more: what sounds until one does ends with the end of its sound.
      isFinishing = true
      while let endless = pipeline.endlessLoop { pipeline.callOff(endless, at: loop.now) }
      isFinishing = false
    }
    if pipeline.takeDecided() { state?.decided() }
    sendEvents()
    if let deadlineTimer {
      if let deadline = Instant.earlier(pipeline.nextDeadline, unheard.nextDeadline) {
        loop.schedule(deadlineTimer, at: deadline)
      } else {
        loop.cancel(deadlineTimer)
      }
    }
    switch ending {
    case .none: break
    case .afterTheLastSound: if pipeline.nextWait == nil, !worker.isBusy, output.isSilent { loop.stop() }
    case .now: if output.isSilent { loop.stop() }
    }
  }

  // MARK: The end

  /// How near the end is.
  private enum Ending {
    /// Nobody asked for it.
    case none
    /// The input has ended: what waits is still played, and then it is over.
    case afterTheLastSound
    /// Told to leave: nothing more begins, and it is over when the fade-out is.
    case now
  }

  private func handle(signal: Int32) {
    // What is about to leave has nothing to reload, and must not tell the service manager that it is ready; nor does a
    // second signal begin its end anew.
    if ending == .now { return }
    // What is wrong with it is in the log, and there is nobody else to tell.
    if signal == SIGHUP { try? reload { _ in } } else { end() }
  }

  /// Fades out and leaves.
  private func end() {
    manager.stopping()
    ending = .now
    worker.stop()
    input?.stop()
    sendEvents()
    server?.close()
    pipeline.perform = { _ in .ending }
    output.control.stopAll(fadeFrames: output.control.frames(in: Self.farewell))
    output.wake()
    // While it fades.
    state?.saveNow()
    let last = loop.now.advanced(by: Self.longestFarewell)
    leaveBy = last
    if let farewellTimer { loop.schedule(farewellTimer, at: last) }
  }

  private func inputEnded(_ problem: String?) {
    let hasOtherSource = configuration.values.contains(where: \.hasOwnSource)
    if hasOtherSource {
      if let problem { log.error("\(problem)") }
    } else if ending == .none {
      inputProblem = problem
      pipeline.expectNothing()
      ending = .afterTheLastSound
    }
  }

  // MARK: Sources

  private func follow(_ value: ValueDeclaration) throws {
    guard case .file(let path, let poll, let aspect) = value.source, let id = pipeline.store.id(of: value.name) else {
      return
    }
    let feed = FileFeed(pipeline, id, value, on: loop, log: log)
    files.append(feed)
    let source: any ValueFeeder =
      switch aspect {
      case .content: FileSource(path: path, poll: poll, watcher: watcher, on: loop, receiver: feed)
      case .lines: LinesSource(path: path, poll: poll, watcher: watcher, on: loop, receiver: feed)
      case .count: CountSource(path: path, poll: poll, watcher: watcher, on: loop, receiver: feed)
      case .exists: ExistsSource(path: path, poll: poll, watcher: watcher, on: loop, receiver: feed)
      case .fifo: FifoSource(path: path, watcher: watcher, on: loop, receiver: feed)
      }
    feed.source = source
    source.start()
    if let problem = source.watchProblem {
      unwatched += 1
      if unwatched > Self.mostUnwatched { return }
      log.warning("value '\(value.name)': \(problem); looking at \(path) every second")
    }
  }

  /// Says of how many more values it has not been said that they cannot be watched.
  private func countUnwatched() {
    let more = unwatched - Self.mostUnwatched
    if more > 0 { log.warning("\(more) more values cannot be watched and are looked at every second") }
    unwatched = 0
  }

  // MARK: Reload

  /// Reads the configuration again; if there is anything wrong with it, nothing changes.
  ///
  /// What is wrong is logged. What is seen at once is thrown too; otherwise `done` is called when the sounds are loaded and the
  /// configuration is taken, or with what was wrong after all.
  func reload(then done: @escaping (Failure?) -> Void) throws(Failure) {
    manager.reloading()
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
      log.warning("changes of [output] and [limits] take a restart: systemctl --user restart soundd")
      next.output = configuration.output
      next.limits = configuration.limits
    }
    let names = Set(next.triggers.flatMap(\.definition.sound.names)).sorted()
    sounds.load(names) { [unowned self] in
      do throws(Failure) {
        try take(next)
        done(nil)
      } catch {
        sounds.keep(pipeline.engine.sounds)
        reloadFailed(error)
        done(error)
      }
    }
  }

  private func reloadFailed(_ failure: Failure) {
    hasFailedReload = true
    log.error("\(failure)\nthe configuration was not changed")
    manager.ready(status: summary)
  }

  /// Goes on with another configuration, whose sounds are loaded.
  private func take(_ next: Configuration) throws(Failure) {
    // By the names of now.
    sendEvents()
    let before = Dictionary(configuration.values.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    let changed = pipeline.triggers(notAmong: next.triggers.map(\.definition))
    do throws(ValueStoreError) {
      try pipeline.replace(next, at: loop.now) {
        takeTriggers(of: next, disowning: Set(changed.map(\.name)))
      }
    } catch {
      throw Failure(.configuration, "\(plan.file ?? ""): \(error)")
    }
    for trigger in changed where trigger.isBusy {
      log.notice("trigger '\(trigger.name)' is not what it was: what it waited for, or its loop, is over")
    }
    takeProfileAndState()
    let kept = Set(next.values.filter { before[$0.name]?.feedsAlike($0) ?? false }.map { $0.name })
    for feed in files where !kept.contains(feed.name) { feed.source?.stop() }
    files.removeAll { !kept.contains($0.name) }
    let declarations = Dictionary(next.values.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    for feed in files { feed.declaration = declarations[feed.name] ?? feed.declaration }
    for value in next.values where !kept.contains(value.name) {
      do { try follow(value) } catch { log.error("\(value.name): \(error)") }
    }
    countUnwatched()
    hasFailedReload = false
    log.notice("reloaded: \(summary)")
    manager.ready(status: summary)
  }

  /// Goes over to the triggers of another configuration, and to their sounds.
  private func takeTriggers(of next: Configuration, disowning changed: Set<String>) {
    running.disown(changed)
    configuration = next
    events.triggersChanged()
    let names = Set(next.triggers.map { $0.definition.name })
    latencies = latencies.filter { names.contains($0.key) }
    sounds.keep(pipeline.engine.sounds)
    fillShelf()
    // Only this may have told that a sound is there again.
    pipeline.retryLoops(at: loop.now)
  }

  /// For people: the log and `systemctl status`.
  private var summary: String {
    let triggers = configuration.triggers.count
    return
      "\(triggers) \(triggers == 1 ? "trigger" : "triggers"), "
      + (output.device == nil && !output.isReleased ? "no device" : configuration.output.device)
      + (hasFailedReload ? "; the configuration has errors and was not reloaded" : "")
  }
}

/// Signals may come before there is anybody to handle them.
private final class SignalRelay {
  var handler: (Int32) -> Void = { _ in }
}
