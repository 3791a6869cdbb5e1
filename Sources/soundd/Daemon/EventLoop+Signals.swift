import CLinux
import Glibc

/// Signals as events of the loop (signalfd).
///
/// The signals are blocked for the calling thread and the threads it starts from then on, so make this one before any
/// other thread runs. They stay blocked: a signal that arrives while the process leaves cannot cut its way out short.
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
