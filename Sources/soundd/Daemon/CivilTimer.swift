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

  /// Calls `handler` when the time comes that it is set to, and also when the clock was set or the machine has slept: then
  /// it may be any time, and the timer must be set anew.
  init(on loop: EventLoop, handler: @escaping () -> Void) throws(SystemError) {
    self.loop = loop
    descriptor = try Descriptor("timerfd_create") { clinux_timerfd_create(CLOCK_REALTIME) }
    let raw = descriptor.raw
    token = try loop.add(raw, .readable) { _ in
      // Reading fails with ECANCELED where the clock was set, and it is quiet after that as well.
      _ = clinux_drain(raw)
      handler()
    }
  }

  deinit {
    if let token { loop.remove(token) }
  }

  /// Sets it to a second of UTC since 1970; `nil`: to none.
  ///
  /// - Returns: whether it is set. If not, the clock was set just now: what the time was calculated from is no longer so.
  func set(_ second: Int64?) throws(SystemError) -> Bool {
    if clinux_timerfd_set_civil(descriptor.raw, second ?? .min) == 0 { return true }
    if errno == ECANCELED { return false }
    throw SystemError("timerfd_settime")
  }
}
