import CLinux
import Glibc
import Synchronization

/// A mixer that plays on a device: the control side of the audio thread.
///
/// Confined to one thread. Opening a device may block that thread for as long as a sound server takes to answer; all else
/// returns at once. If there is no device, or it goes away, the clock takes its place until it is opened again.
package final class Output: AudioOutput {
  package let control: MixerControl
  package let settings: OutputSettings
  private let shared: OutputShared
  private let thread: AudioThread
  /// The device it plays on; `nil`: the clock.
  package private(set) var device: StreamFormat?
  private var pulse = AudioPulse()
  /// Why there is no device, if one was wanted.
  package private(set) var deviceError: OutputError?

  /// Opens the device and starts the audio thread. A device that cannot be opened is no error here: see `deviceError`.
  package convenience init(_ settings: OutputSettings, voiceLimit: Int = 256) throws(OutputError) {
    let opened = settings.device == OutputSettings.noDevice ? nil : OpenedDevice.open(settings)
    try self.init(settings, opened: opened, voiceLimit: voiceLimit)
  }

  /// Starts the audio thread on a device that was opened for these settings; `nil` if none is wanted.
  package init(_ settings: OutputSettings, opened: OpenedDevice?, voiceLimit: Int = 256) throws(OutputError) {
    self.settings = settings
    shared = try OutputShared()
    let rate = opened?.rate ?? settings.rate ?? 48_000
    control = MixerControl(voiceLimit: voiceLimit, rate: rate)
    thread = try AudioThread(
      shared: shared, mixer: control.makeMixer(), rate: rate, isClockWanted: settings.device == OutputSettings.noDevice)
    switch opened?.result {
    case .success(let device): offer(device)
    case .failure(let error): deviceError = error
    case nil: break
    }
  }

  deinit {
    thread.stop()
    releaseReturned()
    if let offered = shared.offered.exchange(nil, ordering: .acquiring) { Self.release(offered) }
  }

  /// The present time of CLOCK_MONOTONIC, by which latencies are measured.
  package static var now: Instant { Instant(nanoseconds: clinux_monotonic()) }

  /// Frames per second of the mixer, and so of the clips.
  package var rate: Int { control.rate }

  /// The audio thread's id in the kernel, as in /proc/self/task; 0 before it runs.
  package var audioThread: Int32 { shared.threadID.load(ordering: .relaxed) }

  /// Whether every voice has ended and been collected, and the last of them has left the device.
  package var isSilent: Bool { control.activeCount == 0 && shared.isResting.load(ordering: .acquiring) }

  /// Becomes readable when `collect` has something to do.
  package var reportDescriptor: Int32 { shared.report }

  /// Wakes the audio thread; after one or more commands to `control`.
  package func wake() { clinux_eventfd_signal(shared.wake) }

  package func collect(_ receive: (VoiceReport) -> Void = { _ in }) -> OutputError? {
    _ = clinux_drain(shared.report)
    // First: all that the audio thread reported before it gave the device back is there then.
    let isGivenBack = releaseReturned()
    control.collect(receive)
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
    return error
  }

  package var isReady: Bool { device != nil || settings.device == OutputSettings.noDevice }

  /// Whether the device was given back by `release`: the next sound waits until it is opened again.
  package var isReleased: Bool { device == nil && deviceError == nil && settings.device != OutputSettings.noDevice }

  /// Asks for the device to be given back as soon as nothing is heard; `collect` then finds it gone. What is started from
  /// then on waits for the next opening.
  package func release() {
    shared.isHolding.store(true, ordering: .releasing)
    shared.isReleasing.store(true, ordering: .releasing)
    wake()
  }

  /// Begins to open the device again: the result opens it, on any thread, and may block that for as long as a sound server
  /// takes to answer. `finishOpening` takes what comes of it.
  ///
  /// Until then what is started waits, unless something plays by the clock already.
  package func beginOpening() -> @Sendable () -> OpenedDevice {
    shared.isHolding.store(true, ordering: .releasing)
    shared.isReleasing.store(false, ordering: .releasing)
    var wanted = settings
    wanted.rate = rate
    return { [wanted] in OpenedDevice.open(wanted) }
  }

  /// Plays on the device that was opened, or by the clock if it could not be; returns why.
  package func finishOpening(_ opened: OpenedDevice) -> OutputError? {
    deviceError = nil
    switch opened.result {
    case .success(let device) where device.stream.rate == rate: offer(device)
    case .success(let device):
      deviceError = OutputError(
        operation: "snd_pcm_hw_params_set_rate_near", device: settings.device, code: -EINVAL,
        reason: "it came back with \(device.stream.rate) Hz instead of \(rate) Hz; restart soundd")
    case .failure(let error): deviceError = error
    }
    stopHolding()
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
      xruns: shared.xruns.load(ordering: .relaxed), late: shared.late.load(ordering: .relaxed),
      missed: shared.missed.load(ordering: .relaxed), missing: shared.missing.load(ordering: .relaxed))
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
    return pulse.isAlive(turns: turns, isResting: isResting)
  }

  /// Ends the audio thread and closes the device. What still sounds is cut off: fade out first.
  package func stop() { thread.stop() }

  private func offer(_ opened: PCMDevice) {
    let playback = UnsafeMutablePointer<PCMPlayback>.allocate(capacity: 1)
    playback.initialize(to: opened.retainedPlayback())
    device = opened.stream
    if let replaced = shared.offered.exchange(playback, ordering: .acquiringAndReleasing) { Self.release(replaced) }
    wake()
  }

  @discardableResult
  private func releaseReturned() -> Bool {
    guard let returned = shared.returned.exchange(nil, ordering: .acquiring) else { return false }
    Self.release(returned)
    return true
  }

  private static func release(_ playback: UnsafeMutablePointer<PCMPlayback>) {
    playback.pointee.owner.release()
    playback.deinitialize(count: 1)
    playback.deallocate()
  }
}

/// The result of opening a device.
package struct OpenedDevice: Sendable {
  let result: Result<PCMDevice, OutputError>
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
