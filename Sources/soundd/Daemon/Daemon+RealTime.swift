import Logging
import SoundTrigger

extension Daemon {
  /// Says what the audio thread got of what low latency takes.
  func logRealTime() {
    let priority = output.priority
    complaints.wasRealTime = priority.isRealTime
    if priority.isRealTime {
      log.info("real-time priority \(priority.priority) (\(priority.policy.rawValue), by \(priority.way.rawValue))")
    } else {
      log.notice("no real-time priority: \(priority.reason); 'soundd doctor --latency' tells what to do")
    }
    if let reason = LockedMemoryUsage.current.shortage() {
      log.notice("not all memory is locked: \(reason); 'soundd doctor --latency' tells what to do")
    }
  }

  /// Says so if the audio thread lost its priority.
  func watchPriority() {
    guard complaints.wasRealTime else { return }
    let priority = output.priority
    if priority.isRealTime { return }
    complaints.wasRealTime = false
    log.error("the audio thread is no longer real-time: \(priority.reason); a restart may help")
  }
}
