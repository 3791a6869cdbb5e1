import Logging
import SoundTrigger

/// Keeps the output on its device: opens it, opens it again when it is gone, closes it while nothing needs it.
///
/// Belongs to the event loop, which never waits for a device: a thread of its own opens them.
final class DeviceKeeper {
  private let settings: OutputSettings
  private let loop: EventLoop
  private let worker: BackgroundWorker
  private let log: Logger
  private var output: Output?
  /// Called whenever there is another device, or none.
  private var changed: () -> Void = {}
  private var upkeep: DeviceUpkeep
  /// Since when there has been a device, or none.
  private(set) var since: Instant
  private var isMissing = false {
    didSet { if isMissing != oldValue { since = loop.now } }
  }
  private lazy var timer = EventLoop.Timer { [unowned self] in update() }
  /// Receives the first device; `nil` once it has.
  private var opened: ((OpenedDevice?) -> Void)?

  init(_ settings: OutputSettings, on loop: EventLoop, log: Logger) throws(SystemError) {
    self.settings = settings
    self.loop = loop
    self.log = log
    upkeep = DeviceUpkeep(settings)
    since = loop.now
    worker = try BackgroundWorker(name: "soundd-device", on: loop)
  }

  /// Opens the device in the background, for an output that does not exist yet, and calls `opened` on the loop when this
  /// first attempt has ended, or takes longer than `BoundedCall.patience`. Returns at once.
  ///
  /// `nil` if no device is wanted. `opened` is not called after `stop`.
  func start(then opened: @escaping (OpenedDevice?) -> Void) {
    if settings.device == OutputSettings.noDevice { return opened(nil) }
    self.opened = opened
    worker.perform({ [settings] in OpenedDevice.open(settings) }) { [unowned self] in firstOpened($0) }
    timer = EventLoop.Timer { [unowned self] in firstOpened(.unanswered(settings)) }
    loop.schedule(timer, at: loop.now.advanced(by: BoundedCall.patience))
  }

  private func firstOpened(_ device: OpenedDevice) {
    guard let opened else {
      // Later than that.
      if let output { finish(device, output) }
      return
    }
    self.opened = nil
    loop.cancel(timer)
    timer = EventLoop.Timer { [unowned self] in update() }
    opened(device)
  }

  /// Begins to keep the device of an output, and logs what the output has. `changed` is called whenever there is another device, or
  /// none.
  func keep(_ output: Output, changed: @escaping () -> Void) {
    self.output = output
    self.changed = changed
    if let error = output.deviceError {
      if error.isSilence {
        log.error("\(error); \(Self.unheard) until it does")
        upkeep.openingBlocks()
      } else {
        log.error("\(error); \(Self.unheard) until it can be opened (see 'soundd devices' for the devices)")
        upkeep.failed(at: loop.now)
      }
      isMissing = true
    } else if let device = output.device {
      upkeep.opened(at: loop.now)
      log.info("playing on '\(settings.device)': \(device.summary)")
    } else {
      log.info("playing by the clock, on no device")
    }
    update()
  }

  private static let unheard = "playing by the clock, so nothing is heard"

  /// A sound is about to start: opens the device without waiting for the back-off, unless the last attempt was a moment ago.
  func willPlay() {
    guard let output else { return }
    let before = upkeep.deadline
    if let action = upkeep.willPlay(on: output, at: loop.now) { act(action, output) }
    // Also without an action, because `upkeep` checks the audio thread from now on.
    if upkeep.deadline != before { schedule() }
  }

  /// `Output.collect` was called and returned this.
  func collected(_ error: OutputError?) {
    if let error {
      upkeep.lost(at: loop.now)
      lost(error)
    }
    update()
  }

  private func lost(_ error: OutputError) {
    log.error("\(error); \(Self.unheard) until it is back")
    isMissing = true
    changed()
  }

  /// Ends. Returns whether an opening that does not return is left behind, as `BackgroundWorker.stop` does.
  func stop() -> Bool { worker.stop() }

  private func update() {
    guard let output else { return }
    if let action = upkeep.update(output, at: loop.now) { act(action, output) }
    schedule()
  }

  /// Calls `update` again when something is due.
  private func schedule() {
    if let deadline = upkeep.deadline { loop.schedule(timer, at: deadline) } else { loop.cancel(timer) }
  }

  private func act(_ action: DeviceUpkeep.Action, _ output: Output) {
    switch action {
    case .open: worker.perform(output.beginOpening()) { [unowned self] opened in finish(opened, output) }
    case .stopHolding: output.stopHolding()
    case .reportBlockedOpening: if let error = output.openingBlocks() { lost(error) }
    case .release: output.release()
    case .takeBackRelease: output.takeBackRelease()
    // The loop then collects why.
    case .abandon: output.abandon()
    }
  }

  private func finish(_ opened: OpenedDevice, _ output: Output) {
    if output.isAtAnotherRate(opened) {
      output.discard(opened)
      act(upkeep.reopens(at: loop.now), output)
      return schedule()
    }
    let wasMissing = !output.isReleased
    if let error = output.finishOpening(opened) {
      if wasMissing { log.debug("\(error)") } else { log.error("\(error); \(Self.unheard) until it is back") }
      upkeep.failed(at: loop.now)
      isMissing = true
    } else {
      upkeep.opened(at: loop.now)
      isMissing = false
      if wasMissing, let device = output.device {
        log.notice("playing on '\(settings.device)' again: \(device.summary)")
      }
    }
    changed()
    update()
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
