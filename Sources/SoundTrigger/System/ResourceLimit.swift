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

  /// The value of `realTimeRuntime` that a real-time thread needs. Neither limit is ever raised.
  ///
  /// The hard limit is at most `ceiling`, as RealtimeKit demands. The soft limit is at most half of the hard one, so that it
  /// strikes first, and at most 100 ms: no block takes nearly as long, and people hardly notice such a stall.
  func tightened(ceiling: UInt64 = unlimited) -> ResourceLimit {
    let hard = min(hard, ceiling)
    return ResourceLimit(soft: min(soft, min(100_000, hard / 2)), hard: hard)
  }
}

extension ResourceLimit {
  /// The process's present limit (getrlimit).
  package init(_ kind: Kind) {
    // It cannot fail: the kernel knows these limits since 2.6.25.
    var limit = rlimit()
    getrlimit(kind.code, &limit)
    self.init(soft: UInt64(limit.rlim_cur), hard: UInt64(limit.rlim_max))
  }

  /// Sets the process's limit (setrlimit); returns an errno.
  package func set(_ kind: Kind) -> Int32 {
    var limit = rlimit(rlim_cur: rlim_t(soft), rlim_max: rlim_t(hard))
    return setrlimit(kind.code, &limit) == 0 ? 0 : errno
  }
}

extension ResourceLimit.Kind {
  fileprivate var code: __rlimit_resource_t {
    let resource =
      switch self {
      case .realTimePriority: __RLIMIT_RTPRIO
      case .realTimeRuntime: __RLIMIT_RTTIME
      case .lockedMemory: __RLIMIT_MEMLOCK
      case .openFiles: RLIMIT_NOFILE
      }
    return __rlimit_resource_t(resource.rawValue)
  }
}
