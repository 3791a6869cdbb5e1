import CALSA
import Glibc

/// Agrees with a freshly opened PCM on how it is played.
struct PCMNegotiation {
  let pcm: OpaquePointer
  let device: String

  /// Best first: float needs no conversion, the rest lose as little as they must.
  private static let formats: [(snd_pcm_format_t, SampleFormat)] = [
    (SND_PCM_FORMAT_FLOAT_LE, .float32), (SND_PCM_FORMAT_S32_LE, .int32), (SND_PCM_FORMAT_S24_LE, .int24),
    (SND_PCM_FORMAT_S24_3LE, .int24Packed), (SND_PCM_FORMAT_S16_LE, .int16),
  ]

  func run(_ settings: OutputSettings) throws(OutputError) -> StreamFormat {
    var hardware: OpaquePointer?
    try check("snd_pcm_hw_params_malloc", device, snd_pcm_hw_params_malloc(&hardware))
    defer { snd_pcm_hw_params_free(hardware) }
    try check("snd_pcm_hw_params_any", device, snd_pcm_hw_params_any(pcm, hardware))

    let isMapped = snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_MMAP_INTERLEAVED) == 0
    if !isMapped {
      try check(
        "snd_pcm_hw_params_set_access", device,
        snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED))
    }
    guard let format = Self.formats.first(where: { snd_pcm_hw_params_set_format(pcm, hardware, $0.0) == 0 }) else {
      throw OutputError(
        operation: "snd_pcm_hw_params_set_format", device: device, code: -EINVAL,
        reason: "it takes none of float, S32, S24 and S16; try 'plug:\(device)'")
    }
    var channels = UInt32(settings.channels)
    try check(
      "snd_pcm_hw_params_set_channels_near", device, snd_pcm_hw_params_set_channels_near(pcm, hardware, &channels))
    guard OutputSettings.channelCounts.contains(Int(channels)) else {
      throw OutputError(
        operation: "snd_pcm_hw_params_set_channels_near", device: device, code: -EINVAL,
        reason: "it has \(channels) channels at least, and soundd plays 1 to 8; try 'plug:\(device)'")
    }
    var rate = UInt32(settings.rate ?? 48_000)
    try check("snd_pcm_hw_params_set_rate_near", device, snd_pcm_hw_params_set_rate_near(pcm, hardware, &rate, nil))

    // Four periods to a buffer: late by one or two is not yet too late.
    let wanted = Double(settings.latency.nanoseconds) / 1e9 * Double(rate)
    var buffer = snd_pcm_uframes_t(max(64, wanted))
    try check(
      "snd_pcm_hw_params_set_buffer_size_near", device,
      snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer))
    var period = max(16, buffer / 4)
    try check(
      "snd_pcm_hw_params_set_period_size_near", device,
      snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, nil))
    try check("snd_pcm_hw_params", device, snd_pcm_hw_params(pcm, hardware))
    try check("snd_pcm_hw_params_get_buffer_size", device, snd_pcm_hw_params_get_buffer_size(hardware, &buffer))
    try check("snd_pcm_hw_params_get_period_size", device, snd_pcm_hw_params_get_period_size(hardware, &period, nil))

    try setSoftware(buffer: buffer, period: period)
    return StreamFormat(
      format: format.1, rate: Int(rate), channels: Int(channels), periodFrames: Int(period), bufferFrames: Int(buffer),
      isMapped: isMapped)
  }

  /// Started by us alone, stopped when it runs dry, ready when a period fits.
  private func setSoftware(buffer: snd_pcm_uframes_t, period: snd_pcm_uframes_t) throws(OutputError) {
    var software: OpaquePointer?
    try check("snd_pcm_sw_params_malloc", device, snd_pcm_sw_params_malloc(&software))
    defer { snd_pcm_sw_params_free(software) }
    try check("snd_pcm_sw_params_current", device, snd_pcm_sw_params_current(pcm, software))
    // More than can ever be written, so that nothing starts by itself. ALSA's usual value for that is the boundary, with
    // which PulseAudio's plugin stays silent.
    try check(
      "snd_pcm_sw_params_set_start_threshold", device,
      snd_pcm_sw_params_set_start_threshold(pcm, software, buffer + 1))
    try check(
      "snd_pcm_sw_params_set_stop_threshold", device, snd_pcm_sw_params_set_stop_threshold(pcm, software, buffer))
    try check("snd_pcm_sw_params_set_avail_min", device, snd_pcm_sw_params_set_avail_min(pcm, software, period))
    try check("snd_pcm_sw_params", device, snd_pcm_sw_params(pcm, software))
  }
}
