import CLinux
import Glibc

/// Climbs the `PriorityLadder` for a thread of this process.
struct PriorityClimb {
  /// The thread's id in the kernel.
  let thread: Int32
  /// How long RealtimeKit may take to answer.
  var patience = RealtimeKit.patience

  /// Gets as far as it can. Blocks for `patience` at most, and only if RealtimeKit must be asked.
  func run(priority: Int) -> ThreadPriority {
    // Before the thread can run away.
    let error = limitRuntime()
    let limit = ResourceLimit(.realTimePriority)
    var ladder = PriorityLadder(priority: priority, limit: Int(clamping: limit.soft))
    var step = ladder.first
    while true {
      switch step {
      case .askKernel(let priority):
        step = ladder.kernelAnswered(error != 0 ? error : clinux_set_realtime(thread, Int32(clamping: priority)))
      case .askRealtimeKit(let priority):
        do throws(RealtimeKitError) {
          step = ladder.realtimeKitAnswered(.success(try askRealtimeKit(priority: priority)))
        } catch {
          step = ladder.realtimeKitAnswered(.failure(error))
        }
      case .rest(let outcome): return Self.now(thread, granted: outcome, demotionsBefore: clinux_demotions())
      }
    }
  }

  /// What has become of the priority that a thread was granted, when so many threads had lost theirs.
  static func now(_ thread: Int32, granted: ThreadPriority, demotionsBefore: Int32) -> ThreadPriority {
    var policy: Int32 = 0
    var priority: Int32 = 0
    guard clinux_scheduling(thread, &policy, &priority) == 0 else { return granted }
    // Asked for only now: a thread is counted before it loses its priority.
    let overran = clinux_demotions() != demotionsBefore
    return granted.observed(policy: ThreadPriority.Policy(kernel: policy), priority: Int(priority), overran: overran)
  }

  private func askRealtimeKit(priority: Int) throws(RealtimeKitError) -> Int {
    let realtimeKit = try RealtimeKit(patience: patience)
    let limits = try realtimeKit.limits()
    guard limits.priority > 0 else {
      throw RealtimeKitError(.refused, "RealtimeKit gives no real-time priority: its highest is \(limits.priority)")
    }
    let error = limitRuntime(ceiling: limits.runtime)
    guard error == 0 else {
      throw RealtimeKitError(.failed, "RLIMIT_RTTIME cannot be set: \(String(cString: strerror(error)))")
    }
    let granted = min(priority, limits.priority)
    try realtimeKit.promote(thread, priority: granted)
    return granted
  }

  /// Sees to it that SIGXCPU comes before the machine suffers; returns an errno.
  private func limitRuntime(ceiling: UInt64 = ResourceLimit.unlimited) -> Int32 {
    let present = ResourceLimit(.realTimeRuntime)
    let wanted = present.tightened(ceiling: ceiling)
    return wanted == present ? 0 : wanted.set(.realTimeRuntime)
  }
}
