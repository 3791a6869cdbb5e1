import CLinux
import Glibc
import Synchronization

/// A mixer that is heard: the control side of the audio thread and its device.
///
/// Confined to one thread. Opening a device may block that thread for as long as a sound server takes to answer; all else
/// returns at once. If there is no device, or it goes away, the clock takes its place until `reopen` succeeds.
package final class Output {
  package let control: MixerControl
  package let settings: OutputSettings
  private let shared: OutputShared
  private let thread: AudioThread
  /// What is played on; `nil`: the clock.
  package private(set) var device: StreamFormat?
  /// Why there is no device, if one was wanted.
  package private(set) var deviceError: OutputError?

  /// Opens the device and starts the audio thread. A device that cannot be opened is no error here: see `deviceError`.
  package init(_ settings: OutputSettings, voiceLimit: Int = 256) throws(OutputError) {
    self.settings = settings
    shared = try OutputShared()
    let opened: Result<PCMDevice, OutputError>?
    if settings.device == OutputSettings.noDevice {
      opened = nil
    } else {
      opened = Self.open(settings)
    }
    let rate: Int
    switch opened {
    case .success(let device): rate = device.stream.rate
    case .failure, nil: rate = settings.rate ?? 48_000
    }
    control = MixerControl(voiceLimit: voiceLimit, rate: rate)
    thread = try AudioThread(
      shared: shared, mixer: control.makeMixer(), rate: rate, isClockWanted: settings.device == OutputSettings.noDevice)
    switch opened {
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

  /// Takes back what the audio thread is done with. `ended` hears of every voice that ended; the result is the error for
  /// which the device was given up, if it was.
  package func collect(_ ended: (VoiceID) -> Void = { _ in }) -> OutputError? {
    _ = clinux_drain(shared.report)
    control.collect(ended)
    guard releaseReturned() else { return nil }
    let code = Int32(truncatingIfNeeded: shared.lastError.load(ordering: .relaxed))
    let error = OutputError(
      operation: "playing", device: settings.device, code: code, reason: String(cString: strerror(-code)))
    device = nil
    deviceError = error
    return error
  }

  /// Blocks until the audio thread has something to report, then collects it.
  func waitForReport() -> OutputError? {
    _ = clinux_wait(shared.report, Int16(POLLIN), -1)
    return collect()
  }

  /// Tries to open the device again; returns why it cannot be.
  package func reopen() -> OutputError? {
    guard device == nil, settings.device != OutputSettings.noDevice else { return nil }
    var settings = settings
    settings.rate = rate
    switch Self.open(settings) {
    case .success(let device) where device.stream.rate == rate:
      offer(device)
      deviceError = nil
      return nil
    case .success(let device):
      deviceError = OutputError(
        operation: "snd_pcm_hw_params_set_rate_near", device: settings.device, code: -EINVAL,
        reason: "it came back with \(device.stream.rate) Hz instead of \(rate) Hz; restart soundd")
    case .failure(let error): deviceError = error
    }
    return deviceError
  }

  /// What the output counts.
  package var statistics: OutputStatistics {
    OutputStatistics(
      xruns: shared.xruns.load(ordering: .relaxed), late: shared.late.load(ordering: .relaxed),
      latency: shared.latency.summary(), ourLatency: shared.ourLatency.summary(),
      isRealTime: shared.priorityError.load(ordering: .relaxed) == 0)
  }

  /// Ends the audio thread and closes the device. What still sounds is cut off: fade out first.
  package func stop() { thread.stop() }

  private func offer(_ opened: PCMDevice) {
    let playback = UnsafeMutablePointer<PCMPlayback>.allocate(capacity: 1)
    playback.initialize(
      to: PCMPlayback(handle: opened.handle, stream: opened.stream, owner: Unmanaged.passRetained(opened)))
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

  private static func open(_ settings: OutputSettings) -> Result<PCMDevice, OutputError> {
    do {
      return .success(try PCMDevice(settings))
    } catch {
      return .failure(error)
    }
  }
}

/// The output's counters at one moment.
package struct OutputStatistics: Equatable, Sendable {
  /// Times the device ran dry.
  package var xruns: Int
  /// Wake-ups that came more than a period late.
  package var late: Int
  /// From an arrival to the moment it is heard.
  package var latency: LatencySummary
  /// From an arrival to the moment its first frames were handed to the device.
  package var ourLatency: LatencySummary
  /// Whether the audio thread has real-time priority.
  package var isRealTime: Bool
}
