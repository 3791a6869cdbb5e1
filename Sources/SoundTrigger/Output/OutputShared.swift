import CLinux
import Glibc
import Synchronization

/// What the audio thread and the control side tell each other about the output.
///
/// Safety of `@unchecked Sendable`: atomics, and descriptors that live as long as this does. A device is retained while
/// its pointer is in `offered` or `returned` or with the audio thread; whoever takes the pointer out takes that reference.
final class OutputShared: @unchecked Sendable {
  /// A device for the audio thread to play on. Released by the control side, acquired by the audio thread.
  let offered = Atomic<UnsafeMutablePointer<PCMPlayback>?>(nil)
  /// A device that the audio thread is done with. The other way round.
  let returned = Atomic<UnsafeMutablePointer<PCMPlayback>?>(nil)
  /// Tells the audio thread to end.
  let isStopping = Atomic<Bool>(false)
  /// Whether the audio thread sleeps with nothing left to be heard. Released by it, acquired by the control side.
  let isResting = Atomic<Bool>(false)
  /// Signalled by the control side: there are commands, a device, or the end.
  let wake: Int32
  /// Signalled by the audio thread: voices were retired, all is silent, or a device came back.
  let report: Int32
  /// Times the device ran dry. Relaxed.
  let xruns = Atomic<Int>(0)
  /// Wake-ups that came more than a period late. Relaxed.
  let late = Atomic<Int>(0)
  /// The negative errno for which the last device was given up. Stored before `returned` is released.
  let lastError = Atomic<Int>(0)
  /// From an arrival to the moment its first frame is heard.
  let latency = LatencyHistogram()
  /// From an arrival to the moment its first frames were handed to the device: our part of it.
  let ourLatency = LatencyHistogram()
  /// The errno of the attempt to get real-time priority; 0 if it was granted, -1 before the attempt. Relaxed.
  let priorityError = Atomic<Int>(-1)

  /// The audio thread's id in the kernel; 0 before it runs. Relaxed.
  let threadID = Atomic<Int32>(0)

  init() throws(OutputError) {
    wake = clinux_eventfd()
    report = clinux_eventfd()
    if wake < 0 || report < 0 {
      throw OutputError(
        operation: "eventfd", device: "", code: -errno, reason: String(cString: strerror(errno)))
    }
  }

  deinit {
    close(wake)
    close(report)
  }
}

/// A device as the audio thread sees it: plain bytes.
struct PCMPlayback {
  var handle: OpaquePointer
  var stream: StreamFormat
  /// The reference that keeps the device open, for the control side.
  var owner: Unmanaged<PCMDevice>
}
