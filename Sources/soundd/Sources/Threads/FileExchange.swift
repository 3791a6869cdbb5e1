import CLinux
import Glibc
import SoundTrigger

/// What the event loop and a file thread share: jobs in one direction, reports in the other, and whether the thread moves.
///
/// The thread sets a timer when it wakes up, and clears it when it rests. The event loop waits for that timer, so a thread that hangs
/// is noticed without a wake-up while all is well.
final class FileExchange: Sendable {
  typealias Job = @Sendable (FileThreadLoop) -> Void
  /// A report, and the number of its file.
  typealias Parcel = (number: Int, report: FileReport)

  /// How long a thread may be at one thing before it counts as stuck.
  static let patience = Duration.seconds(1)
  /// How much may wait for the event loop, in bytes. Then the thread waits, too.
  private static let mostWaiting = 1 << 20

  private struct State: Sendable {
    var jobs: [Job] = []
    var parcels: [Parcel] = []
    var size = 0
    /// Whether the thread waits until the event loop has taken the reports.
    var isThreadWaiting = false
    var isEnding = false
    /// When the thread began what it is at; `nil`: it rests. CLOCK_MONOTONIC, because a machine that sleeps does not hang.
    var since: Instant?
    /// The path that it has touched last.
    var path = ""
    var isStuck = false
  }

  /// Wakes the thread.
  let wake: Descriptor
  /// Wakes the event loop.
  let ready: Descriptor
  /// The timer that ends the patience with the thread.
  let watchdog: Descriptor
  /// Wakes a thread whose reports were taken.
  private let room: Descriptor
  private let state = Guarded(State())

  init() throws(SystemError) {
    wake = try Descriptor("eventfd") { clinux_eventfd() }
    ready = try Descriptor("eventfd") { clinux_eventfd() }
    room = try Descriptor("eventfd") { clinux_eventfd() }
    watchdog = try Descriptor("timerfd_create") { clinux_timerfd_create(CLOCK_MONOTONIC) }
  }

  // MARK: The event loop's side

  func add(_ job: @escaping Job) {
    let isFirst = state.withLock { state in
      state.jobs.append(job)
      return state.jobs.count == 1
    }
    if isFirst { clinux_eventfd_signal(wake.raw) }
  }

  /// Takes what the thread has found out.
  func takeReports() -> [Parcel] {
    _ = clinux_drain(ready.raw)
    let (parcels, isWaiting) = state.withLock { state in
      defer { (state.parcels, state.size, state.isThreadWaiting) = ([], 0, false) }
      return (state.parcels, state.isThreadWaiting)
    }
    if isWaiting { clinux_eventfd_signal(room.raw) }
    return parcels
  }

  /// The timer has fired: returns whether the thread has just become stuck.
  func checkPatience() -> Bool {
    _ = clinux_drain(watchdog.raw)
    return state.withLock { state in
      guard let end = state.since?.advanced(by: Self.patience), !state.isStuck else { return false }
      state.isStuck = end.nanoseconds <= clinux_monotonic()
      // It has begun something else since the timer was set.
      if !state.isStuck { setTimer(end) }
      return state.isStuck
    }
  }

  var isStuck: Bool { state.withLock { $0.isStuck } }

  /// The path that the thread has touched last.
  var path: String { state.withLock { $0.path } }

  /// Ends the thread without waiting for it. Returns whether it works on something, which it may never finish.
  @discardableResult
  func end() -> Bool {
    let isWorking = state.withLock { state in
      state.isEnding = true
      return state.since != nil
    }
    clinux_eventfd_signal(wake.raw)
    clinux_eventfd_signal(room.raw)
    return isWorking
  }

  // MARK: The thread's side

  var isEnding: Bool { state.withLock { $0.isEnding } }

  func takeJobs() -> [Job] {
    _ = clinux_drain(wake.raw)
    return state.withLock { state in
      defer { state.jobs = [] }
      return state.jobs
    }
  }

  /// The thread begins something, perhaps at a path: it has the whole patience for it.
  func works(at path: String? = nil) { begin(Instant(nanoseconds: clinux_monotonic()), path) }

  /// The thread is about to sleep.
  func rests() { begin(nil, nil) }

  private func begin(_ now: Instant?, _ path: String?) {
    let hasRecovered = state.withLock { state in
      defer { (state.since, state.isStuck) = (now, false) }
      if now == nil || state.since == nil || state.isStuck { setTimer(now?.advanced(by: Self.patience)) }
      if let path { state.path = path }
      return state.isStuck
    }
    // The event loop asks `isStuck`.
    if hasRecovered { clinux_eventfd_signal(ready.raw) }
  }

  private func setTimer(_ time: Instant?) {
    _ = clinux_timerfd_set(watchdog.raw, time.map { UInt64($0.nanoseconds) } ?? 0)
  }

  /// Passes reports on. Waits while too many wait already.
  func deliver(_ parcels: [Parcel], size: Int) {
    let isFull = state.withLock { state in
      state.parcels += parcels
      state.size += size
      state.isThreadWaiting = state.size > Self.mostWaiting && !state.isEnding
      return state.isThreadWaiting
    }
    clinux_eventfd_signal(ready.raw)
    if !isFull { return }
    rests()
    _ = clinux_wait(room.raw, Int16(POLLIN), -1)
    _ = clinux_drain(room.raw)
    works()
  }
}
