import SoundTrigger

extension Daemon {
  /// What `get` and `list` show of a value.
  func report(_ id: ValueID) -> ValueReport {
    let snapshot = pipeline.store.snapshot(of: id)
    let source =
      switch snapshot.source {
      case .client: "socket"
      case .file(let path): "file \(path)"
      }
    return ValueReport(
      name: snapshot.name.description, value: pipeline.store.value(of: id), kind: snapshot.kind,
      updates: snapshot.updates, changedAt: snapshot.changedAt.map(timestamp), source: source)
  }

  /// What `status` shows.
  var status: StatusReport {
    let output = output.statistics
    let mixer = self.output.control.statistics
    return StatusReport(
      uptime: startTime.duration(to: loop.now), device: device, voices: mixer.voices, xruns: output.xruns,
      late: output.late, values: pipeline.store.count, clients: server?.clientCount ?? 0, profile: "full", volume: 1,
      muted: false,
      latency: StatusReport.Latency(
        count: Int(clamping: output.latency.count), p50: microseconds(output.latency.median),
        p99: microseconds(output.latency.percentile99), max: microseconds(output.latency.maximum),
        oursP50: microseconds(output.ourLatency.median), oursP99: microseconds(output.ourLatency.percentile99)),
      triggers: pipeline.engine.definitions.indices.map(trigger))
  }

  private var device: StatusReport.Device {
    let settings = configuration.output
    guard let stream = output.device else {
      let state = settings.device == OutputSettings.noDevice ? "clock" : "missing"
      return StatusReport.Device(
        name: settings.device, state: state, format: nil, rate: output.rate, channels: nil, periodFrames: nil,
        bufferFrames: nil)
    }
    return StatusReport.Device(
      name: settings.device, state: output.isSilent ? "idle" : "running", format: "\(stream.format)", rate: stream.rate,
      channels: stream.channels, periodFrames: stream.periodFrames, bufferFrames: stream.bufferFrames)
  }

  private func trigger(_ index: Int) -> StatusReport.Trigger {
    let definition = pipeline.engine.definitions[index]
    let counters = pipeline.engine.counters(of: TriggerID(index: index))
    let names = definition.sound.names
    let isBroken = names.contains { name in
      pipeline.engine.sounds.firstIndex(of: name).map { shelf[SoundID(index: $0)] == nil } ?? true
    }
    return StatusReport.Trigger(
      name: definition.name, value: definition.value.description, sound: names.joined(separator: ", "),
      state: isBroken ? "broken" : "ok", changes: counters.changes, played: counters.played,
      last: counters.lastPlay.map(timestamp))
  }

  private func microseconds(_ number: Double?) -> Duration? { number.map { .nanoseconds(Int64($0 * 1000)) } }

  /// The civil time of an instant of this run.
  private func timestamp(_ instant: Instant) -> Timestamp {
    let now = Timestamp.now()
    let nanoseconds =
      now.seconds * 1_000_000_000 + Int64(now.nanoseconds) - instant.duration(to: EventLoop.clock()).nanoseconds
    return Timestamp(
      seconds: nanoseconds / 1_000_000_000, nanoseconds: Int32(nanoseconds % 1_000_000_000))
  }
}
