import Glibc
import Logging
import SoundTrigger

extension Daemon {
  /// Runs a daemon to its end; `atEnd` may look at it before it goes.
  static func run(_ plan: DaemonPlan, log: Logger, atEnd: (Daemon) -> Void = { _ in }) throws {
    var leavesJobBehind = false
    do {
      if let daemon = try start(plan, log: log) {
        try daemon.run(&leavesJobBehind)
        atEnd(daemon)
      } else {
        leavesJobBehind = true
      }
    } catch let error as OutputError {
      let remedy = error.isSilence ? "if its sound server hangs, restart that; " : ""
      throw Failure(.unavailable, "\(error); \(remedy)'soundd devices' lists the devices, 'none' plays on none")
    } catch let error as any ExitFailure where leavesJobBehind {
      StandardStreams.show(error.description)
      _exit(error.exitCode.rawValue)
    }
    if leavesJobBehind { _exit(0) }
  }
}
