import CALSA
import CLinux
import Glibc
import Synchronization

/// An open ALSA PCM with its negotiated format.
///
/// Safety of `@unchecked Sendable`: one thread opens it, the audio thread plays on it, another one closes it, and never two at
/// once, because `OutputShared` hands it over.
package final class PCMDevice: @unchecked Sendable {
  let pcm: calsa_pcm
  let stream: StreamFormat
  private let isClosed = Atomic<Bool>(false)
  /// The whole of the device's memory, if it is mapped.
  private let ring: UnsafeMutableRawPointer?
  private let isRingLocked: Bool
  /// See `PCMPlayback`.
  private let descriptor: Int32

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
    pcm = calsa_pcm_of(opened)
    descriptor = stream.kind == .card ? calsa_descriptor(opened) : -1
    ring = Self.silencedRing(pcm, stream)
    isRingLocked = if let ring, stream.kind != .card { LockedMemory.lock(ring, stream.ringBytes()) } else { false }
  }

  /// A PCM that was opened and prepared elsewhere: for tests.
  init(_ pcm: calsa_pcm, _ stream: StreamFormat, ring: UnsafeMutableRawPointer?, descriptor: Int32 = -1) {
    self.pcm = pcm
    self.stream = stream
    self.ring = ring
    self.descriptor = descriptor
    isRingLocked = false
  }

  deinit { close() }

  /// Closes it (snd_pcm_close), which may block for ever. Does nothing the second time.
  func close() {
    if isClosed.exchange(true, ordering: .relaxed) { return }
    // A card's memory belongs to the kernel and was not locked here.
    if let ring, stream.kind != .card { LockedMemory.unlock(ring, stream.ringBytes(), wasLocked: isRingLocked) }
    _ = calsa_close(pcm)
  }

  /// Opens a PCM (snd_pcm_open) by ALSA's configuration as it is now, so that a card or PCM that has appeared since is found.
  ///
  /// Any thread may call it, also while other PCMs play or are opened: libasound counts the users of its configuration, and
  /// an open PCM does not need it.
  private static func openPCM(_ name: String) throws(OutputError) -> OpaquePointer {
    calsa_begin_message(name.hasPrefix("jack") ? 1 : 0)
    snd_config_update_free_global()
    var opened: OpaquePointer?
    let code = snd_pcm_open(&opened, name, SND_PCM_STREAM_PLAYBACK, Int32(SND_PCM_NONBLOCK))
    let message = calsa_end_message().map { String(cString: $0) } ?? ""
    guard code >= 0, let opened else {
      let reason = String(cString: snd_strerror(code))
      throw OutputError(
        operation: "snd_pcm_open", device: name, code: code, reason: reason, detail: message.isEmpty ? nil : message)
    }
    return opened
  }

  /// The device for the audio thread, with a reference that keeps it open.
  func retainedPlayback() -> PCMPlayback {
    PCMPlayback(
      pcm: pcm, stream: stream, ring: stream.runsOn ? ring : nil, descriptor: descriptor,
      owner: Unmanaged.passRetained(self as AnyObject))
  }

  /// The memory of a device that has just been prepared. Writes to all of it once, so that the audio thread does not wait for
  /// a page.
  private static func silencedRing(_ pcm: calsa_pcm, _ stream: StreamFormat) -> UnsafeMutableRawPointer? {
    guard stream.isMapped else { return nil }
    var start: UnsafeMutableRawPointer?
    var offset: UInt = 0
    var length = UInt(stream.bufferFrames)
    guard calsa_mmap_begin(pcm, &start, &offset, &length) >= 0, offset == 0,
      Int(length) == stream.bufferFrames
    else {
      return nil
    }
    start?.initializeMemory(as: UInt8.self, repeating: 0, count: stream.ringBytes())
    return start
  }
}

extension OpenedDevice {
  /// Opens a device. Any thread may call it; it may block for ever.
  ///
  /// `asTrial`: it was lost because it stood still or blocked. Then it is open only if it plays (`DeviceTrial`).
  package static func open(_ settings: OutputSettings, asTrial: Bool = false) -> OpenedDevice {
    let result = Result { () throws(OutputError) in
      let device = try PCMDevice(settings)
      populateLibraries()
      if asTrial { try DeviceTrial(device.pcm, device.stream, clinux_plain_timekeeper()).run(settings.device) }
      return device
    }
    return OpenedDevice(result: result, wanted: settings)
  }

  /// Parts of the paths of the libraries whose code the audio thread runs.
  private static let libraries = ["libasound", "libpipewire", "/spa-0.2/", "libpulse"]
  /// The libraries have some megabytes. A limit that is not far above that is left to sounds and mixer.
  private static let spaciousLimit: UInt64 = 64 << 20

  /// Brings the code of the device's libraries into memory, now that its plugin is loaded. Returns how many bytes.
  @discardableResult
  static func populateLibraries() -> Int {
    let words = libraries.map { strdup($0) }
    defer { for word in words { free(word) } }
    let locks = ResourceLimit(.lockedMemory).soft >= spaciousLimit
    return words.map { UnsafePointer($0) }.withUnsafeBufferPointer {
      clinux_populate_libraries($0.baseAddress, $0.count, locks ? 1 : 0)
    }
  }

  /// What there is while an opening does not return.
  package static func unanswered(_ settings: OutputSettings) -> OpenedDevice {
    OpenedDevice(result: .failure(.blocked("snd_pcm_open", settings.device)), wanted: settings)
  }

  /// Closes the device, if it is open; that may block for ever.
  package func close() {
    if case .success(let device) = result { device.close() }
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

/// What came of opening a device and closing it again.
package struct TriedDevice: Sendable {
  /// Its type by ALSA's name (snd_pcm_type_name), such as `HW`, `IOPLUG` (a plugin, as PipeWire's) or `RATE`; `nil` if it does not
  /// open.
  package var type: String?
  /// What it agreed to; `nil` if it cannot be played on.
  package var stream: StreamFormat?
  /// Why it cannot be played on.
  package var error: OutputError?

  /// Opens a device and closes it; that of a sound server must also play silence.
  ///
  /// Blocks for `BoundedCall.patience` while it opens, and for that and `DeviceTrial.patience` while it plays; then the error says so.
  package static func tryToOpen(_ settings: OutputSettings) -> TriedDevice {
    let opened = BoundedCall.result { Result { () throws(OutputError) in try PCMDevice(settings) } }
    guard let opened else { return TriedDevice(error: .blocked("snd_pcm_open", settings.device)) }
    let device: PCMDevice
    do throws(OutputError) { device = try opened.get() } catch { return TriedDevice(error: error) }
    let tried = BoundedCall.result(within: BoundedCall.patience + DeviceTrial.patience) {
      defer { device.close() }
      do throws(OutputError) {
        // A server that hangs may let it open.
        if device.stream.needsServer {
          try DeviceTrial(device.pcm, device.stream, clinux_plain_timekeeper()).run(settings.device)
        }
        let type = snd_pcm_type_name(snd_pcm_type(device.pcm.handle)).map { String(cString: $0) }
        return TriedDevice(type: type, stream: device.stream)
      } catch {
        return TriedDevice(error: error)
      }
    }
    return tried ?? TriedDevice(error: .blocked("trial", settings.device))
  }
}
