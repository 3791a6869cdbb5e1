import CLinux
import Glibc
import SoundTrigger

/// A timer on the civil clock, which people and the network set.
///
/// Belongs to the event loop. While it waits it costs no wake-up.
final class CivilTimer {
  private let loop: EventLoop
  private let descriptor: Descriptor
  private var token: EventLoop.Token?

  /// Calls `handler` at the time that it is set to, and also when the clock was set or the machine has slept: then the timer
  /// must be set again.
  init(on loop: EventLoop, handler: @escaping () -> Void) throws(SystemError) {
    self.loop = loop
    descriptor = try Descriptor("timerfd_create") { clinux_timerfd_create(CLOCK_REALTIME) }
    let raw = descriptor.raw
    token = try loop.add(raw, .readable) { _ in
      // If the clock was set, the read fails with ECANCELED and clears the event all the same.
      _ = clinux_drain(raw)
      handler()
    }
  }

  deinit {
    if let token { loop.remove(token) }
  }

  /// Sets it to a second of UTC since 1970; `nil` disarms it.
  ///
  /// - Returns: whether it is set. If not, the clock was set just now, and the caller must calculate the time again.
  func set(_ second: Int64?) throws(SystemError) -> Bool {
    if clinux_timerfd_set_civil(descriptor.raw, second ?? .min) == 0 { return true }
    if errno == ECANCELED { return false }
    throw SystemError("timerfd_settime")
  }
}
