import CLinux
import Glibc
import Synchronization

/// A mixer that plays on a device: the control side of the audio thread.
///
/// Confined to one thread, which no call blocks for longer than it says. If there is no device, or it goes away, the clock takes
/// its place until it is opened again.
package final class Output: AudioOutput {
  package let control: MixerControl
  package let settings: OutputSettings
  private var shared: OutputShared
  private var thread: AudioThread
  /// That of an audio thread that was left behind, until it is gone.
  private var abandoned: OutputShared?
  private let closing: ClosingDevices
  /// The device it plays on; `nil`: the clock.
  package private(set) var device: StreamFormat?
  private var heartbeat = AudioHeartbeat()
  /// Why there is no device, if one was wanted.
  package private(set) var deviceError: OutputError?
  /// Why the audio thread was left behind, until `collect` returns it.
  private var failure: OutputError?
  /// Whether the device was lost because it stood still or blocked. Then an opening of it is a trial.
  private var needsTrial = false
  /// Whether the last device was a card for a screen.
  private var isHDMI = false
  /// Opens a device; with `true` it is tried. In tests a script.
  var open: @Sendable (OutputSettings, Bool) -> OpenedDevice = { OpenedDevice.open($0, asTrial: $1) }
  /// Makes what the next audio thread shares. A test replaces it with one that fails.
  var makeShared: (OutputShared) throws(SystemError) -> OutputShared = { before throws(SystemError) in
    try OutputShared(after: before)
  }

  /// Opens the device and starts the audio thread. A device that cannot be opened is no error here: see `deviceError`.
  ///
  /// Blocks while the device opens, at most for `BoundedCall.patience`. If it opens later, it is closed again.
  package convenience init(_ settings: OutputSettings, voiceLimit: Int = 256) throws(OutputError) {
    let opener = try DeviceOpener(settings)
    opener.begin()
    opener.wait()
    try self.init(settings, opened: opener.takeFirst(), voiceLimit: voiceLimit)
    if let late = opener.stop() { discard(late) }
  }

  /// Starts the audio thread on a device that was opened for these settings; `nil` if none is wanted. It reports by a descriptor
  /// of its own, or by `report`.
  init(
    _ settings: OutputSettings, opened: OpenedDevice?, voiceLimit: Int = 256, report: EventDescriptor? = nil
  ) throws(OutputError) {
    self.settings = settings
    do throws(SystemError) {
      shared = try OutputShared(report: report)
      closing = try ClosingDevices()
    } catch {
      throw OutputError(error, device: settings.device)
    }
    let rate = opened?.rate ?? settings.rate ?? 48_000
    control = MixerControl(voiceLimit: voiceLimit, rate: rate)
    thread = try AudioThread(shared: shared, mixer: control.makeMixer(), settings: settings, rate: rate)
    switch opened?.result {
    case .success(let device): offer(device)
    case .failure(let error): deviceError = error
    case nil: break
    }
  }

  deinit { stop() }

  /// The present time of CLOCK_MONOTONIC, by which latencies are measured.
  package static var now: Instant { Instant(nanoseconds: clinux_monotonic()) }

  /// Frames per second of the mixer, and so of the clips.
  package var rate: Int { control.rate }

  /// The audio thread's id in the kernel, as in /proc/self/task; 0 before it runs.
  package var audioThread: Int32 { shared.threadID.load(ordering: .relaxed) }

  /// Whether every voice has ended and been collected, and the last of them has left the device.
  package var isSilent: Bool { control.activeCount == 0 && shared.isResting.load(ordering: .acquiring) }

  /// Becomes readable when `collect` has something to do. It stays the same.
  package var reportDescriptor: Int32 { shared.report }

  /// Wakes the audio thread; after one or more commands to `control`.
  package func wake() { shared.signalWake() }

  package func collect(_ receive: (VoiceReport) -> Void = { _ in }) -> OutputError? {
    _ = clinux_drain(shared.report)
    // First: all that the audio thread reported before it gave the device back is there then.
    let isGivenBack = closeReturned()
    control.collect(receive)
    if let failure {
      self.failure = nil
      return failure
    }
    guard isGivenBack else { return nil }
    device = nil
    deviceError = nil
    let code = Int32(truncatingIfNeeded: shared.lastError.load(ordering: .relaxed))
    if code == 0 { return nil }
    let reason =
      switch -code {
      case EPIPE: "it stops right after each start, as one does whose sound server is gone"
      case EIO: "it stands still"
      default: String(cString: strerror(-code))
      }
    let error = OutputError(operation: "playing", device: settings.device, code: code, reason: reason)
    deviceError = error
    if error.isStall { needsTrial = true }
    return error
  }

  package var isReady: Bool { device != nil || !wantsDevice }

  package var wantsDevice: Bool { settings.device != OutputSettings.noDevice }

  package var wakeTime: Duration {
    switch settings.wake {
    case .automatic: isHDMI ? .milliseconds(150) : .zero
    case .after(let time): wantsDevice ? time : .zero
    }
  }

  /// Whether the device was given back by `release`: the next sound waits until it is opened again.
  package var isReleased: Bool { device == nil && deviceError == nil && wantsDevice }

  /// Asks for the device to be given back as soon as nothing is heard; `collect` then finds it gone. What is started from
  /// then on waits for the next opening.
  package func release() { shared.requestRelease() }

  /// Takes `release` back, because a sound is about to start. If the audio thread was quicker, the next `collect` finds the device
  /// gone.
  package func takeBackRelease() { _ = shared.takeBackRelease() }

  /// Begins to open the device again: the result opens it, on any thread, and may block that for ever. `finishOpening` takes what
  /// comes of it.
  ///
  /// Until then what is started waits, unless something plays by the clock already.
  package func beginOpening() -> @Sendable () -> OpenedDevice {
    shared.isHolding.store(true, ordering: .releasing)
    shared.isReleasing.store(false, ordering: .releasing)
    var wanted = settings
    wanted.rate = rate
    return { [wanted, open, closing, needsTrial] in
      closing.wait()
      return open(wanted, needsTrial)
    }
  }

  /// Whether a device was opened before the rate was known, and has another one. Then `discard` it, and open it again.
  package func isAtAnotherRate(_ opened: OpenedDevice) -> Bool {
    opened.wanted.rate == nil && opened.rate.map { $0 != rate } ?? false
  }

  /// Closes a device that is not wanted. Returns at once.
  package func discard(_ opened: OpenedDevice) {
    if case .success(let device) = opened.result { closing.close(device) }
  }

  /// Plays on the device that was opened, or by the clock if it could not be; returns why.
  package func finishOpening(_ opened: OpenedDevice) -> OutputError? {
    deviceError = nil
    switch opened.result {
    case .success(let device) where device.stream.rate == rate:
      needsTrial = false
      offer(device)
    case .success(let device):
      discard(opened)
      deviceError = OutputError(
        operation: "snd_pcm_hw_params_set_rate_near", device: settings.device, code: -EINVAL,
        reason: "it came back with \(device.stream.rate) Hz instead of \(rate) Hz; restart soundd")
    case .failure(let error): deviceError = error
    }
    stopHolding()
    return deviceError
  }

  /// Notes that an opening does not return. Returns why there is no device, if that is new.
  package func openingBlocks() -> OutputError? {
    if deviceError != nil { return nil }
    deviceError = .blocked("snd_pcm_open", settings.device)
    return deviceError
  }

  /// Lets what was started play by the clock: the opening takes too long.
  package func stopHolding() {
    shared.isHolding.store(false, ordering: .releasing)
    wake()
  }

  /// What the output counts.
  package var statistics: OutputStatistics {
    OutputStatistics(
      xruns: shared.counters.xruns.load(ordering: .relaxed), late: shared.counters.late.load(ordering: .relaxed),
      missed: shared.counters.missed.load(ordering: .relaxed), missing: shared.counters.missing.load(ordering: .relaxed)
    )
  }

  /// How urgently the kernel runs the audio thread, at this moment.
  package var priority: ThreadPriority { thread.priority }

  /// Whether the audio thread takes denormal numbers for zero, so that a fading tail costs no more than a loud sound.
  package var flushesDenormals: Bool { shared.flushesDenormals.load(ordering: .relaxed) }

  /// Whether the audio thread works, as far as it shows: it does not if it was awake at the last call, and has stood still since.
  ///
  /// Wakes the thread only if it is awake, so at rest this costs nothing. Leave seconds between two calls.
  package func isAudioThreadAlive() -> Bool {
    let turns = shared.turns.load(ordering: .relaxed)
    let isResting = shared.isResting.load(ordering: .acquiring)
    // After the turns were read: the thread makes at least one more until the next call.
    if !isResting { wake() }
    return heartbeat.isAlive(turns: turns, isResting: isResting)
  }

  // MARK: An audio thread that is stuck

  /// What the audio thread shows of itself: how many turns it has made, and whether it rests.
  var sign: (turns: Int, isResting: Bool) {
    (shared.turns.load(ordering: .relaxed), shared.isResting.load(ordering: .acquiring))
  }

  /// Whether an audio thread that was left behind has not returned from its device. Until then the device is not opened again, so
  /// there is at most one such thread.
  package var isStuck: Bool {
    guard let abandoned else { return false }
    if !abandoned.isGone.load(ordering: .acquiring) { return true }
    self.abandoned = nil
    return false
  }

  /// Leaves the audio thread behind, with the device and all that it uses, because a call to the device does not return, or for
  /// another reason. Another audio thread plays by the clock.
  ///
  /// The next `collect` reports the end of every voice, and why. If no thread can be started, that is the error, and nothing changes.
  /// Blocks for a tenth of a second at most, if RealtimeKit must be asked.
  package func abandon(because reason: OutputError? = nil) throws(OutputError) {
    let successor: OutputShared
    do throws(SystemError) { successor = try makeShared(shared) } catch {
      throw OutputError(error, device: settings.device)
    }
    let mixer = control.makeSuccessor()
    let queues = mixer.queues
    let thread = try AudioThread(
      shared: successor, mixer: mixer, settings: settings, rate: rate, patience: .milliseconds(100))
    let clips = control.clips
    control.replaceMixer(queues)
    // It returns false only if the thread has ended, and nothing asked it to.
    if self.thread.abandon(leaving: clips) { abandoned = shared }
    if let offered = shared.takeOffered() { closing.close(offered) }
    shared = successor
    self.thread = thread
    device = nil
    needsTrial = reason == nil
    failure = reason ?? .blocked("playing", settings.device)
    deviceError = failure
    clinux_eventfd_signal(shared.report)
  }

  /// After `stop`: whether the audio thread, which was left behind, has not returned from its device.
  var isStopping: Bool {
    shared.fate.load(ordering: .acquiring) == .abandoned && !shared.isGone.load(ordering: .acquiring)
  }

  // MARK: The end

  /// Ends the audio thread and closes the device, and waits for both, at most for `patience`. What still sounds is cut off: fade out
  /// first.
  ///
  /// Returns whether something is left behind, because the device blocks. Then the process must end by `_exit`.
  @discardableResult
  package func stop(patience: Duration = .milliseconds(100)) -> Bool {
    let end = clinux_monotonic() + patience.nanoseconds
    let hasEnded = thread.stop(patience: patience, leaving: control.clips)
    closeReturned()
    if let offered = shared.takeOffered() { closing.close(offered) }
    device = nil
    let areClosed = closing.wait(for: .nanoseconds(max(0, end - clinux_monotonic())))
    return !hasEnded || !areClosed || isStuck
  }

  private func offer(_ opened: PCMDevice) {
    let playback = UnsafeMutablePointer<PCMPlayback>.allocate(capacity: 1)
    playback.initialize(to: opened.retainedPlayback())
    device = opened.stream
    isHDMI = opened.stream.isHDMI
    if let replaced = shared.takeOffered() { closing.close(replaced) }
    shared.offered.store(playback, ordering: .releasing)
    wake()
  }

  /// Closes the device that the audio thread has given back; returns whether there was one.
  @discardableResult
  private func closeReturned() -> Bool {
    guard let returned = shared.takeReturned() else { return false }
    closing.close(returned)
    return true
  }
}

/// The result of opening a device.
package struct OpenedDevice: Sendable {
  let result: Result<PCMDevice, OutputError>
  /// What was asked for.
  let wanted: OutputSettings
}

/// The output's counters at one moment.
package struct OutputStatistics: Equatable, Sendable {
  /// Times the device ran dry.
  package var xruns: Int
  /// Wake-ups that came more than a period late.
  package var late: Int
  /// Times the device was quicker than a change of what it was about to play.
  package var missed: Int
  /// Frames that should have been heard and were not.
  package var missing: Int
}
