import CSystemALSA
import Glibc
import Synchronization

/// Listens to the default capture device, in periods of 64 frames, on a thread of its own, and notes when it is loud.
final class Recorder: Sendable {
  /// When the first loud sample since `arm` arrived; 0: none yet. Nanoseconds of CLOCK_MONOTONIC.
  private let first = Atomic<Int64>(0)
  /// When the last one arrived.
  private let last = Atomic<Int64>(0)
  /// Why it no longer listens: a negative errno.
  private let failure = Atomic<Int>(0)
  private static let frames = 64
  /// Of the samples, where full scale is 1; what is played has 0.5.
  private static let threshold: Float = 0.1

  /// Opens the device (snd_pcm_open) and begins to listen; never ends.
  init() throws(Problem) {
    var opened: OpaquePointer?
    guard snd_pcm_open(&opened, "default", SND_PCM_STREAM_CAPTURE, 0) == 0, let pcm = opened else {
      throw Problem("the default capture device cannot be opened")
    }
    var hardware: OpaquePointer?
    snd_pcm_hw_params_malloc(&hardware)
    defer { snd_pcm_hw_params_free(hardware) }
    var period = snd_pcm_uframes_t(Self.frames)
    var buffer = snd_pcm_uframes_t(64 * Self.frames)
    let results = [
      snd_pcm_hw_params_any(pcm, hardware),
      snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED),
      snd_pcm_hw_params_set_format(pcm, hardware, SND_PCM_FORMAT_FLOAT_LE),
      snd_pcm_hw_params_set_channels(pcm, hardware, 2),
      snd_pcm_hw_params_set_rate(pcm, hardware, 48_000, 0),
      snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, nil),
      snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer),
      snd_pcm_hw_params(pcm, hardware),
      snd_pcm_start(pcm),
    ]
    guard results.allSatisfy({ $0 >= 0 }) else { throw Problem("the capture device does not take float32 at 48 kHz") }
    let listening = Listening(recorder: self, pcm: pcm)
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        let listening = Unmanaged<Listening>.fromOpaque(argument).takeRetainedValue()
        listening.recorder.listen(listening.pcm)
        return nil
      }, Unmanaged.passRetained(listening).toOpaque())
    guard error == 0 else { throw Problem("no thread for the recorder") }
  }

  /// From now on, the next loud sample is the first.
  func arm() { first.store(0, ordering: .relaxed) }

  /// When the first loud sample since `arm` arrived, if one did.
  var heard: Int64? {
    let time = first.load(ordering: .relaxed)
    return time == 0 ? nil : time
  }

  /// How long it has been quiet, in nanoseconds.
  var quiet: Int64 { monotonic() - last.load(ordering: .relaxed) }

  /// Why it no longer listens, if so.
  var problem: Problem? {
    let code = failure.load(ordering: .relaxed)
    return code == 0 ? nil : Problem("the recorder failed: \(String(cString: snd_strerror(Int32(code))))")
  }

  private func listen(_ pcm: OpaquePointer) {
    var block = [Float](repeating: 0, count: 2 * Self.frames)
    while true {
      let count = snd_pcm_readi(pcm, &block, snd_pcm_uframes_t(Self.frames))
      let now = monotonic()
      if count == -Int(EPIPE) {
        // Too late for some samples. A first loud one among them makes the event late by as much, for every candidate.
        snd_pcm_prepare(pcm)
        snd_pcm_start(pcm)
        continue
      }
      if count < 0 {
        failure.store(count, ordering: .relaxed)
        return
      }
      if block[..<(2 * count)].contains(where: { abs($0) > Self.threshold }) {
        last.store(now, ordering: .relaxed)
        _ = first.compareExchange(expected: 0, desired: now, ordering: .relaxed)
      }
    }
  }
}

/// What the recorder's thread takes over.
private final class Listening {
  let recorder: Recorder
  let pcm: OpaquePointer

  init(recorder: Recorder, pcm: OpaquePointer) {
    self.recorder = recorder
    self.pcm = pcm
  }
}

/// Why something could not be measured.
struct Problem: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// CLOCK_MONOTONIC in nanoseconds: the clock of all times here.
func monotonic() -> Int64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
