import CLinux
import Glibc
import Logging
import SoundTrigger

/// The running daemon: sources, pipeline, sounds and output on one event loop.
///
/// This is the one place where triggers and the mixer meet.
final class Daemon: RequestHandler {
  /// How long what sounds at the end may take to fade: well within the 200 ms of a clean stop.
  private static let farewell = Duration.milliseconds(50)
  private static let longestFarewell = Duration.milliseconds(150)

  let plan: DaemonPlan
  let log: Logger
  let loop: EventLoop
  let environment: SystemEnvironment
  let output: Output
  var configuration: Configuration
  var pipeline: Pipeline
  var shelf: SoundShelf
  var server: ControlServer?
  let startTime: Instant
  private let manager: ServiceManager
  private let watcher: FolderWatcher
  private var signals: SignalSource?
  private var files: [FileFeed] = []
  private var input: StdinSource?
  private var reportToken: EventLoop.Token?
  private var deadlineTimer: EventLoop.Timer?
  private var retryTimer: EventLoop.Timer?
  private var backoff = DeviceBackoff()
  private var farewellTimer: EventLoop.Timer?
  private var ending = Ending.none
  /// Why standard input, the only source, could not be read to its end.
  private var inputProblem: String?
  /// Plays left out because too much was under way, and when that was last said.
  private var leftOut = 0
  private var lastCrowd: Instant?
  /// Whether the configuration file is not what runs, because the last attempt to reload it failed.
  private var hasFailedReload = false
  /// The event that is being handled arrived then.
  var arrival: Instant { loop.now }

  /// Opens everything: the device, the sounds, the socket. Nothing is played yet.
  init(_ plan: DaemonPlan, environment: SystemEnvironment, log: Logger) throws {
    self.plan = plan
    self.log = log
    self.environment = environment
    configuration = plan.configuration
    manager = ServiceManager(environment: { environment.variable($0) })
    loop = try EventLoop()
    startTime = loop.now
    // First of all: the audio thread is to inherit the blocked signals.
    watcher = try FolderWatcher(on: loop)
    let early = SignalRelay()
    signals = try SignalSource(on: loop) { early.handler($0) }
    output = try Output(configuration.output, voiceLimit: configuration.limits.voices)
    if let error = output.deviceError, plan.needsDevice { throw error }
    pipeline = try Pipeline(configuration)
    shelf = SoundShelf(
      folders: environment.soundFolders(configurationFile: plan.file), base: environment.base(of: plan.file),
      rate: output.rate, limits: configuration.limits)
    early.handler = { [unowned self] in handle(signal: $0) }
    deadlineTimer = EventLoop.Timer { [unowned self] in pipeline.advance(to: loop.now) }
    retryTimer = EventLoop.Timer { [unowned self] in retryDevice() }
    farewellTimer = EventLoop.Timer { [unowned self] in loop.stop() }
    reportToken = try loop.add(output.reportDescriptor, .readable) { [unowned self] _ in collect() }
    pipeline.perform = { [unowned self] in perform($0) }
    loadSounds()
    if let socket = plan.socket { server = try openSocket(socket) }
  }

  /// Reads the sources and plays until it is told to end.
  func run() throws {
    logOutput()
    for value in configuration.values { try follow(value) }
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
    output.stop()
    if let inputProblem { throw Failure(.inputOutput, inputProblem) }
  }

  // MARK: Playing

  private func perform(_ action: TriggerAction) -> Verdict {
    switch action {
    case .play(let trigger, let sound, _):
      guard let clip = shelf[sound] else { return .broken }
      if play(clip) { return .played }
      complainOfCrowd(trigger)
      return .crowded
    }
  }

  /// Says that a sound was left out: once a second at most, since it happens in storms.
  private func complainOfCrowd(_ trigger: TriggerID) {
    leftOut += 1
    if let lastCrowd, lastCrowd.duration(to: loop.now) < .seconds(1) { return }
    lastCrowd = loop.now
    // Not from the engine, which is in the middle of its decision.
    let name = configuration.triggers[trigger.index].definition.name
    log.warning("trigger '\(name)': too many sounds at once; \(leftOut) left out so far")
  }

  /// Starts a clip; returns false if too much is under way.
  func play(_ clip: Clip) -> Bool {
    if output.device == nil { retryOnDemand() }
    guard output.control.start(clip, arrival: arrival.nanoseconds) != nil else { return false }
    output.wake()
    return true
  }

  /// After every turn of the loop: the next deadline, and whether this was the end.
  private func settle() {
    if let deadlineTimer {
      if let deadline = pipeline.nextDeadline {
        loop.schedule(deadlineTimer, at: deadline)
      } else {
        loop.cancel(deadlineTimer)
      }
    }
    switch ending {
    case .none: break
    case .afterTheLastSound: if pipeline.nextDeadline == nil, output.isSilent { loop.stop() }
    case .now: if output.isSilent { loop.stop() }
    }
  }

  private func loadSounds() {
    shelf.load(pipeline.engine.sounds)
    for complaint in shelf.complaints(configuration, file: plan.file, sounds: pipeline.engine.sounds) {
      log.error("\(complaint)")
    }
  }

  // MARK: The device

  private func collect() {
    guard let error = output.collect() else { return }
    log.error("\(error); playing by the clock until it is back")
    if ending != .now { manager.status(summary) }
    scheduleRetry()
  }

  private func logOutput() {
    if let error = output.deviceError {
      log.error("\(error); playing by the clock until it can be opened (see 'aplay -L' for the devices)")
      scheduleRetry()
    } else if let device = output.device {
      backoff.opened(at: loop.now)
      log.info("playing on '\(configuration.output.device)': \(device.summary)")
    } else {
      log.info("playing by the clock, on no device")
    }
  }

  private func scheduleRetry() {
    guard let retryTimer else { return }
    loop.schedule(retryTimer, at: backoff.failed(at: loop.now))
  }

  /// Something is to be heard: no need to wait for the back-off, unless it was tried just now.
  private func retryOnDemand() {
    guard let retryTimer, retryTimer.isScheduled, backoff.mayTry(at: loop.now) else { return }
    loop.cancel(retryTimer)
    retryDevice()
  }

  private func retryDevice() {
    if let error = output.reopen() {
      log.debug("\(error)")
      scheduleRetry()
      return
    }
    backoff.opened(at: loop.now)
    if ending != .now { manager.status(summary) }
    if let device = output.device { log.notice("playing on '\(configuration.output.device)' again: \(device.summary)") }
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
    if signal == SIGHUP { reloadAndReport() } else { end() }
  }

  /// Fades out and leaves.
  private func end() {
    manager.stopping()
    ending = .now
    input?.stop()
    server?.close()
    pipeline.perform = { _ in .ending }
    output.control.stopAll(fadeFrames: Int(Self.farewell.nanoseconds) * output.rate / 1_000_000_000)
    output.wake()
    if let farewellTimer { loop.schedule(farewellTimer, at: loop.now.advanced(by: Self.longestFarewell)) }
  }

  private func inputEnded(_ problem: String?) {
    let hasOtherSource = configuration.values.contains { $0.source != .client }
    if hasOtherSource {
      if let problem { log.error("\(problem)") }
    } else if ending == .none {
      inputProblem = problem
      ending = .afterTheLastSound
    }
  }

  // MARK: Sources

  private func follow(_ value: ValueDeclaration) throws {
    guard case .file(let path, let poll) = value.source, let id = pipeline.store.id(of: value.name) else { return }
    let feed = FileFeed(daemon: self, value: id, declaration: value)
    files.append(feed)
    let source = FileSource(path: path, poll: poll, watcher: watcher, on: loop, receiver: feed)
    feed.source = source
    source.start()
    if let problem = source.watchProblem {
      log.warning("value '\(value.name)': \(problem); reading \(path) every second")
    }
  }

  private func openSocket(_ path: String) throws -> ControlServer {
    let passed = SocketActivation.descriptors(pid: getpid(), environment: { environment.variable($0) })
    let socket =
      if let fd = passed.first { try ListeningSocket(activated: fd) } else { try ListeningSocket(path: path) }
    return try ControlServer(socket, on: loop, handler: self)
  }

  // MARK: Reload

  func reloadAndReport() {
    do throws(Failure) {
      try reload()
    } catch {
      log.error("\(error)\nthe configuration was not changed")
    }
  }

  /// Reads the configuration again; if there is anything wrong with it, nothing changes.
  func reload() throws(Failure) {
    guard let file = plan.file else { throw Failure(.refused, "there is no configuration file to reload") }
    manager.reloading()
    hasFailedReload = true
    defer { manager.ready(status: summary) }
    var next = try ConfigurationFile.read(file, environment: environment)
    if let device = plan.device { next.output.device = device }
    if next.output != configuration.output || next.limits != configuration.limits {
      log.warning("changes of [output] and [limits] take a restart: systemctl --user restart soundd")
      next.output = configuration.output
      next.limits = configuration.limits
    }
    do throws(ValueStoreError) {
      try pipeline.replace(next)
    } catch {
      throw Failure(.configuration, "\(file): \(error)")
    }
    let before = Dictionary(configuration.values.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    configuration = next
    shelf = SoundShelf(
      folders: environment.soundFolders(configurationFile: plan.file), base: environment.base(of: plan.file),
      rate: output.rate, limits: configuration.limits)
    loadSounds()
    let kept = Set(next.values.filter { before[$0.name] == $0 }.map { $0.name })
    for feed in files where !kept.contains(feed.name) { feed.source?.stop() }
    files.removeAll { !kept.contains($0.name) }
    for value in next.values where !kept.contains(value.name) {
      do { try follow(value) } catch { log.error("\(value.name): \(error)") }
    }
    hasFailedReload = false
    log.notice("reloaded: \(summary)")
  }

  /// For people: the log and `systemctl status`.
  private var summary: String {
    let triggers = configuration.triggers.count
    return
      "\(triggers) \(triggers == 1 ? "trigger" : "triggers"), "
      + (output.device == nil ? "no device" : configuration.output.device)
      + (hasFailedReload ? "; the configuration has errors and was not reloaded" : "")
  }
}

/// Signals may come before there is anybody to handle them.
private final class SignalRelay {
  var handler: (Int32) -> Void = { _ in }
}

extension StreamFormat {
  /// For people: `float32, 48000 Hz, 2 channels, 4 × 120 frames (10.0 ms)`.
  var summary: String {
    let tenths = (bufferFrames * 10_000 + rate / 2) / rate
    return
      "\(format), \(rate) Hz, \(channels) \(channels == 1 ? "channel" : "channels"), "
      + "buffer \(bufferFrames) frames (\(tenths / 10).\(tenths % 10) ms), period \(periodFrames)"
  }
}
