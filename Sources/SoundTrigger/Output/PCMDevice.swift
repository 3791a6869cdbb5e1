import CALSA
import Glibc

/// An open ALSA PCM with its negotiated format.
///
/// Opened and closed by the control side, played by the audio thread, never both at once: `OutputShared` hands it over.
/// That is the proof of `@unchecked Sendable`.
final class PCMDevice: @unchecked Sendable {
  let handle: OpaquePointer
  let name: String
  let stream: StreamFormat
  private let ring: (start: UnsafeMutableRawPointer, bytes: Int, isLocked: Bool)?

  /// Opens (snd_pcm_open) and negotiates access, format, rate, channels, buffer and period. May block while a sound server
  /// answers.
  init(_ settings: OutputSettings) throws(OutputError) {
    calsa_silence_errors()
    name = settings.device
    var opened: OpaquePointer?
    try check(
      "snd_pcm_open", settings.device, snd_pcm_open(&opened, name, SND_PCM_STREAM_PLAYBACK, Int32(SND_PCM_NONBLOCK)))
    guard let opened else {
      throw OutputError(operation: "snd_pcm_open", device: name, code: -ENODEV, reason: "no handle")
    }
    do {
      stream = try PCMNegotiation(pcm: opened, device: settings.device).run(settings)
      try check("snd_pcm_prepare", settings.device, snd_pcm_prepare(opened))
    } catch {
      snd_pcm_close(opened)
      throw error
    }
    handle = opened
    ring = Self.touch(opened, stream)
  }

  deinit {
    if let ring { LockedMemory.unlock(ring.start, ring.bytes, wasLocked: ring.isLocked) }
    snd_pcm_close(handle)
  }

  /// The device's memory where it is this process's own and not the kernel's: fetched and locked, so that the audio thread
  /// does not wait for a page when it writes to it for the first time.
  private static func touch(
    _ pcm: OpaquePointer, _ stream: StreamFormat
  ) -> (start: UnsafeMutableRawPointer, bytes: Int, isLocked: Bool)? {
    guard stream.isMapped, stream.kind != .card else { return nil }
    var start: UnsafeMutableRawPointer?
    var offset: UInt = 0
    var length = UInt(stream.bufferFrames)
    guard calsa_mmap_begin(pcm, &start, &offset, &length) >= 0, offset == 0, let start else { return nil }
    let bytes = Int(length) * stream.frameBytes()
    start.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
    return (start, bytes, LockedMemory.lock(start, bytes))
  }

  /// What reports a hang-up when a card goes away; -1 for others, whose descriptors may be ready at any time.
  var hangUpDescriptor: Int32 { stream.kind == .card ? calsa_descriptor(handle) : -1 }
}

/// Throws what a negative result means (snd_strerror).
func check(_ operation: String, _ device: String, _ result: Int32) throws(OutputError) {
  guard result < 0 else { return }
  throw OutputError(operation: operation, device: device, code: result, reason: String(cString: snd_strerror(result)))
}
