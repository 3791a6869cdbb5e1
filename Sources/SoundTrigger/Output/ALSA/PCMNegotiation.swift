import CALSA
import Glibc

/// Negotiates access, format, rate, channels, buffer and period with a PCM that has just been opened, and prepares it.
struct PCMNegotiation {
  let pcm: OpaquePointer
  let device: String

  /// Best first: float needs no conversion, the others lose as little as possible.
  private static let formats: [(snd_pcm_format_t, SampleFormat)] = [
    (SND_PCM_FORMAT_FLOAT_LE, .float32), (SND_PCM_FORMAT_S32_LE, .int32), (SND_PCM_FORMAT_S24_LE, .int24),
    (SND_PCM_FORMAT_S24_3LE, .int24Packed), (SND_PCM_FORMAT_S16_LE, .int16),
  ]

  func run(_ settings: OutputSettings) throws(OutputError) -> StreamFormat {
    let kind = kind
    var hardware: OpaquePointer?
    try check("snd_pcm_hw_params_malloc", snd_pcm_hw_params_malloc(&hardware))
    defer { snd_pcm_hw_params_free(hardware) }
    try check("snd_pcm_hw_params_any", snd_pcm_hw_params_any(pcm, hardware))

    // Without rewinding, mapped memory has no advantage, and some plugins only pretend to have it.
    let isMapped =
      kind.mayRewind() && snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_MMAP_INTERLEAVED) == 0
    if !isMapped {
      try check(
        "snd_pcm_hw_params_set_access", snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED))
    }
    let formats = Self.formats.filter { settings.formats.contains($0.1) }
    guard let format = formats.first(where: { snd_pcm_hw_params_set_format(pcm, hardware, $0.0) == 0 }) else {
      throw OutputError(
        operation: "snd_pcm_hw_params_set_format", device: device, code: -EINVAL,
        reason: "it takes none of float, S32, S24 and S16; try 'plug:\(device)'")
    }
    var channels = UInt32(settings.channels)
    try check("snd_pcm_hw_params_set_channels_near", snd_pcm_hw_params_set_channels_near(pcm, hardware, &channels))
    guard OutputSettings.channelCounts.contains(Int(channels)) else {
      throw OutputError(
        operation: "snd_pcm_hw_params_set_channels_near", device: device, code: -EINVAL,
        reason: "it has \(channels) channels at least, and soundd plays 1 to 8; try 'plug:\(device)'")
    }
    var rate = UInt32(settings.rate ?? 48_000)
    try check("snd_pcm_hw_params_set_rate_near", snd_pcm_hw_params_set_rate_near(pcm, hardware, &rate, nil))

    let (period, buffer, short) = try setSizes(hardware, settings, kind, rate: rate)
    // A plugin in between has memory of its own, which the card does not play.
    let runsOn = kind == .card && isMapped && snd_pcm_type(pcm) == SND_PCM_TYPE_HW
    try setSoftware(buffer: buffer, period: period, runsOn: runsOn)
    // snd_pcm_hw_params has prepared it.
    if kind.restsPrepared() {
      try check("snd_pcm_prepare", snd_pcm_prepare(pcm))
    } else {
      try check("snd_pcm_drop", snd_pcm_drop(pcm))
    }
    return StreamFormat(
      format: format.1, rate: Int(rate), channels: Int(channels), periodFrames: Int(period), bufferFrames: Int(buffer),
      isMapped: isMapped, kind: kind, isHDMI: kind == .card && isHDMI, runsOn: runsOn,
      stepFrames: knowsPosition(hardware) ? 0 : Int(period), shortFrames: Int(short))
  }

  /// Agrees on period and buffer. Returns them, and how many frames are written ahead where none can be taken back.
  private func setSizes(
    _ hardware: OpaquePointer?, _ settings: OutputSettings, _ kind: StreamFormat.Kind, rate: UInt32
  ) throws(OutputError) -> (period: snd_pcm_uframes_t, buffer: snd_pcm_uframes_t, short: snd_pcm_uframes_t) {
    // A sound server works in steps of the period: four periods are the configured latency.
    let short = snd_pcm_uframes_t(max(64, Double(settings.latency.nanoseconds) / 1e9 * Double(rate)))
    var period = max(16, short / 4)
    switch kind {
    // PipeWire rounds down to a power of two.
    case .pipewire: while period & (period - 1) != 0 { period &= period - 1 }
    // Our timer wakes us, and the position is known between interrupts.
    case .card: period = snd_pcm_uframes_t(rate / 100)
    case .sharedCard, .pulse, .jack, .other: break
    }
    // Twice as much as is written ahead.
    var buffer = kind.mayRewind() ? max(short, snd_pcm_uframes_t(rate / 2)) : short
    if kind.mayRewind() {
      // Our own timer wakes us, so interrupts would be wasted.
      if snd_pcm_hw_params_can_disable_period_wakeup(hardware) == 1 {
        snd_pcm_hw_params_set_period_wakeup(pcm, hardware, 0)
      }
    }
    // JACK's periods are powers of two, and a buffer must be a multiple of one.
    let isPeriodFirst = kind.mayRewind() || kind == .jack
    if isPeriodFirst {
      try check(
        "snd_pcm_hw_params_set_period_size_near", snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, nil))
    }
    try check("snd_pcm_hw_params_set_buffer_size_near", snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer))
    if !isPeriodFirst {
      period = max(16, buffer / 4)
      try check(
        "snd_pcm_hw_params_set_period_size_near", snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, nil))
    }
    try check("snd_pcm_hw_params", snd_pcm_hw_params(pcm, hardware))
    try check("snd_pcm_hw_params_get_buffer_size", snd_pcm_hw_params_get_buffer_size(hardware, &buffer))
    try check("snd_pcm_hw_params_get_period_size", snd_pcm_hw_params_get_period_size(hardware, &period, nil))
    return (period, buffer, short)
  }

  /// Throws what a negative result means (snd_strerror).
  private func check(_ operation: String, _ result: Int32) throws(OutputError) {
    if result >= 0 { return }
    throw OutputError(operation: operation, device: device, code: result, reason: String(cString: snd_strerror(result)))
  }

  /// The kind of device behind the name.
  private var kind: StreamFormat.Kind {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) == 0 else { return .other }
    defer { snd_pcm_info_free(info) }
    let isCard = snd_pcm_info(pcm, info) == 0 && snd_pcm_info_get_card(info) >= 0
    guard let text = calsa_describe(pcm) else { return .other }
    defer { free(text) }
    // dmix and dshare share the card's ring with other programs.
    if isCard { return strstr(text, "Direct S") == nil ? .card : .sharedCard }
    let servers: [(String, StreamFormat.Kind)] = [("PipeWire", .pipewire), ("PulseAudio", .pulse), ("JACK", .jack)]
    return servers.first { strstr(text, $0.0) != nil }?.1 ?? .other
  }

  /// Whether the name of the card's PCM, or of the card, says HDMI (snd_pcm_info_get_name, snd_card_get_name).
  private var isHDMI: Bool {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) == 0 else { return false }
    defer { snd_pcm_info_free(info) }
    guard snd_pcm_info(pcm, info) == 0 else { return false }
    if let name = snd_pcm_info_get_name(info), strstr(name, "HDMI") != nil { return true }
    var name: UnsafeMutablePointer<CChar>?
    guard snd_card_get_name(snd_pcm_info_get_card(info), &name) >= 0, let name else { return false }
    defer { free(name) }
    return strstr(name, "HDMI") != nil
  }

  /// Whether the device reports its position between two periods.
  private func knowsPosition(_ hardware: OpaquePointer?) -> Bool {
    kind == .card && snd_pcm_type(pcm) == SND_PCM_TYPE_HW && snd_pcm_hw_params_is_batch(hardware) == 0
  }

  /// Sets that the device starts only when we start it, stops when it runs dry (or never, with `runsOn`), and stamps its
  /// position with CLOCK_MONOTONIC.
  private func setSoftware(
    buffer: snd_pcm_uframes_t, period: snd_pcm_uframes_t, runsOn: Bool
  ) throws(OutputError) {
    var software: OpaquePointer?
    try check("snd_pcm_sw_params_malloc", snd_pcm_sw_params_malloc(&software))
    defer { snd_pcm_sw_params_free(software) }
    try check("snd_pcm_sw_params_current", snd_pcm_sw_params_current(pcm, software))
    // More than can ever be written, so that the device never starts by itself. With the boundary, ALSA's usual value for that,
    // PulseAudio's plugin stays silent.
    try check("snd_pcm_sw_params_set_start_threshold", snd_pcm_sw_params_set_start_threshold(pcm, software, buffer + 1))
    var stop = buffer
    if runsOn {
      try check("snd_pcm_sw_params_get_boundary", snd_pcm_sw_params_get_boundary(software, &stop))
      // Some PCMs have no clock; then ours is used.
      snd_pcm_sw_params_set_tstamp_mode(pcm, software, SND_PCM_TSTAMP_ENABLE)
      snd_pcm_sw_params_set_tstamp_type(pcm, software, SND_PCM_TSTAMP_TYPE_MONOTONIC)
    }
    try check("snd_pcm_sw_params_set_stop_threshold", snd_pcm_sw_params_set_stop_threshold(pcm, software, stop))
    try check("snd_pcm_sw_params_set_avail_min", snd_pcm_sw_params_set_avail_min(pcm, software, period))
    try check("snd_pcm_sw_params", snd_pcm_sw_params(pcm, software))
  }
}
