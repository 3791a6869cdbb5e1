import Logging
import SoundTrigger

/// Keeps the output on its device: opens it again when it is gone, gives it back when nobody needs it.
///
/// Belongs to the event loop, which never waits for a device: it is opened on a thread of its own.
final class DeviceKeeper {
  /// How long a card that nothing is played on is kept from others.
  private static let patience = Duration.seconds(30)
  /// How long a sound waits for its device before it is played by the clock.
  private static let longestHold = Duration.milliseconds(500)

  private let output: Output
  private let loop: EventLoop
  private let worker: BackgroundWorker
  private let log: Logger
  /// Told whenever there is another device, or none.
  private let changed: () -> Void
  private var backoff = DeviceBackoff()
  private var isOpening = false
  private var retryTimer: EventLoop.Timer?
  private var holdTimer: EventLoop.Timer?
  private var idleTimer: EventLoop.Timer?

  init(_ output: Output, on loop: EventLoop, log: Logger, changed: @escaping () -> Void) throws(SystemError) {
    self.output = output
    self.loop = loop
    self.log = log
    self.changed = changed
    worker = try BackgroundWorker(name: "soundd-device", on: loop)
    retryTimer = EventLoop.Timer { [unowned self] in open() }
    holdTimer = EventLoop.Timer { [unowned self] in self.output.stopHolding() }
    idleTimer = EventLoop.Timer { [unowned self] in release() }
  }

  /// Begins; says what the output found when it was made.
  func start() {
    if let error = output.deviceError {
      log.error("\(error); playing by the clock until it can be opened (see 'aplay -L' for the devices)")
      retryLater()
    } else if let device = output.device {
      backoff.opened(at: loop.now)
      log.info("playing on '\(output.settings.device)': \(device.summary)")
      watchIdleness()
    } else {
      log.info("playing by the clock, on no device")
    }
  }

  /// Something is to be heard: no need to wait for the back-off, unless it was tried just now.
  func willPlay() {
    if let idleTimer, idleTimer.isScheduled { loop.cancel(idleTimer) }
    if output.device != nil || isOpening { return }
    if output.isReleased || (output.deviceError != nil && backoff.mayTry(at: loop.now)) { open() }
  }

  /// `Output.collect` was called and returned this.
  func collected(_ error: OutputError?) {
    if let error {
      log.error("\(error); playing by the clock until it is back")
      retryLater()
      changed()
    } else if output.isReleased && !isOpening {
      // Something was started in the very moment in which the device was given back.
      if output.control.activeCount > 0 { open() }
    } else {
      watchIdleness()
    }
  }

  /// Ends; returns whether an opening is left behind that does not return, as `BackgroundWorker.stop` does.
  func stop() -> Bool { worker.stop() }

  // MARK: Opening

  private func open() {
    if isOpening { return }
    isOpening = true
    if let retryTimer { loop.cancel(retryTimer) }
    if let holdTimer { loop.schedule(holdTimer, at: loop.now.advanced(by: Self.longestHold)) }
    worker.perform(output.beginOpening()) { [unowned self] opened in finish(opened) }
  }

  private func finish(_ opened: OpenedDevice) {
    isOpening = false
    if let holdTimer { loop.cancel(holdTimer) }
    let wasMissing = !output.isReleased
    if let error = output.finishOpening(opened) {
      if wasMissing { log.debug("\(error)") } else { log.error("\(error); playing by the clock until it is back") }
      retryLater()
      changed()
      return
    }
    backoff.opened(at: loop.now)
    if wasMissing, let device = output.device {
      log.notice("playing on '\(output.settings.device)' again: \(device.summary)")
    }
    changed()
  }

  private func retryLater() {
    if let retryTimer { loop.schedule(retryTimer, at: backoff.failed(at: loop.now)) }
  }

  // MARK: Closing

  private func watchIdleness() {
    guard let idleTimer, !idleTimer.isScheduled, let device = output.device else { return }
    let time: Duration
    switch output.settings.keepOpen {
    case .always: return
    case .automatic:
      if device.kind != .card { return }
      time = Self.patience
    case .atMost(let given): time = given
    }
    if output.isSilent { loop.schedule(idleTimer, at: loop.now.advanced(by: time)) }
  }

  private func release() { if output.isSilent, output.device != nil { output.release() } }
}

extension StreamFormat {
  /// For people: `float32, 48000 Hz, 2 channels, buffer 480 frames (10.0 ms), period 120`; a ring is a buffer in which
  /// frames can be changed until they are played.
  var summary: String {
    let tenths = (bufferFrames * 10_000 + rate / 2) / rate
    return
      "\(format), \(rate) Hz, \(channels) \(channels == 1 ? "channel" : "channels"), "
      + "\(kind.mayRewind() ? "ring" : "buffer") \(bufferFrames) frames (\(tenths / 10).\(tenths % 10) ms), period \(periodFrames)"
  }
}
