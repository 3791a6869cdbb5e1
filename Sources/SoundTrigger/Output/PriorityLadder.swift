import Glibc

/// The way up to real-time priority, one step after the other. Pure: who climbs carries out a step and says how it went.
///
/// First the kernel is asked, for what is wanted and then for as much as RLIMIT_RTPRIO allows; then RealtimeKit, which gives
/// real-time priority to the programs of whoever sits at the machine.
struct PriorityLadder {
  enum Step: Equatable {
    /// sched_setscheduler with this priority.
    case askKernel(priority: Int)
    /// MakeThreadRealtime with this priority at most.
    case askRealtimeKit(priority: Int)
    /// There is nothing more to try.
    case rest(ThreadPriority)
  }

  private enum State {
    /// The kernel was asked for all that is wanted.
    case wanted
    /// The kernel was asked for as much as the limit allows.
    case limited
    /// RealtimeKit was asked.
    case realtimeKit
    /// It is decided.
    case done
  }

  private let priority: Int
  private let limit: Int
  private var state = State.wanted
  /// The errno of the kernel's last refusal.
  private var refusal: Int32 = 0

  /// `priority` is wanted, in 1…99; `limit` is RLIMIT_RTPRIO.
  init(priority: Int, limit: Int) {
    self.priority = priority
    self.limit = limit
  }

  /// The first step.
  var first: Step { .askKernel(priority: priority) }

  /// sched_setscheduler gave this errno, 0 for success.
  mutating func kernelAnswered(_ code: Int32) -> Step {
    switch state {
    case .wanted:
      if code == 0 { return done(.fifo, priority) }
      refusal = code
      if (1..<priority).contains(limit) {
        state = .limited
        return .askKernel(priority: limit)
      }
    case .limited:
      if code == 0 { return done(.fifo, limit) }
      refusal = code
    case .realtimeKit, .done: preconditionFailure("the kernel answered in state \(state), when it was not asked")
    }
    state = .realtimeKit
    return .askRealtimeKit(priority: priority)
  }

  /// RealtimeKit granted a priority, or did not.
  mutating func realtimeKitAnswered(_ answer: Result<Int, RealtimeKitError>) -> Step {
    guard case .realtimeKit = state else {
      preconditionFailure("RealtimeKit answered in state \(state), when it was not asked")
    }
    state = .done
    switch answer {
    case .success(let granted): return .rest(ThreadPriority(policy: .roundRobin, priority: granted, way: .rtkit))
    case .failure(let error):
      return .rest(
        ThreadPriority(
          policy: .other, priority: 0, way: .none, obstacle: error.obstacle, reason: "\(kernelReason); \(error)"))
    }
  }

  private mutating func done(_ policy: ThreadPriority.Policy, _ priority: Int) -> Step {
    state = .done
    return .rest(ThreadPriority(policy: policy, priority: priority, way: .kernel))
  }

  private var kernelReason: String {
    refusal == EPERM ? "RLIMIT_RTPRIO is \(limit)" : "the kernel refused it: \(String(cString: strerror(refusal)))"
  }
}
