import CLinux
import Glibc
import SoundTrigger

/// Signals as events of the loop (signalfd).
///
/// It blocks the signals for the calling thread and the threads that this one starts later, so make it before any other
/// thread runs. They stay blocked: a signal that arrives while the process exits does not kill it.
final class SignalSource {
  private let descriptor: Descriptor
  /// Called with the number of each signal that arrives.
  var handler: (Int32) -> Void

  /// Handles the signals of the list as long as the loop exists. SIGPIPE is ignored from here on.
  init(
    _ signals: [Int32] = [SIGTERM, SIGINT, SIGHUP], on loop: EventLoop, handler: @escaping (Int32) -> Void
  )
    throws(SystemError)
  {
    self.handler = handler
    signal(SIGPIPE, SIG_IGN)
    descriptor = try Descriptor("signalfd") { clinux_signalfd(signals, Int32(signals.count)) }
    _ = try loop.add(descriptor.raw, .readable) { [self] _ in
      while true {
        let number = clinux_signalfd_read(descriptor.raw)
        if number == 0 { return }
        self.handler(number)
      }
    }
  }

  /// Whether the process was started with a signal ignored, as by nohup(1), or ignores it itself (sigaction).
  static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
