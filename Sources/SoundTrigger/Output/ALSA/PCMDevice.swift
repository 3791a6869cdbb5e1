import CALSA
import Glibc

/// An open ALSA PCM with its negotiated format.
///
/// Safety of `@unchecked Sendable`: the control side opens and closes it, the audio thread plays on it, and never both at
/// once, because `OutputShared` hands it over.
package final class PCMDevice: @unchecked Sendable {
  let handle: OpaquePointer
  let stream: StreamFormat
  /// The whole of the device's memory, if it is mapped.
  private let ring: UnsafeMutableRawPointer?
  private let isRingLocked: Bool

  /// Opens (snd_pcm_open) and negotiates access, format, rate, channels, buffer and period. May block while a sound server
  /// answers.
  init(_ settings: OutputSettings) throws(OutputError) {
    let opened = try Self.openPCM(settings.device)
    do {
      stream = try PCMNegotiation(pcm: opened, device: settings.device).run(settings)
    } catch {
      snd_pcm_close(opened)
      throw error
    }
    handle = opened
    ring = Self.silencedRing(opened, stream)
    isRingLocked = if let ring, stream.kind != .card { LockedMemory.lock(ring, stream.ringBytes()) } else { false }
  }

  deinit {
    // A card's memory belongs to the kernel and was not locked here.
    if let ring, stream.kind != .card { LockedMemory.unlock(ring, stream.ringBytes(), wasLocked: isRingLocked) }
    snd_pcm_close(handle)
  }

  /// Opens a PCM (snd_pcm_open) by ALSA's configuration as it is now, so that a card or PCM that has appeared since is found.
  ///
  /// Any thread may call it, also while other PCMs play or are opened: libasound counts the users of its configuration, and
  /// an open PCM does not need it.
  private static func openPCM(_ name: String) throws(OutputError) -> OpaquePointer {
    calsa_silence_errors()
    snd_config_update_free_global()
    var opened: OpaquePointer?
    let code = snd_pcm_open(&opened, name, SND_PCM_STREAM_PLAYBACK, Int32(SND_PCM_NONBLOCK))
    guard code >= 0, let opened else {
      let reason = String(cString: snd_strerror(code))
      throw OutputError(operation: "snd_pcm_open", device: name, code: code, reason: reason)
    }
    return opened
  }

  /// The type of a PCM by ALSA's name (snd_pcm_type_name), such as `HW`, `IOPLUG` (a plugin, as PipeWire's) or `RATE`.
  ///
  /// Opens and closes the device, which may block for as long as a sound server needs to answer; `nil` if it does not open.
  package static func typeName(of device: String) -> String? {
    guard device != OutputSettings.noDevice, let opened = try? openPCM(device) else { return nil }
    defer { snd_pcm_close(opened) }
    return snd_pcm_type_name(snd_pcm_type(opened)).map { String(cString: $0) }
  }

  /// The device for the audio thread, with a reference that keeps it open.
  func retainedPlayback() -> PCMPlayback {
    PCMPlayback(
      pcm: calsa_pcm_of(handle), stream: stream, ring: stream.runsOn ? ring : nil,
      descriptor: stream.kind == .card ? calsa_descriptor(handle) : -1, owner: Unmanaged.passRetained(self as AnyObject)
    )
  }

  /// The memory of a device that has just been prepared. Writes to all of it once, so that the audio thread does not wait for
  /// a page.
  private static func silencedRing(_ pcm: OpaquePointer, _ stream: StreamFormat) -> UnsafeMutableRawPointer? {
    guard stream.isMapped else { return nil }
    var start: UnsafeMutableRawPointer?
    var offset: UInt = 0
    var length = UInt(stream.bufferFrames)
    guard calsa_mmap_begin(calsa_pcm_of(pcm), &start, &offset, &length) >= 0, offset == 0,
      Int(length) == stream.bufferFrames
    else {
      return nil
    }
    start?.initializeMemory(as: UInt8.self, repeating: 0, count: stream.ringBytes())
    return start
  }
}

extension OpenedDevice {
  /// Opens a device. Any thread may call it; it blocks for as long as a sound server takes to answer.
  package static func open(_ settings: OutputSettings) -> OpenedDevice {
    OpenedDevice(result: Result { () throws(OutputError) in try PCMDevice(settings) })
  }

  /// Frames per second of the device; `nil` if it could not be opened.
  package var rate: Int? { stream?.rate }

  /// What the device agreed to; `nil` if it could not be opened.
  package var stream: StreamFormat? { try? result.get().stream }

  /// Why the device could not be opened.
  package var error: OutputError? {
    if case .failure(let error) = result { error } else { nil }
  }
}
