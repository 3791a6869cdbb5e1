import CLinux
import Glibc
import SoundTrigger

/// Waits for a call that may hang, but only for a limit.
enum Patience {
  /// Runs `job` on a thread of its own; returns its result, or `nil` if it does not return within the limit. Then the thread is
  /// left behind.
  static func run<Result: Sendable>(for limit: Duration, _ job: @escaping @Sendable () -> Result) -> Result? {
    let call = Call<Result>(descriptor: clinux_eventfd())
    // Without a descriptor or a thread the call is made all the same.
    guard call.descriptor >= 0, DetachedThread.start("soundd-look", { call.make(job) }) == 0 else { return job() }
    _ = clinux_wait(call.descriptor, Int16(POLLIN), limit.nanoseconds)
    return call.result.withLock { $0 }
  }

  /// A call that two threads share.
  private final class Call<Result: Sendable>: Sendable {
    let descriptor: Int32
    let result = Locked<Result?>(nil)

    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func make(_ job: () -> Result) {
      let result = job()
      self.result.withLock { $0 = result }
      clinux_eventfd_signal(descriptor)
    }
  }
}
