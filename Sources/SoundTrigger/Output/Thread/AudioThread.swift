import CLinux
import CMixer
import Glibc
import Synchronization

/// The real-time thread: runs an `AudioLoop` from `init` to `stop`.
final class AudioThread {
  /// The priority that soundd asks for, of SCHED_FIFO's 1…99: above ordinary threads and below a sound server's own.
  private static let priority = 10
  /// No larger than ALSA's plugins may need, because the stack is locked in memory.
  private static let stackBytes = 256 << 10

  enum Fate: UInt8, AtomicRepresentable {
    /// It runs, and the control side would wait for its end.
    case running
    /// It has ended, or was never started.
    case ended
    /// It did not end in time. It ends by itself if the call to its device ever returns.
    case abandoned
  }

  private var thread = pthread_t()
  private let stage: AudioStage
  private var state = Fate.running
  /// The priority that it got at its start.
  private var granted = ThreadPriority()
  /// How many threads of this process had lost their priority before this one started.
  private let demotionsBefore = clinux_demotions()

  private var shared: OutputShared { stage.shared }

  /// Starts the thread (pthread_create) and promotes it to real-time priority as far as possible.
  ///
  /// Waits until the thread runs, and then for `patience` at most if it must ask RealtimeKit.
  init(
    shared: OutputShared, mixer: consuming Mixer, settings: OutputSettings, rate: Int,
    patience: Duration = RealtimePromotion.patience
  ) throws(OutputError) {
    LockedMemory.pin(shared)
    LockedMemory.pin(mixer.queues)
    stage = AudioStage(
      shared: shared, mixer: mixer, rate: rate, isClockWanted: settings.device == OutputSettings.noDevice)
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, Self.stackBytes)
    let argument = Unmanaged.passRetained(stage)
    let error = pthread_create(
      &thread, &attributes,
      { argument in
        // The thread owns the stage that is passed below.
        if let argument { AudioThread.main(Unmanaged<AudioStage>.fromOpaque(argument).takeRetainedValue()) }
        return nil
      }, argument.toOpaque())
    if error != 0 {
      state = .ended
      argument.release()
      throw OutputError(SystemError("pthread_create", code: error), device: settings.device)
    }
    // The thread signals when it is ready for real-time priority.
    while shared.threadID.load(ordering: .acquiring) == 0 { _ = clinux_wait(shared.report, Int16(POLLIN), -1) }
    granted = RealtimePromotion.promote(
      shared.threadID.load(ordering: .relaxed), priority: Self.priority, mayLimitRuntime: settings.mayLimitRuntime,
      patience: patience)
  }

  deinit { stop(patience: .zero, leaving: []) }

  /// How urgently the kernel runs it, at this moment.
  var priority: ThreadPriority {
    guard case .running = state else { return granted }
    return granted.now(of: shared.threadID.load(ordering: .relaxed), demotionsBefore: demotionsBefore)
  }

  /// Ends the thread and waits for its end: about one period, and at most `patience`. Returns whether it has ended.
  ///
  /// If not, it is abandoned with everything that it uses, `clips` included: see `abandon`.
  @discardableResult
  func stop(patience: Duration, leaving clips: @autoclosure () -> [Clip?]) -> Bool {
    guard case .running = state else { return state == .ended }
    shared.isStopping.store(true, ordering: .releasing)
    shared.signalWake()
    if clinux_join(thread, max(0, patience.nanoseconds)) == ETIMEDOUT {
      if abandon(leaving: clips()) { return false }
      // It has ended just now.
      pthread_join(thread, nil)
    }
    state = .ended
    return true
  }

  /// Abandons the thread and everything that it uses, because a call to its device does not return.
  ///
  /// If that call ever returns, the thread closes the device, frees everything and ends. Returns false if it had ended already.
  @discardableResult
  func abandon(leaving clips: [Clip?]) -> Bool {
    guard case .running = state else { return false }
    stage.clips.withLock { $0 = clips }
    let fate = shared.fate.compareExchange(expected: .running, desired: .abandoned, ordering: .acquiringAndReleasing)
    guard fate.exchanged else { return false }
    state = .abandoned
    BoundedCall.began()
    pthread_detach(thread)
    shared.isStopping.store(true, ordering: .releasing)
    shared.signalWake()
    return true
  }

  /// The thread itself.
  private static func main(_ stage: AudioStage) {
    let shared = stage.shared
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
    stage.loop.pointee.runUntilStopped()
    if let stack { LockedMemory.unlock(stack, stackBytes, wasLocked: isStackLocked) }
    stage.ended()
  }
}

/// Everything that an audio thread uses. The thread retains it too, so an abandoned thread keeps it alive.
///
/// Safety of `@unchecked Sendable`: only the thread uses `loop` while it runs. The other members are safe to share.
private final class AudioStage: @unchecked Sendable {
  let shared: OutputShared
  let loop: UnsafeMutablePointer<AudioLoop>
  /// The clips that an abandoned thread may still read.
  let clips = Guarded<[Clip?]>([])
  private let memory = LockedMemory()

  init(shared: OutputShared, mixer: consuming Mixer, rate: Int, isClockWanted: Bool) {
    self.shared = shared
    loop = memory.allocate(byteCount: MemoryLayout<AudioLoop>.size)
      .bindMemory(to: AudioLoop.self, capacity: 1)
    let descriptors = memory.allocate(clinux_sleep_descriptors.self, capacity: 1)
    descriptors.initialize(to: shared.descriptors)
    loop.initialize(
      to: AudioLoop(
        shared: shared, mixer: mixer, rate: rate, isClockWanted: isClockWanted,
        timekeeper: clinux_timekeeper_of(descriptors)))
  }

  deinit { loop.deinitialize(count: 1) }

  /// The thread calls it once it no longer uses its device.
  func ended() {
    if shared.fate.exchange(.ended, ordering: .acquiringAndReleasing) == .running { return }
    shared.takeReturned()?.close()
    shared.isGone.store(true, ordering: .releasing)
    clinux_eventfd_signal(shared.report)
    BoundedCall.ended()
  }
}
