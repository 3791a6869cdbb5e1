import CALSA
import CLinux
import Glibc
import Synchronization

/// The state of the output that the audio thread and the control side share.
///
/// Safety of `@unchecked Sendable`: it consists of atomics, and of descriptors that live as long as it does. A device is
/// retained while its pointer is in `offered` or `returned` or with the audio thread; the reference moves with the pointer.
final class OutputShared: @unchecked Sendable {
  /// A device for the audio thread to play on. Released by the control side, acquired by the audio thread.
  let offered = Atomic<UnsafeMutablePointer<PCMPlayback>?>(nil)
  /// A device that the audio thread gives back. Released by it, acquired by the control side.
  let returned = Atomic<UnsafeMutablePointer<PCMPlayback>?>(nil)
  /// Asks the audio thread to end. Released by the control side, acquired by the audio thread.
  let isStopping = Atomic<Bool>(false)
  /// Whether the audio thread sleeps after all frames were heard. Released by it, acquired by the control side.
  let isResting = Atomic<Bool>(false)
  /// The audio thread sleeps on them. `timer` wakes it at a time. The control side signals `wake` if there are commands or a
  /// device, or if the thread must end.
  let descriptors: clinux_sleep_descriptors
  /// The audio thread signals it if voices were retired, if all is silent, or if it gave a device back.
  let report: Int32
  /// Keeps `report` open. An audio thread uses the same descriptor as the one that it replaces.
  let reportOwner: EventDescriptor
  let counters: OutputCounters
  /// Why the audio thread gave the last device back: a negative errno, or 0 if it was asked to. Stored before `returned` is
  /// released.
  let lastError = Atomic<Int>(0)
  /// Whether new sounds wait for a device that the control side may offer soon. While something plays by the clock, no sound
  /// waits. Released by both sides, acquired by the audio thread.
  let isHolding = Atomic<Bool>(false)
  /// Asks the audio thread to give its device back as soon as it rests; the audio thread resets it. Released by the control
  /// side, acquired by the audio thread.
  let isReleasing = Atomic<Bool>(false)
  /// The audio thread's id in the kernel; 0 before it runs. Released by it, acquired by the control side.
  let threadID = Atomic<Int32>(0)
  /// Turns of the audio thread's loop. Relaxed: only whether it changes matters, see `AudioHeartbeat`.
  let turns = Atomic<Int>(0)
  /// Which came first, the end of the audio thread or the control side's patience. Both sides acquire and release.
  let fate = Atomic<AudioThread.Fate>(.running)
  /// Whether an abandoned audio thread has closed its device. Released by it, acquired by the control side.
  let isGone = Atomic<Bool>(false)
  /// Whether the audio thread treats denormal numbers as zero. Stored before `threadID` is released.
  let flushesDenormals = Atomic<Bool>(false)

  /// The state for one audio thread. If that thread replaces another, its counters continue from those of `before`, and it
  /// reports through the same descriptor.
  init(report owner: EventDescriptor? = nil, after before: OutputShared? = nil) throws(SystemError) {
    reportOwner = if let owner = owner ?? before?.reportOwner { owner } else { try EventDescriptor() }
    report = reportOwner.raw
    counters = if let before { OutputCounters(after: before.counters) } else { OutputCounters() }
    descriptors = clinux_sleep_descriptors(timer: clinux_timerfd_create(CLOCK_MONOTONIC), wake: clinux_eventfd())
    if descriptors.wake < 0 || descriptors.timer < 0 { throw SystemError("eventfd or timerfd_create") }
  }

  deinit {
    close(descriptors.wake)
    close(descriptors.timer)
  }

  // MARK: The control side

  /// Wakes the audio thread.
  func signalWake() { clinux_eventfd_signal(descriptors.wake) }

  /// Takes the device that the audio thread has given back; `nil` if there is none. The caller closes it.
  func takeReturned() -> PCMDevice? { returned.exchange(nil, ordering: .acquiring).flatMap(Self.take) }

  /// Takes the device that the audio thread has not adopted; `nil` if there is none. The caller closes it.
  func takeOffered() -> PCMDevice? { offered.exchange(nil, ordering: .acquiring).flatMap(Self.take) }

  private static func take(_ playback: UnsafeMutablePointer<PCMPlayback>) -> PCMDevice? {
    defer {
      playback.deinitialize(count: 1)
      playback.deallocate()
    }
    return playback.pointee.owner.takeRetainedValue() as? PCMDevice
  }

  /// Asks the audio thread for its device as soon as it rests. New sounds wait for the next one.
  func requestRelease() {
    isHolding.store(true, ordering: .releasing)
    isReleasing.store(true, ordering: .releasing)
    signalWake()
  }

  /// Cancels `requestRelease`. Returns whether the audio thread keeps its device, because it had not acted yet.
  func takeBackRelease() -> Bool {
    if !isReleasing.exchange(false, ordering: .acquiringAndReleasing) { return false }
    isHolding.store(false, ordering: .releasing)
    return true
  }
}

/// What the audio thread counts; any thread may read it. Relaxed, because no number depends on another.
struct OutputCounters: ~Copyable {
  /// Times the device ran dry.
  let xruns: Atomic<Int>
  /// Wake-ups that came more than a period late.
  let late: Atomic<Int>
  /// How often the device played frames before the thread could change them, so a sound may have lost its beginning.
  let missed: Atomic<Int>
  /// Frames that should have been heard and were not.
  let missing: Atomic<Int>

  init() {
    xruns = Atomic(0)
    late = Atomic(0)
    missed = Atomic(0)
    missing = Atomic(0)
  }

  /// Counts on from another's numbers.
  init(after before: borrowing OutputCounters) {
    xruns = Atomic(before.xruns.load(ordering: .relaxed))
    late = Atomic(before.late.load(ordering: .relaxed))
    missed = Atomic(before.missed.load(ordering: .relaxed))
    missing = Atomic(before.missing.load(ordering: .relaxed))
  }
}

/// A device as the audio thread sees it: plain bytes.
struct PCMPlayback {
  var pcm: calsa_pcm
  var stream: StreamFormat
  /// The memory of a device that plays it again if nothing new is written; `nil` for other devices.
  var ring: UnsafeMutableRawPointer?
  /// The descriptor that reports a hang-up when a card goes away; -1 for other devices, whose descriptors may be ready at any
  /// time.
  var descriptor: Int32
  /// The control side's reference, which keeps the device open.
  var owner: Unmanaged<AnyObject>
}
