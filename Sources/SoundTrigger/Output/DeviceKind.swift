import CALSA

/// What ALSA says of a device beside its format.
package enum DeviceKind {
  /// Its type by ALSA's name (snd_pcm_type_name), such as `HW`, `IOPLUG` (a plugin, as PipeWire's) or `RATE`.
  ///
  /// Opens and closes the device, which may take as long as a sound server needs to answer; `nil` if it does not open.
  package static func name(of device: String) -> String? {
    guard device != OutputSettings.noDevice else { return nil }
    calsa_silence_errors()
    var opened: OpaquePointer?
    guard snd_pcm_open(&opened, device, SND_PCM_STREAM_PLAYBACK, Int32(SND_PCM_NONBLOCK)) == 0, let opened else {
      return nil
    }
    defer { snd_pcm_close(opened) }
    return snd_pcm_type_name(snd_pcm_type(opened)).map { String(cString: $0) }
  }
}
