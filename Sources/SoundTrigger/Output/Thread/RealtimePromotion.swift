import CLinux
import Glibc

/// Gets real-time priority for a thread of this process: asks the kernel, then RealtimeKit. Says why if neither grants it.
///
/// RealtimeKit (rtkit) is the service that gives real-time priority to the programs of the user who sits at the machine.
enum RealtimePromotion {
  /// Why RealtimeKit did not grant real-time priority.
  struct Refusal: Error, Equatable {
    var problem: ThreadPriority.Problem
    var reason: String
  }

  /// How long all answers of RealtimeKit together may take.
  static let patience = Duration.seconds(1)

  /// Promotes a thread, given by its id in the kernel, as far as possible.
  ///
  /// With `mayLimitRuntime` it first lowers RLIMIT_RTTIME, so that a thread that never sleeps cannot stop the machine.
  /// RealtimeKit demands a low limit.
  ///
  /// Blocks for `patience` at most, and only if it must ask RealtimeKit. Never call it on the audio thread.
  static func promote(
    _ thread: Int32, priority: Int, mayLimitRuntime: Bool, patience: Duration = patience
  ) -> ThreadPriority {
    let error = mayLimitRuntime ? limitRuntime() : 0
    let granted = ask(
      priority, limit: Int(clamping: ResourceLimit(.realTimePriority).soft),
      kernel: { error != 0 ? error : clinux_set_realtime(thread, Int32(clamping: $0)) },
      realtimeKit: { (wanted) throws(Refusal) in
        try askRealtimeKit(for: thread, wanted, mayLimitRuntime: mayLimitRuntime, patience)
      })
    return granted.now(of: thread, demotionsBefore: clinux_demotions())
  }

  /// Asks for a priority in 1…99: first the kernel, then the kernel for as much as the limit allows, then RealtimeKit.
  ///
  /// `limit` is RLIMIT_RTPRIO. `kernel` is sched_setscheduler, and returns an errno. `realtimeKit` is MakeThreadRealtime with
  /// this priority at most, and returns the one that RealtimeKit gave.
  static func ask(
    _ priority: Int, limit: Int, kernel: (Int) -> Int32, realtimeKit: (Int) throws(Refusal) -> Int
  ) -> ThreadPriority {
    var error = kernel(priority)
    if error == 0 { return ThreadPriority(policy: .fifo, priority: priority, way: .kernel) }
    if (1..<priority).contains(limit) {
      error = kernel(limit)
      if error == 0 { return ThreadPriority(policy: .fifo, priority: limit, way: .kernel) }
    }
    do throws(Refusal) {
      return ThreadPriority(policy: .roundRobin, priority: try realtimeKit(priority), way: .rtkit)
    } catch let refusal {
      let kernel =
        error == EPERM ? "RLIMIT_RTPRIO is \(limit)" : "the kernel refused it: \(String(cString: strerror(error)))"
      return ThreadPriority(problem: refusal.problem, reason: "\(kernel); \(refusal.reason)")
    }
  }

  private static func askRealtimeKit(
    for thread: Int32, _ wanted: Int, mayLimitRuntime: Bool, _ patience: Duration
  ) throws(Refusal) -> Int {
    var priority = Int32(clamping: wanted)
    var reason = [CChar](repeating: 0, count: 256)
    let limitRuntimeForRealtimeKit: @convention(c) (Int64) -> Int32 = {
      RealtimePromotion.limitRuntime(ceiling: UInt64(clamping: $0))
    }
    let checkRuntimeForRealtimeKit: @convention(c) (Int64) -> Int32 = {
      ResourceLimit(.realTimeRuntime).hard <= UInt64(clamping: $0) ? 0 : ECANCELED
    }
    let result = clinux_rtkit_promote(
      thread, &priority, patience.nanoseconds,
      mayLimitRuntime ? limitRuntimeForRealtimeKit : checkRuntimeForRealtimeKit, &reason, reason.count)
    let problem: ThreadPriority.Problem
    switch result {
    case CLINUX_RTKIT_GRANTED: return Int(priority)
    case CLINUX_RTKIT_ABSENT: problem = .notPermitted
    case CLINUX_RTKIT_REFUSED: problem = .refused
    case CLINUX_RTKIT_SILENT: problem = .silent
    default: problem = .failed
    }
    let text = reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    throw Refusal(problem: problem, reason: String(decoding: text, as: UTF8.self))
  }

  /// Lowers RLIMIT_RTTIME as far as needed, so that SIGXCPU comes before the machine becomes slow. Returns an errno.
  private static func limitRuntime(ceiling: UInt64 = ResourceLimit.unlimited) -> Int32 {
    let present = ResourceLimit(.realTimeRuntime)
    let wanted = present.tightened(ceiling: ceiling)
    return wanted == present ? 0 : wanted.set(.realTimeRuntime)
  }
}

/// How urgently the kernel runs the audio thread, and where that comes from.
package struct ThreadPriority: Equatable, Sendable {
  /// How the kernel chooses among threads (sched(7)).
  package enum Policy: String, Sendable {
    /// SCHED_FIFO: before all ordinary threads, until it sleeps.
    case fifo
    /// SCHED_RR: as SCHED_FIFO, but threads of equal priority take turns. RealtimeKit grants this by default.
    case roundRobin = "rr"
    /// Any other: an ordinary thread.
    case other
  }

  /// Who granted real-time priority.
  package enum Way: String, Sendable {
    /// The kernel: RLIMIT_RTPRIO, or a privilege (CAP_SYS_NICE).
    case kernel
    /// RealtimeKit, over D-Bus.
    case rtkit
    /// Neither.
    case none
  }

  /// Why the thread has no real-time priority.
  package enum Problem: String, Sendable {
    /// RLIMIT_RTPRIO is too low, and there is no RealtimeKit to ask.
    case notPermitted = "not-permitted"
    /// RealtimeKit refused.
    case refused
    /// RealtimeKit did not answer in time.
    case silent
    /// Some other failure.
    case failed
    /// The kernel took it away, because the thread ran for longer than RLIMIT_RTTIME without a sleep.
    case overran
    /// RealtimeKit or an administrator took it away.
    case takenAway = "taken-away"
  }

  package var policy = Policy.other
  /// 1…99 for a real-time thread, 0 for others.
  package var priority = 0
  package var way = Way.none
  package var problem: Problem?
  /// The reason, for people, why the thread has no real-time priority; empty if it has.
  package var reason = ""

  package var isRealTime: Bool { policy != .other }

  /// The present priority of the thread that was granted this one. `demotionsBefore` is `clinux_demotions` at that time.
  func now(of thread: Int32, demotionsBefore: Int32) -> ThreadPriority {
    var policy: Int32 = 0
    var priority: Int32 = 0
    guard clinux_scheduling(thread, &policy, &priority) == 0 else { return self }
    let observed: Policy =
      switch policy {
      case CLINUX_POLICY_FIFO: .fifo
      case CLINUX_POLICY_ROUND_ROBIN: .roundRobin
      default: .other
      }
    // Read after the policy, because a thread is counted before it loses its priority.
    return self.observed(policy: observed, priority: Int(priority), overran: clinux_demotions() != demotionsBefore)
  }

  /// The present priority of the thread that was granted this one, if the kernel reports this policy and priority.
  ///
  /// `overran`: a thread of this process has run for too long since then.
  func observed(policy: Policy, priority: Int, overran: Bool) -> ThreadPriority {
    guard way != .none else { return self }
    if policy != .other { return ThreadPriority(policy: policy, priority: priority, way: way) }
    return ThreadPriority(
      problem: overran ? .overran : .takenAway,
      reason: overran
        ? "it ran for longer than RLIMIT_RTTIME allows without a sleep, and was put back to ordinary priority"
        : "it had real-time priority, which RealtimeKit or an administrator took away")
  }
}
