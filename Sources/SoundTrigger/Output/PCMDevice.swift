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
  /// The whole of the device's memory, if it is mapped.
  private let ring: UnsafeMutableRawPointer?
  private let isRingLocked: Bool

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
    ring = Self.silencedRing(opened, stream)
    isRingLocked = if let ring, stream.kind != .card { LockedMemory.lock(ring, stream.ringBytes()) } else { false }
  }

  deinit {
    // A card's memory is the kernel's, and was not to be locked.
    if let ring, stream.kind != .card { LockedMemory.unlock(ring, stream.ringBytes(), wasLocked: isRingLocked) }
    snd_pcm_close(handle)
  }

  /// What the audio thread needs, with a reference that keeps the device open.
  func retainedPlayback() -> PCMPlayback {
    PCMPlayback(
      handle: handle, stream: stream, ring: stream.runsOn ? ring : nil,
      descriptor: stream.kind == .card ? calsa_descriptor(handle) : -1, owner: Unmanaged.passRetained(self))
  }

  /// Finds the memory of a device that has just been prepared, and writes to all of it once, so that the audio thread does
  /// not wait for a page when it is the first one to do so.
  private static func silencedRing(_ pcm: OpaquePointer, _ stream: StreamFormat) -> UnsafeMutableRawPointer? {
    guard stream.isMapped else { return nil }
    var start: UnsafeMutableRawPointer?
    var offset: UInt = 0
    var length = UInt(stream.bufferFrames)
    guard calsa_mmap_begin(pcm, &start, &offset, &length) >= 0, offset == 0, Int(length) == stream.bufferFrames else {
      return nil
    }
    start?.initializeMemory(as: UInt8.self, repeating: 0, count: stream.ringBytes())
    return start
  }
}

/// Throws what a negative result means (snd_strerror).
func check(_ operation: String, _ device: String, _ result: Int32) throws(OutputError) {
  guard result < 0 else { return }
  throw OutputError(operation: operation, device: device, code: result, reason: String(cString: snd_strerror(result)))
}
