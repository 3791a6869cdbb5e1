import CLinux
import Glibc

/// One of this process's limits (getrlimit).
package struct ResourceLimit: Equatable, Sendable {
  package enum Kind: Sendable {
    /// RLIMIT_RTPRIO: the highest real-time priority.
    case realTimePriority
    /// RLIMIT_RTTIME: for how long a real-time thread may run without a sleep, in microseconds.
    ///
    /// At the soft limit the kernel sends SIGXCPU, and the thread goes back to ordinary priority; at the hard limit it
    /// kills the process. Without any limit a thread gone wild would take the machine along.
    case realTimeRuntime
    /// RLIMIT_MEMLOCK: how much memory may be locked, in bytes.
    case lockedMemory
    /// RLIMIT_NOFILE: how many descriptors may be open.
    case openFiles
  }

  package static let unlimited = UInt64.max

  /// What holds.
  package var soft: UInt64
  /// What the soft limit may be raised to.
  package var hard: UInt64

  package init(soft: UInt64, hard: UInt64) {
    self.soft = soft
    self.hard = hard
  }

  /// The process's own, at this moment.
  package init(_ kind: Kind) {
    var soft = Self.unlimited
    var hard = Self.unlimited
    // It cannot fail: the kernel knows these limits since 2.6.25.
    _ = clinux_get_limit(kind.kernel, &soft, &hard)
    self.init(soft: soft, hard: hard)
  }

  /// Makes it the process's (setrlimit); returns an errno.
  package func set(_ kind: Kind) -> Int32 { clinux_set_limit(kind.kernel, soft, hard) == 0 ? 0 : errno }

  /// What `realTimeRuntime` should be before a thread gets real-time priority: never higher than this, and the hard limit not
  /// above `ceiling`, as RealtimeKit demands. The soft one lies well below the hard one, so that it strikes first, and is
  /// at most 100 ms: no block takes nearly as long, and people hardly notice such a stall.
  func tightened(ceiling: UInt64 = unlimited) -> ResourceLimit {
    let hard = min(hard, ceiling)
    return ResourceLimit(soft: min(soft, min(100_000, hard / 2)), hard: hard)
  }
}

extension ResourceLimit.Kind {
  fileprivate var kernel: clinux_limit {
    switch self {
    case .realTimePriority: CLINUX_LIMIT_PRIORITY
    case .realTimeRuntime: CLINUX_LIMIT_RUNTIME
    case .lockedMemory: CLINUX_LIMIT_LOCKED
    case .openFiles: CLINUX_LIMIT_FILES
    }
  }
}
