import Glibc
import Logging
import SoundTrigger

/// The start of a daemon: handles signals while the device is opened in the background.
final class Startup {
  let loop: EventLoop
  let device: DeviceKeeper
  private var signals: SignalSource?
  private var isLeaving = false
  /// Handles signals once the daemon exists.
  var handler: ((Int32) -> Void)?

  init(_ settings: OutputSettings, log: Logger) throws(SystemError) {
    loop = try EventLoop()
    // First of all, because every thread that is started later inherits the blocked signals.
    let relay = Relay()
    signals = try SignalSource(on: loop) { relay.handle($0) }
    device = try DeviceKeeper(settings, on: loop, log: log)
    relay.handle = { [unowned self] in received($0) }
  }

  /// Opens the device. Returns `nil` if soundd was told to leave meanwhile. Then the opening may be left behind, and the
  /// process must end by `_exit`.
  func open() throws(SystemError) -> FirstDevice? {
    var first: FirstDevice?
    device.start { first = FirstDevice(opened: $0) }
    while first == nil, !isLeaving { try loop.runOnce() }
    return first
  }

  /// The device at the start; `nil` if none is wanted.
  struct FirstDevice {
    var opened: OpenedDevice?
  }

  private func received(_ signal: Int32) {
    if let handler { handler(signal) } else if signal != SIGHUP { isLeaving = true }
  }

  private final class Relay {
    var handle: (Int32) -> Void = { _ in }
  }
}
