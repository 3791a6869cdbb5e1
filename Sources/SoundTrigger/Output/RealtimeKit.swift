import CLinux

/// RealtimeKit (rtkit), the service that gives real-time priority to programs of the user at the machine.
///
/// It is spoken to over D-Bus: this may block, for `patience` at most, and is nothing for the audio thread.
struct RealtimeKit: ~Copyable {
  /// All of its answers together may take this long.
  static let patience = Duration.seconds(1)

  private let connection: OpaquePointer?

  /// Connects to the system bus.
  init(patience: Duration = Self.patience) throws(RealtimeKitError) {
    var opened: OpaquePointer?
    let result = clinux_rtkit_open(patience.nanoseconds, &opened)
    if let error = RealtimeKitError(result, opened) {
      clinux_rtkit_close(opened)
      throw error
    }
    connection = opened
  }

  deinit { clinux_rtkit_close(connection) }

  /// The highest priority that it gives, and the most that RLIMIT_RTTIME may be, in microseconds.
  func limits() throws(RealtimeKitError) -> (priority: Int, runtime: UInt64) {
    var priority: Int32 = 0
    var microseconds: Int64 = 0
    if let error = RealtimeKitError(clinux_rtkit_limits(connection, &priority, &microseconds), connection) {
      throw error
    }
    return (Int(priority), UInt64(clamping: microseconds))
  }

  /// Gives a thread of this process, by its id in the kernel, real-time priority (SCHED_RR, if nobody told it otherwise).
  func promote(_ thread: Int32, priority: Int) throws(RealtimeKitError) {
    let result = clinux_rtkit_promote(connection, thread, Int32(clamping: priority))
    if let error = RealtimeKitError(result, connection) { throw error }
  }
}

/// Why RealtimeKit did not give real-time priority.
struct RealtimeKitError: Error, Equatable, CustomStringConvertible {
  var obstacle: ThreadPriority.Obstacle
  var description: String

  init(_ obstacle: ThreadPriority.Obstacle, _ description: String) {
    self.obstacle = obstacle
    self.description = description
  }

  /// `nil` if all went well.
  fileprivate init?(_ result: clinux_rtkit_result, _ connection: OpaquePointer?) {
    let reason = String(cString: clinux_rtkit_reason(connection))
    switch result {
    case CLINUX_RTKIT_OK: return nil
    case CLINUX_RTKIT_NO_LIBRARY: self.init(.notPermitted, "RealtimeKit cannot be asked without libsystemd: \(reason)")
    case CLINUX_RTKIT_NO_BUS: self.init(.notPermitted, "there is no system bus to ask RealtimeKit on: \(reason)")
    case CLINUX_RTKIT_ABSENT: self.init(.notPermitted, "RealtimeKit is not installed: \(reason)")
    case CLINUX_RTKIT_REFUSED: self.init(.refused, "RealtimeKit refused: \(reason)")
    case CLINUX_RTKIT_SILENT: self.init(.silent, "RealtimeKit did not answer in time")
    default: self.init(.failed, "asking RealtimeKit failed: \(reason)")
    }
  }
}
