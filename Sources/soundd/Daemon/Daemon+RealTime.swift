import Logging
import SoundTrigger

extension Daemon {
  /// Says what the audio thread got of what low latency takes.
  func logRealTime() {
    let priority = output.priority
    wasRealTime = priority.isRealTime
    if priority.isRealTime {
      log.info("real-time priority \(priority.priority) (\(priority.policy.rawValue), by \(priority.way.rawValue))")
    } else {
      log.notice("no real-time priority: \(priority.reason); 'soundd doctor' tells what to do")
    }
    let memory = StatusReport.Memory(.current)
    if let reason = memory.reason {
      log.notice("not all memory is locked: \(reason); 'soundd doctor' tells what to do")
    }
  }

  /// Says so if the audio thread lost its priority.
  func watchPriority() {
    guard wasRealTime else { return }
    let priority = output.priority
    if priority.isRealTime { return }
    wasRealTime = false
    log.error("the audio thread is no longer real-time: \(priority.reason); a restart may help")
  }
}

extension StatusReport.RealTime {
  /// Of an output's audio thread, now.
  init(_ output: Output) {
    let priority = output.priority
    let runtime = ResourceLimit(.realTimeRuntime).soft
    self.init(
      policy: priority.policy.rawValue, priority: priority.priority, way: priority.way.rawValue,
      obstacle: priority.obstacle?.rawValue, reason: priority.reason.isEmpty ? nil : priority.reason,
      priorityLimit: Int(exactly: ResourceLimit(.realTimePriority).soft),
      runtimeLimit: Int64(exactly: runtime).map { .microseconds($0) }, flushesDenormals: output.flushesDenormals)
  }
}

extension StatusReport.Memory {
  /// Of this process.
  init(_ usage: LockedMemoryUsage) {
    let limit = Int(exactly: ResourceLimit(.lockedMemory).soft)
    var reason: String?
    if usage.locked < usage.wanted {
      let missing = "\((usage.wanted - usage.locked + 1023) >> 10) of \((usage.wanted + 1023) >> 10) KiB"
      reason = "\(missing) may be swapped out (\(SystemError.text(usage.error)))"
      if let limit { reason? += "; RLIMIT_MEMLOCK is \(limit >> 10) KiB" }
    }
    self.init(wanted: usage.wanted, locked: usage.locked, limit: limit, reason: reason)
  }
}
