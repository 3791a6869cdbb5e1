import CLinux

/// How urgently the kernel runs the audio thread, and how it came by that.
package struct ThreadPriority: Equatable, Sendable {
  /// How the kernel chooses among threads (sched(7)).
  package enum Policy: String, Sendable {
    /// SCHED_FIFO: before all ordinary threads, until it sleeps.
    case fifo
    /// SCHED_RR: the same, in turns with those of equal priority. RealtimeKit gives this.
    case roundRobin = "rr"
    /// Any other: when its turn comes.
    case other
  }

  /// Who granted real-time priority.
  package enum Way: String, Sendable {
    /// The kernel: RLIMIT_RTPRIO, or a privilege (CAP_SYS_NICE).
    case kernel
    /// RealtimeKit, over D-Bus.
    case rtkit
    /// Nobody.
    case none
  }

  /// What stands in the way of real-time priority.
  package enum Obstacle: String, Sendable {
    /// RLIMIT_RTPRIO is too low, and there is no RealtimeKit that could be asked.
    case notPermitted = "not-permitted"
    /// RealtimeKit said no.
    case refused
    /// RealtimeKit did not answer in time.
    case silent
    /// Some other failure.
    case failed
    /// It was granted, but the thread ran on without a sleep for longer than RLIMIT_RTTIME.
    case overran
    /// It was granted, and somebody took it away.
    case takenAway = "taken-away"
  }

  package var policy: Policy
  /// 1…99 among real-time threads, 0 otherwise.
  package var priority: Int
  package var way: Way
  package var obstacle: Obstacle?
  /// For people: why it is not real-time; empty if it is.
  package var reason: String

  package init(policy: Policy, priority: Int, way: Way, obstacle: Obstacle? = nil, reason: String = "") {
    self.policy = policy
    self.priority = priority
    self.way = way
    self.obstacle = obstacle
    self.reason = reason
  }

  package var isRealTime: Bool { policy != .other }
}

extension ThreadPriority {
  /// What became of it: it was granted like this, and now the kernel tells this policy and priority. `overran`: whether a
  /// thread of this process was found to run on and on.
  func observed(policy: Policy, priority: Int, overran: Bool) -> ThreadPriority {
    guard way != .none else { return self }
    if policy != .other { return ThreadPriority(policy: policy, priority: priority, way: way) }
    if overran {
      return ThreadPriority(
        policy: .other, priority: 0, way: .none, obstacle: .overran,
        reason: "it ran for longer than RLIMIT_RTTIME allows without a sleep, and was put back to ordinary priority")
    }
    return ThreadPriority(
      policy: .other, priority: 0, way: .none, obstacle: .takenAway,
      reason: "it had real-time priority, which RealtimeKit or an administrator took away")
  }
}

extension ThreadPriority.Policy {
  /// Of sched_getscheduler, without its flag.
  init(kernel policy: Int32) {
    switch policy {
    case CLINUX_POLICY_FIFO: self = .fifo
    case CLINUX_POLICY_ROUND_ROBIN: self = .roundRobin
    default: self = .other
    }
  }
}
