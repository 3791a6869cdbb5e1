import CLinux
import CMixer
import Glibc
import Synchronization

/// The real-time thread: runs an `AudioLoop` from `init` to `stop`.
final class AudioThread {
  /// The priority asked for, among SCHED_FIFO's 1…99: above ordinary threads, below a sound server's own.
  private static let priority: Int32 = 10

  private var thread = pthread_t()
  private let shared: OutputShared
  private var isRunning = true

  /// Starts the thread (pthread_create).
  init(shared: OutputShared, mixer: consuming Mixer, rate: Int, isClockWanted: Bool) throws(OutputError) {
    self.shared = shared
    let loop = UnsafeMutablePointer<AudioLoop>.allocate(capacity: 1)
    loop.initialize(to: AudioLoop(shared: shared, mixer: mixer, rate: rate, isClockWanted: isClockWanted))
    let error = pthread_create(
      &thread, nil,
      { argument in
        // The pointer that `init` passes below, and that nobody else holds.
        guard let loop = argument?.assumingMemoryBound(to: AudioLoop.self) else { return nil }
        clinux_name_thread("soundd-audio")
        loop.pointee.shared.threadID.store(clinux_thread_id(), ordering: .relaxed)
        loop.pointee.shared.priorityError.store(Int(clinux_realtime(AudioThread.priority)), ordering: .relaxed)
        cmixer_flush_denormals()
        loop.pointee.run()
        loop.deinitialize(count: 1)
        loop.deallocate()
        return nil
      }, loop)
    if error != 0 {
      isRunning = false
      loop.deinitialize(count: 1)
      loop.deallocate()
      throw OutputError(operation: "pthread_create", device: "", code: -error, reason: String(cString: strerror(error)))
    }
  }

  deinit { stop() }

  /// Ends the thread and waits for it: at most about one period.
  func stop() {
    guard isRunning else { return }
    isRunning = false
    shared.isStopping.store(true, ordering: .releasing)
    clinux_eventfd_signal(shared.wake)
    pthread_join(thread, nil)
  }
}
