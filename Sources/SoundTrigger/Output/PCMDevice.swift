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
  }

  deinit { snd_pcm_close(handle) }
}

/// Throws what a negative result means (snd_strerror).
func check(_ operation: String, _ device: String, _ result: Int32) throws(OutputError) {
  guard result < 0 else { return }
  throw OutputError(operation: operation, device: device, code: result, reason: String(cString: snd_strerror(result)))
}
