import CLinux
import Glibc

/// Signals as events of the loop (signalfd).
///
/// It blocks the signals for the calling thread and the threads that this one starts later, so make it before any other
/// thread runs. They stay blocked: a signal that arrives while the process exits does not kill it.
final class SignalSource {
  private let loop: EventLoop
  private let descriptor: Descriptor
  private var token: EventLoop.Token?

  /// Calls `handler` with the number of each signal of the list that arrives.
  ///
  /// SIGPIPE is ignored from here on.
  init(
    _ signals: [Int32] = [SIGTERM, SIGINT, SIGHUP], on loop: EventLoop, handler: @escaping (Int32) -> Void
  )
    throws(SystemError)
  {
    self.loop = loop
    signal(SIGPIPE, SIG_IGN)
    descriptor = try Descriptor("signalfd") { clinux_signalfd(signals, Int32(signals.count)) }
    let raw = descriptor.raw
    token = try loop.add(raw, .readable) { _ in
      while true {
        let number = clinux_signalfd_read(raw)
        if number == 0 { return }
        handler(number)
      }
    }
  }

  deinit {
    if let token { loop.remove(token) }
  }
}
