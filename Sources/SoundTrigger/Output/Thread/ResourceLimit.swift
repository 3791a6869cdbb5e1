import CLinux
import Glibc

/// One of this process's limits (getrlimit).
package struct ResourceLimit: Equatable, Sendable {
  package enum Kind: Sendable {
    /// RLIMIT_RTPRIO: the highest real-time priority.
    case realTimePriority
    /// RLIMIT_RTTIME: for how long a real-time thread may run without a sleep, in microseconds.
    ///
    /// At the soft limit the kernel sends SIGXCPU, and the thread gets ordinary priority again; at the hard limit the kernel
    /// kills the process. Without a limit a thread that never sleeps stops the whole machine.
    case realTimeRuntime
    /// RLIMIT_MEMLOCK: how much memory may be locked, in bytes.
    case lockedMemory
    /// RLIMIT_NOFILE: how many descriptors may be open.
    case openFiles
  }

  package static let unlimited = UInt64.max

  /// The limit in effect.
  package var soft: UInt64
  /// The highest value to which the soft limit may be raised.
  package var hard: UInt64

  package init(soft: UInt64, hard: UInt64) {
    self.soft = soft
    self.hard = hard
  }

  /// The process's present limit (getrlimit).
  package init(_ kind: Kind) {
    var soft = Self.unlimited
    var hard = Self.unlimited
    // It cannot fail: the kernel knows these limits since 2.6.25.
    _ = clinux_get_limit(kind.kernel, &soft, &hard)
    self.init(soft: soft, hard: hard)
  }

  /// Sets the process's limit (setrlimit); returns an errno.
  package func set(_ kind: Kind) -> Int32 { clinux_set_limit(kind.kernel, soft, hard) == 0 ? 0 : errno }

  /// The value of `realTimeRuntime` that a real-time thread needs. Neither limit is ever raised.
  ///
  /// The hard limit is at most `ceiling`, as RealtimeKit demands. The soft limit is at most half of the hard one, so that it
  /// strikes first, and at most 100 ms: no block takes nearly as long, and people hardly notice such a stall.
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
