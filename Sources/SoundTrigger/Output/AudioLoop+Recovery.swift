import CALSA
import CLinux
import Glibc
import Synchronization

extension AudioLoop {
  /// Does what `PCMRecovery` decided.
  @_noLocks mutating func recover(_ device: UnsafeMutablePointer<PCMPlayback>, _ action: PCMRecovery.Action) {
    let now = clinux_monotonic()
    switch action {
    case .proceed: run.wakeTime = now &+ 10_000_000
    case .wait(let pause): run.wakeTime = now &+ pause
    case .restart:
      let due = run.played > 0 ? clock.frame(at: now) : 0
      if due >= run.written {
        // All that was written has been played.
        if run.silentFrom > run.written { noteMissing(due &- run.written) }
        margin.missed()
      }
      // Otherwise it was stopped by somebody else, such as a sound server that is gone: then the rest is still to be heard.
      run.played = max(run.played, min(due, run.written))
      stop(device)
    case .revive: stop(device)
    case .resume:
      let answer = Int(calsa_resume(device.pointee.handle))
      // What slept before it was started is only prepared again.
      let isRunning = UInt32(truncatingIfNeeded: calsa_state(device.pointee.handle)) == SND_PCM_STATE_RUNNING.rawValue
      if answer == 0 && !isRunning {
        recover(device, .revive)
      } else {
        recover(device, recovery.resumed(answer, at: now))
      }
    case .giveUp(let code): giveBack(device, error: code)
    }
  }
}
