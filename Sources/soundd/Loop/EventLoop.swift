import CLinux
import Glibc
import SoundTrigger

/// Runs a thread: descriptors and deadlines, in the order in which they are due. Everything but the mixer and what may block
/// runs on the first of them.
///
/// It sleeps in epoll_wait until a descriptor is ready or a timer is due, and has no tick of its own: at rest it does not
/// wake up at all. It belongs to the thread that made it; handlers run there, one at a time, and may add, change and
/// remove anything, themselves included.
final class EventLoop {
  /// The readiness of a descriptor that the loop waits for, and that epoll reports.
  struct Readiness: OptionSet {
    var rawValue: UInt32
    /// A read would not block.
    static let readable = Readiness(rawValue: CLINUX_IN)
    /// A write would not block.
    static let writable = Readiness(rawValue: CLINUX_OUT)
    /// The peer of a stream socket will send nothing more.
    static let peerFinished = Readiness(rawValue: CLINUX_RDHUP)
    /// Both directions are closed. Reported without being asked for.
    static let hangUp = Readiness(rawValue: CLINUX_HUP)
    /// An error is pending on the descriptor. Reported without being asked for.
    static let error = Readiness(rawValue: CLINUX_ERR)
  }

  /// One registration of a descriptor. Its number tells it from later ones of the same descriptor, so that a report that
  /// comes too late is dropped.
  struct Token: Hashable {
    fileprivate let fd: Int32
    fileprivate let number: UInt32

    /// Both, as epoll keeps them. Never 0, which stands for the timerfd.
    fileprivate var packed: UInt64 { UInt64(number) << 32 | UInt64(UInt32(bitPattern: fd)) }
  }

  typealias Handler = (Readiness) -> Void

  /// Not a tuple, because an array of tuples would keep each handler in a closure of its own.
  private struct Registration {
    let number: UInt32
    let handler: Handler
  }

  /// CLOCK_BOOTTIME at the latest wake-up: the same for every handler of one turn.
  ///
  /// The machine's sleep counts, in timers as well: a timer that was due meanwhile fires when it wakes up.
  private(set) var now: Instant
  /// Called with how long the machine has slept, at the first wake-up after it and before any other handler.
  var afterSleep: (Duration) -> Void = { _ in }
  /// Called at each wake-up, before any other handler.
  var willHandle: () -> Void = {}
  /// How long the machine has slept since the loop was made.
  private(set) var timeAsleep = Duration.zero

  /// The number of descriptors that are ready in this turn. A handler with much to do leaves time for the others.
  private(set) var readyCount = 0

  private let epoll: Descriptor
  private let timerDescriptor: Descriptor
  /// The registrations by their descriptors. The kernel gives the least free number to each new descriptor.
  private var registrations: [Registration?] = []
  /// The number of the latest registration, from 1 on.
  private var lastNumber: UInt32 = 0
  private var timers = ScheduledTimers()
  private var sleep: SleepMeter
  /// The time that the timerfd is set to; `nil` if it is not set.
  private var armed: Instant?
  private(set) var isStopping = false

  /// How long timers fire in one turn.
  private static let timeForTimers = Duration.milliseconds(1)

  init() throws(SystemError) {
    epoll = try Descriptor("epoll_create") { clinux_epoll_create() }
    timerDescriptor = try Descriptor("timerfd_create") { clinux_timerfd_create(CLOCK_BOOTTIME) }
    let reading = SleepMeter.Reading.now()
    now = reading.boot
    sleep = SleepMeter(reading)
    if clinux_epoll_add(epoll.raw, timerDescriptor.raw, CLINUX_IN, 0) < 0 {
      throw SystemError("epoll_ctl", "timerfd")
    }
  }

  /// CLOCK_BOOTTIME at this moment; handlers use `now`.
  static func clock() -> Instant { Instant(nanoseconds: clinux_boottime()) }

  /// `now` on CLOCK_MONOTONIC, which the audio thread counts by.
  ///
  /// Right only if the machine has not slept since `now`.
  var monotonicNow: Instant {
    Instant(nanoseconds: clinux_monotonic()).advanced(by: Self.clock().duration(to: now))
  }

  // MARK: Descriptors

  /// Calls `handler` whenever the descriptor is ready (level-triggered), until `remove`.
  ///
  /// The caller keeps the descriptor, and must call `remove` before closing it. Regular files and /dev/null are refused with
  /// EPERM: they are always ready.
  func add(_ fd: Int32, _ events: Readiness, handler: @escaping Handler) throws(SystemError) -> Token {
    lastNumber = max(1, lastNumber &+ 1)
    let token = Token(fd: fd, number: lastNumber)
    if clinux_epoll_add(epoll.raw, fd, events.rawValue, token.packed) < 0 {
      throw SystemError("epoll_ctl", "descriptor \(fd)")
    }
    while registrations.count <= fd { registrations.append(nil) }
    registrations[Int(fd)] = Registration(number: lastNumber, handler: handler)
    return token
  }

  /// Changes what the loop waits for on a descriptor. Does nothing if the token was removed.
  func modify(_ token: Token, _ events: Readiness) throws(SystemError) {
    if handler(of: token.packed) == nil { return }
    if clinux_epoll_modify(epoll.raw, token.fd, events.rawValue, token.packed) < 0 {
      throw SystemError("epoll_ctl", "descriptor \(token.fd)")
    }
  }

  /// Ends a registration: its handler is not called again, even if epoll has reported the descriptor already.
  func remove(_ token: Token) {
    if handler(of: token.packed) == nil { return }
    registrations[Int(token.fd)] = nil
    // Fails only if the descriptor is closed already; then epoll has removed it.
    _ = clinux_epoll_remove(epoll.raw, token.fd)
  }

  /// The handler of a packed token; `nil` if the registration has ended.
  private func handler(of packed: UInt64) -> Handler? {
    let fd = Int(UInt32(truncatingIfNeeded: packed))
    guard fd < registrations.count, let registration = registrations[fd] else { return nil }
    return registration.number == packed >> 32 ? registration.handler : nil
  }

  // MARK: Timers

  /// Makes `timer` fire once at `deadline`, or at once if that is past; an earlier schedule of it is replaced.
  ///
  /// The loop keeps the timer until it has fired or is cancelled. O(log n).
  func schedule(_ timer: Timer, at deadline: Instant) { timers.insert(timer, at: deadline) }

  /// Cancels a timer, also one that is due in this very turn. O(log n).
  func cancel(_ timer: Timer) { timers.remove(timer) }

  // MARK: Running

  /// Ends the loop: no handler is called any more once the one that runs now has returned.
  func stop() { isStopping = true }

  /// Waits for the next wake-up, at most for `timeout` (`nil`: for ever), and handles it.
  ///
  /// - Returns: whether any handler was called.
  @discardableResult
  func runOnce(timeout: Duration? = nil) throws(SystemError) -> Bool {
    arm()
    let milliseconds = timeout.map { Int32(clamping: max(0, ($0.nanoseconds &+ 999_999) / 1_000_000)) } ?? -1
    return try withUnsafeTemporaryAllocation(of: clinux_event.self, capacity: 64) {
      events throws(SystemError) -> Bool in
      let count = clinux_epoll_wait(epoll.raw, events.baseAddress, Int32(events.count), milliseconds)
      let code = errno
      wakeUp()
      if count < 0 {
        if code == EINTR { return false }
        throw SystemError("epoll_wait", code: code)
      }
      willHandle()
      readyCount = Int(count)
      var handled = false
      for event in events.prefix(Int(count)) where !isStopping {
        handled = dispatch(event) || handled
      }
      return fireTimers() || handled
    }
  }

  private func wakeUp() {
    let reading = SleepMeter.Reading.now()
    now = reading.boot
    let slept = sleep.update(reading)
    if slept > .zero {
      timeAsleep += slept
      afterSleep(slept)
    }
  }

  private func dispatch(_ event: clinux_event) -> Bool {
    if event.token == 0 {
      _ = clinux_drain(timerDescriptor.raw)
      armed = nil
      return false
    }
    guard let handler = handler(of: event.token) else { return false }
    handler(Readiness(rawValue: event.events))
    return true
  }

  /// Fires the timers that were due when the turn began, for `timeForTimers`; the others wait for the next turn.
  ///
  /// A timer that a handler schedules waits, too. So timers never starve the descriptors.
  private func fireTimers() -> Bool {
    let latest = timers.insertions
    var end: Instant?
    while !isStopping, let timer = timers.first, timer.deadline <= now, timer.insertion <= latest {
      if let end, Self.clock() > end { break }
      end = end ?? Self.clock().advanced(by: Self.timeForTimers)
      timers.remove(timer)
      timer.handler()
    }
    return end != nil
  }

  private func arm() {
    let next = timers.first?.deadline
    if next == armed { return }
    // Zero would disarm it; a time that is past fires at once.
    _ = clinux_timerfd_set(timerDescriptor.raw, next.map { UInt64(max(1, $0.nanoseconds)) } ?? 0)
    armed = next
  }
}
