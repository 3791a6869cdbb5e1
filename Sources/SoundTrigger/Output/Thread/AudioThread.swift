import CLinux
import CMixer
import Glibc
import Synchronization

/// The real-time thread: runs an `AudioLoop` from `init` to `stop`.
final class AudioThread {
  /// The priority asked for, among SCHED_FIFO's 1…99: above ordinary threads, below a sound server's own.
  private static let priority = 10
  /// Locked in memory, so no larger than ALSA's plugins may need.
  private static let stackBytes = 256 << 10

  private var thread = pthread_t()
  private let shared: OutputShared
  private let loop: UnsafeMutablePointer<AudioLoop>
  private let memory = LockedMemory()
  private var isRunning = true
  /// The priority that it got at its start.
  private var granted = ThreadPriority()
  /// How many threads of this process had lost their priority before this one started.
  private let demotionsBefore = clinux_demotions()

  /// Starts the thread (pthread_create) and promotes it to real-time priority as far as possible.
  ///
  /// Blocks for `RealtimePromotion.patience` at most, if RealtimeKit must be asked and does not answer.
  init(shared: OutputShared, mixer: consuming Mixer, rate: Int, isClockWanted: Bool) throws(OutputError) {
    self.shared = shared
    LockedMemory.pin(shared)
    LockedMemory.pin(mixer.queues)
    loop = memory.allocate(byteCount: MemoryLayout<AudioLoop>.size)
      .bindMemory(to: AudioLoop.self, capacity: 1)
    let descriptors = memory.allocate(clinux_sleep_descriptors.self, capacity: 1)
    descriptors.initialize(to: clinux_sleep_descriptors(timer: shared.timer, wake: shared.wake))
    loop.initialize(
      to: AudioLoop(
        shared: shared, mixer: mixer, rate: rate, isClockWanted: isClockWanted,
        timekeeper: clinux_timekeeper_of(descriptors)))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, Self.stackBytes)
    let error = pthread_create(
      &thread, &attributes,
      { argument in
        // The pointer that `init` passes below. Nothing else uses it before the thread has ended.
        if let loop = argument?.assumingMemoryBound(to: AudioLoop.self) { AudioThread.main(loop) }
        return nil
      }, loop)
    if error != 0 {
      isRunning = false
      loop.deinitialize(count: 1)
      throw OutputError(operation: "pthread_create", device: "", code: -error, reason: String(cString: strerror(error)))
    }
    // It signals when it is ready for real-time priority.
    while shared.threadID.load(ordering: .acquiring) == 0 { _ = clinux_wait(shared.report, Int16(POLLIN), -1) }
    granted = RealtimePromotion.promote(shared.threadID.load(ordering: .relaxed), priority: Self.priority)
  }

  deinit { stop() }

  /// How urgently the kernel runs it, at this moment.
  var priority: ThreadPriority {
    guard isRunning else { return granted }
    return granted.now(of: shared.threadID.load(ordering: .relaxed), demotionsBefore: demotionsBefore)
  }

  /// Ends the thread and waits for it: at most about one period.
  func stop() {
    guard isRunning else { return }
    isRunning = false
    shared.isStopping.store(true, ordering: .releasing)
    clinux_eventfd_signal(shared.wake)
    pthread_join(thread, nil)
    loop.deinitialize(count: 1)
  }

  /// The thread itself.
  private static func main(_ loop: UnsafeMutablePointer<AudioLoop>) {
    let shared = loop.pointee.shared
    clinux_name_thread("soundd-audio")
    clinux_guard_realtime(shared.report)
    cmixer_flush_denormals()
    shared.flushesDenormals.store(cmixer_flushes_denormals() != 0, ordering: .relaxed)
    var stack: UnsafeMutableRawPointer?
    var stackBytes = 0
    if clinux_stack(&stack, &stackBytes) != 0 { stackBytes = 0 }
    let isStackLocked = stack.map { LockedMemory.lock($0, stackBytes) } ?? false
    // Releasing: a thread that sees the id sees what was stored above.
    shared.threadID.store(clinux_thread_id(), ordering: .releasing)
    clinux_eventfd_signal(shared.report)
    loop.pointee.runUntilStopped()
    if let stack { LockedMemory.unlock(stack, stackBytes, wasLocked: isStackLocked) }
  }
}
