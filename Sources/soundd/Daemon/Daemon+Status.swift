import SoundTrigger

extension Daemon {
  /// What `get` and `list` show of a value.
  func report(_ id: ValueID) -> ValueReport {
    let snapshot = pipeline.store.snapshot(of: id)
    let source =
      switch snapshot.source {
      case .client: "socket"
      case .file(let path, let aspect): "\(aspect.rawValue) \(path)"
      case .derived(let base): "of \(base)"
      }
    return ValueReport(
      name: snapshot.name.description, value: pipeline.store.value(of: id), kind: snapshot.kind,
      updates: snapshot.updates, changedAt: snapshot.changedAt.map(timestamp), source: source,
      isStale: pipeline.isStale(id))
  }

  /// What `status` shows.
  var status: StatusReport {
    // With what the audio thread has to tell up to now.
    collect()
    let output = output.statistics
    let mixer = self.output.control.statistics
    return StatusReport(
      uptime: startTime.duration(to: loop.now), device: deviceReport, voices: mixer.voices, xruns: output.xruns,
      missing: output.missing, late: output.late, missed: output.missed, values: pipeline.store.count,
      clients: server?.clientCount ?? 0, slowClients: server?.counters.slowClients ?? 0, profile: profileReport,
      volume: volume.level, muted: volume.isMuted,
      latency: StatusReport.Latency(self.output.latency),
      realTime: StatusReport.RealTime(self.output), memory: StatusReport.Memory(.current),
      triggers: pipeline.engine.definitions.indices.map(trigger))
  }

  private var deviceReport: StatusReport.Device {
    let settings = configuration.output
    guard let stream = output.device else {
      let state =
        settings.device == OutputSettings.noDevice ? "clock" : output.isReleased ? "closed" : "missing"
      return StatusReport.Device(
        name: settings.device, state: state, format: nil, rate: output.rate, channels: nil, periodFrames: nil,
        bufferFrames: nil)
    }
    return StatusReport.Device(
      name: settings.device, state: output.isSilent ? "idle" : "running", format: "\(stream.format)", rate: stream.rate,
      channels: stream.channels, periodFrames: stream.periodFrames, bufferFrames: stream.bufferFrames)
  }

  private func trigger(_ index: Int) -> StatusReport.Trigger {
    let (id, definition) = (TriggerID(index: index), pipeline.engine.definitions[index])
    let counters = pipeline.engine.counters(of: id)
    let activity = pipeline.engine.activity(of: id)
    let names = definition.sound.names
    let problem = names.lazy.compactMap { self.shelf.problem(of: $0) }.first
    let state = activity.state == .resting ? "ok" : activity.state.rawValue
    return StatusReport.Trigger(
      name: definition.name, value: Self.names(of: definition), sound: names.joined(separator: ", "),
      state: problem == nil ? state : "broken", problem: problem.map { "\($0)" }, queued: activity.queued,
      changes: counters.changes, played: counters.played, dropped: counters.dropped,
      last: counters.lastPlay.map(timestamp),
      latency: StatusReport.Latency(latencies[definition.name] ?? LatencyRecord()))
  }

  /// The watched values.
  private static func names(of definition: TriggerDefinition) -> String {
    definition.values.map(\.description).joined(separator: ", ")
  }

  /// What `explain` shows of a trigger.
  func explain(_ name: String) -> Reply {
    guard let id = pipeline.engine.trigger(named: name) else { return noTrigger(name) }
    let definition = pipeline.engine.definitions[id.index]
    let verdicts = pipeline.engine.judgedChanges(of: id).map { change in
      ExplainReport.Judgement(
        at: timestamp(change.at), value: definition.values[change.watch].description, old: change.old, new: change.new,
        verdict: change.verdict.word, reason: change.verdict.description)
    }
    return .json(ExplainReport(name: name, value: Self.names(of: definition), verdicts: verdicts).json)
  }

  /// The error for a trigger's name that no trigger has.
  func noTrigger(_ name: String) -> Reply {
    let names = pipeline.engine.definitions.map(\.name)
    let near = Suggestion.nearest(to: name, among: names).map { " (did you mean '\($0)'?)" } ?? ""
    return .error("there is no trigger \(QuotedText.single(name))\(near)")
  }

  /// The civil time of an instant of this run.
  func timestamp(_ instant: Instant) -> Timestamp {
    let now = Timestamp.now()
    let nanoseconds =
      now.seconds * 1_000_000_000 + Int64(now.nanoseconds) - instant.duration(to: EventLoop.clock()).nanoseconds
    return Timestamp(
      seconds: nanoseconds / 1_000_000_000, nanoseconds: Int32(nanoseconds % 1_000_000_000))
  }
}

extension StatusReport.Latency {
  init(_ record: LatencyRecord) {
    let (total, ours, device) = (record.total.summary, record.ours.summary, record.device.summary)
    func duration(_ microseconds: Double?) -> Duration? { microseconds.map { .nanoseconds(Int64($0 * 1000)) } }
    self.init(
      count: Int(clamping: total.count), p50: duration(total.median), p99: duration(total.percentile99),
      max: duration(total.maximum), oursP50: duration(ours.median), oursP99: duration(ours.percentile99),
      deviceP50: duration(device.median), deviceP99: duration(device.percentile99))
  }
}
