import CLinux
import Glibc

/// An eventfd, which is open as long as anything holds it.
final class EventDescriptor: Sendable {
  let raw: Int32

  init() throws(SystemError) {
    raw = clinux_eventfd()
    if raw < 0 { throw SystemError("eventfd") }
  }

  deinit { close(raw) }

  /// Makes it readable.
  func signal() { clinux_eventfd_signal(raw) }

  /// Makes it unreadable.
  func drain() { _ = clinux_drain(raw) }

  /// Blocks until it is readable, at most for `patience` (`nil`: for ever); returns whether it is. A signal interrupts ppoll.
  @discardableResult
  func wait(for patience: Duration? = nil) -> Bool {
    let end = patience.map { clinux_monotonic() + $0.nanoseconds }
    while true {
      let left = end.map { max(0, $0 - clinux_monotonic()) } ?? -1
      if clinux_wait(raw, Int16(POLLIN), left) > 0 { return true }
      if left == 0 { return false }
    }
  }
}
