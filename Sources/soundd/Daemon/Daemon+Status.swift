import SoundTrigger

/// What `get`, `list`, `status` and `explain` answer.
extension Daemon {
  func json(of id: ValueID) -> [UInt8] {
    let snapshot = pipeline.store.snapshot(of: id)
    var writer = JSONWriter()
    writer.value(
      snapshot, pipeline.store.value(of: id), changedAt: snapshot.changedAt.map(Timestamp.init(of:)),
      isStale: pipeline.isStale(id))
    return writer.bytes
  }

  var status: [UInt8] {
    // With what the audio thread has reported up to now.
    collect()
    let statistics = output.statistics
    let situation = memory.profile.situation
    return JSONWriter.object { writer in
      writer.member("uptime", startTime.duration(to: loop.now))
      writer.member("configuration", plan.file)
      writer.member("device") {
        $0.device(configuration.output.device, state: deviceState, rate: output.rate, stream: output.device)
      }
      writer.member("voices", pipeline.triggers.player.statistics.voices)
      writer.member("xruns", statistics.xruns)
      writer.member("missing_frames", statistics.missing)
      writer.member("late", statistics.late)
      writer.member("missed", statistics.missed)
      writer.member("values", pipeline.store.count)
      writer.member("refused", pipeline.store.refusedCount)
      writer.member("clients", server?.clientCount ?? 0)
      writer.member("slow_clients", server?.counters.slowClients ?? 0)
      writer.member("profile", situation.profile.rawValue)
      writer.member("profile_chosen", memory.profile.choice.profile.rawValue)
      writer.member("quiet_until", situation.quietUntil.map { Timestamp(seconds: $0).localDescription })
      writer.member("volume", pipeline.triggers.player.volume)
      writer.member("muted", pipeline.triggers.player.isMuted)
      writer.member("latency") { $0.latency(pipeline.triggers.player.latency, withHistogram: true) }
      writer.member("realtime") { $0.realTime(output) }
      writer.member("memory") { $0.memory(.current) }
      writer.member("triggers") { writer in
        writer.array(pipeline.triggers.engine.definitions.indices) { index, writer in
          write(TriggerID(index: index), to: &writer)
        }
      }
    }
  }

  private var deviceState: String {
    if output.device != nil { return output.isSilent ? "idle" : "running" }
    return configuration.output.device == OutputSettings.noDevice ? "clock" : output.isReleased ? "closed" : "missing"
  }

  private func write(_ id: TriggerID, to writer: inout JSONWriter) {
    let definition = pipeline.triggers.engine.definitions[id.index]
    let counters = pipeline.triggers.engine.counters(of: id)
    let problem = definition.sound.names.lazy.compactMap { self.pipeline.triggers.player.sounds.problem(of: $0) }.first
    writer.trigger(
      definition, counters, pipeline.triggers.engine.activity(of: id),
      lastPlay: counters.lastPlay.map(Timestamp.init(of:)),
      problem: problem.map { "\($0)" }, latency: pipeline.triggers.player.latencies[definition.name] ?? LatencyRecord())
  }

  func explain(_ name: String) -> Reply {
    guard let id = pipeline.triggers.engine.trigger(named: name) else { return noTrigger(name) }
    let definition = pipeline.triggers.engine.definitions[id.index]
    return .json(
      JSONWriter.object { writer in
        writer.member("name", name)
        writer.member("value", definition.valueNames)
        writer.member("verdicts") { writer in
          writer.array(pipeline.triggers.engine.judgedChanges(of: id)) { change, writer in
            writer.judgedChange(change, of: definition.values[change.watch], at: Timestamp(of: change.at))
          }
        }
      })
  }

  /// The error for a name that no trigger has.
  func noTrigger(_ name: String) -> Reply {
    let names = pipeline.triggers.engine.definitions.map(\.name)
    let near = Suggestion.nearest(to: name, among: names).map { " (did you mean '\($0)'?)" } ?? ""
    return .error("there is no trigger \(Excerpt.quoting(name))\(near)")
  }
}
