import Logging
import SoundTrigger

/// Keeps the output on its device: opens it, opens it again when it is gone, closes it while nothing needs it.
///
/// Belongs to the event loop, which never waits for a device: a thread of its own opens them.
final class DeviceKeeper {
  /// How long a card stays open while nothing plays. Other programs may want it.
  private static let cardIdleTime = Duration.seconds(30)
  /// How long a sound waits for its device before the clock plays it.
  private static let longestHold = Duration.milliseconds(500)

  private let settings: OutputSettings
  private let loop: EventLoop
  private let worker: BackgroundWorker
  private let log: Logger
  private var output: Output?
  /// Called whenever there is another device, or none.
  private var changed: () -> Void = {}
  private var backoff = DeviceBackoff()
  private lazy var retryTimer = EventLoop.Timer { [unowned self] in open() }
  private lazy var holdTimer = EventLoop.Timer { [unowned self] in output?.stopHolding() }
  private lazy var idleTimer = EventLoop.Timer { [unowned self] in release() }

  init(_ settings: OutputSettings, on loop: EventLoop, log: Logger) throws(SystemError) {
    self.settings = settings
    self.loop = loop
    self.log = log
    worker = try BackgroundWorker(name: "soundd-device", on: loop)
  }

  /// Opens the device in the background, for an output that does not exist yet, and calls `opened` on the loop when this
  /// first attempt has ended. Returns at once.
  ///
  /// `nil` if no device is wanted. `opened` is not called after `stop`.
  func start(then opened: @escaping (OpenedDevice?) -> Void) {
    if settings.device == OutputSettings.noDevice { return opened(nil) }
    worker.perform({ [settings] in OpenedDevice.open(settings) }, then: opened)
  }

  /// Begins to keep the device of an output, and logs what the output has. `changed` is called whenever there is another device, or
  /// none.
  func keep(_ output: Output, changed: @escaping () -> Void) {
    self.output = output
    self.changed = changed
    if let error = output.deviceError {
      log.error("\(error); playing by the clock until it can be opened (see 'aplay -L' for the devices)")
      retryLater()
    } else if let device = output.device {
      backoff.opened(at: loop.now)
      log.info("playing on '\(settings.device)': \(device.summary)")
      watchIdleness()
    } else {
      log.info("playing by the clock, on no device")
    }
  }

  /// A sound is about to start: opens the device without waiting for the back-off, unless the last attempt was a moment ago.
  func willPlay() {
    loop.cancel(idleTimer)
    guard let output, output.device == nil, !worker.isBusy else { return }
    if output.isReleased || (output.deviceError != nil && backoff.mayTry(at: loop.now)) { open() }
  }

  /// `Output.collect` was called and returned this.
  func collected(_ error: OutputError?) {
    guard let output else { return }
    if let error {
      log.error("\(error); playing by the clock until it is back")
      retryLater()
      changed()
    } else if output.isReleased && !worker.isBusy {
      // A sound was started at the very moment at which the device was given back.
      if output.control.activeCount > 0 { open() }
    } else {
      watchIdleness()
    }
  }

  /// Ends. Returns whether an opening that does not return is left behind, as `BackgroundWorker.stop` does.
  func stop() -> Bool { worker.stop() }

  // MARK: Opening

  private func open() {
    guard let output, !worker.isBusy else { return }
    loop.cancel(retryTimer)
    loop.schedule(holdTimer, at: loop.now.advanced(by: Self.longestHold))
    worker.perform(output.beginOpening()) { [unowned self] opened in finish(opened, output) }
  }

  private func finish(_ opened: OpenedDevice, _ output: Output) {
    loop.cancel(holdTimer)
    let wasMissing = !output.isReleased
    if let error = output.finishOpening(opened) {
      if wasMissing { log.debug("\(error)") } else { log.error("\(error); playing by the clock until it is back") }
      retryLater()
      changed()
      return
    }
    backoff.opened(at: loop.now)
    if wasMissing, let device = output.device {
      log.notice("playing on '\(settings.device)' again: \(device.summary)")
    }
    changed()
  }

  private func retryLater() { loop.schedule(retryTimer, at: backoff.failed(at: loop.now)) }

  // MARK: Closing

  private func watchIdleness() {
    guard !idleTimer.isScheduled, let output, let device = output.device else { return }
    let time: Duration
    switch settings.keepOpen {
    case .always: return
    case .automatic:
      if device.kind != .card { return }
      time = Self.cardIdleTime
    case .atMost(let given): time = given
    }
    if output.isSilent { loop.schedule(idleTimer, at: loop.now.advanced(by: time)) }
  }

  private func release() {
    if let output, output.isSilent, output.device != nil { output.release() }
  }
}

extension StreamFormat {
  /// For people: `float32, 48000 Hz, 2 channels, buffer 480 frames (10.0 ms), period 120`. A ring is a buffer whose frames
  /// can be changed until they are played.
  var summary: String {
    let tenths = (bufferFrames * 10_000 + rate / 2) / rate
    return
      "\(format), \(rate) Hz, \(channels) \(channels == 1 ? "channel" : "channels"), "
      + "\(kind.mayRewind() ? "ring" : "buffer") \(bufferFrames) frames (\(tenths / 10).\(tenths % 10) ms), period \(periodFrames)"
  }
}
