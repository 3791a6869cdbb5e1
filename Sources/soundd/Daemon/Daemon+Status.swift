import Glibc
import SoundTrigger

/// What `get`, `list`, `status`, `explain` and `events --state` answer.
extension Daemon {
  /// The version of the program.
  static let version = "0.2.0"

  func json(of id: ValueID, asEvent: Bool = false) -> [UInt8] {
    let snapshot = pipeline.store.snapshot(of: id)
    var writer = JSONWriter()
    writer.value(
      snapshot, pipeline.store.value(of: id), changedAt: snapshot.changedAt.map(Timestamp.init(of:)),
      refusedAt: pipeline.refusals[id].map { Timestamp(of: $0.at) },
      isStale: pipeline.isStale(id), problem: feeds.commands.problem(of: id), asEvent: asEvent)
    return writer.bytes
  }

  /// `ok`, and the state of these values, or with an empty set of all, and of their triggers; each as it is when it is written.
  func state(of names: Set<ValueName>, _ unwritten: UnwrittenState) -> LongReply {
    // In the order of the store, so that a range is what is not written yet.
    // An index may be free, or another value's, before it is written.
    var indices = Array(unwritten.values)[...]
    let named = Set(declaredNames)
    var part = Array("ok\n".utf8)
    return LongReply { [weak self] in
      guard let self, unwritten.hasTriggers else { return nil }
      while part.count < 16_384, let index = indices.popFirst() {
        unwritten.values = index + 1..<unwritten.values.upperBound
        let id = ValueID(index: index)
        let isWanted =
          names.isEmpty
          ? isListed(id, named) : pipeline.store.isPresent(id) && names.contains(pipeline.store.name(of: id))
        if isWanted { part += json(of: id, asEvent: true) + [UInt8(ascii: "\n")] }
      }
      if indices.isEmpty {
        unwritten.hasTriggers = false
        unwritten.values = 0..<0
        part += stateOfTriggers(on: names)
        part += JSONWriter.object { $0.member("event", "ready") }
      }
      defer { part = [] }
      return part
    }
  }

  private func stateOfTriggers(on names: Set<ValueName>) -> [UInt8] {
    var lines: [UInt8] = []
    for (index, definition) in pipeline.conductor.engine.definitions.enumerated()
    where names.isEmpty || names.contains(where: definition.watches) {
      var writer = JSONWriter()
      write(TriggerID(index: index), to: &writer, asEvent: true)
      lines += writer.bytes + [UInt8(ascii: "\n")]
    }
    for alarm in alarms(all: false) {
      let values =
        pipeline.conductor.engine.trigger(named: alarm.name)
        .map { pipeline.conductor.engine.values(of: $0) } ?? []
      if !names.isEmpty, names.isDisjoint(with: values) { continue }
      lines +=
        JSONWriter.object { writer in
          writer.member("event", "alarm")
          write(alarm, to: &writer)
        } + [UInt8(ascii: "\n")]
    }
    return lines
  }

  func status(warnings: [Warning]) -> [UInt8] {
    // With what the audio thread has reported up to now, and with the names of this turn.
    collect()
    checkNames()
    let statistics = output.statistics
    let serverProblem = serverProblem
    return JSONWriter.object { writer in
      writer.member("version", Self.version)
      writer.member("executable", plan.environment.executable)
      writer.member("pid", Int(getpid()))
      writer.member("uptime", startTime.duration(to: loop.now))
      writer.member("configuration", (reloads.file ?? reloads.bad?.file).map(plan.environment.absolute))
      writer.member("alarms") {
        $0.array(alarms(all: false)) { alarm, writer in writer.object { self.write(alarm, to: &$0) } }
      }
      writer.member("warnings") { $0.array(warnings) { $1.warning($0) } }
      writer.member("device") {
        $0.device(
          configuration.output.device, state: serverProblem == nil ? deviceState : "missing",
          since: serverProblem == nil ? Timestamp(of: device.since) : nil, rate: output.rate, stream: output.device,
          server: remembered.server,
          error: output.deviceError ?? serverProblem,
          wake: output.wakeTime)
      }
      writer.member("voices", pipeline.conductor.player.statistics.voices)
      writer.member("xruns", statistics.xruns)
      writer.member("missing_frames", statistics.missing)
      writer.member("late", statistics.late)
      writer.member("missed", statistics.missed)
      writer.member("values", valueCount)
      writer.member("refused", pipeline.store.refusedCount + pipeline.refusedSounds)
      writer.member("refusals") { writeRefusals(to: &$0) }
      writer.member("clients", clients.server?.clientCount ?? 0)
      writer.member("slow_clients", clients.server?.counters.slowClients ?? 0)
      writer.member("evicted_clients", clients.server?.counters.evictedClients ?? 0)
      writeProfile(to: &writer)
      writer.member("volume", pipeline.conductor.player.level(of: nil).volume)
      writer.member("muted", pipeline.conductor.player.level(of: nil).isMuted)
      writer.member("muted_until", memory.mutes.end(of: nil).map(Timestamp.init(of:)))
      writer.member("state_problem", memory.keeper?.unsaved)
      writer.member("latency") { $0.latency(pipeline.conductor.player.latency, withHistogram: true) }
      writer.member("woken", pipeline.conductor.player.wokenCount)
      writer.member("realtime") { $0.realTime(output) }
      writer.member("memory") { $0.memory(.current) }
      writer.member("memory_use") {
        $0.memoryUse(
          contents: pipeline.store.contentBytes, clips: pipeline.conductor.player.clipBytes,
          limit: pipeline.memoryLimit
        )
      }
      writer.member("commands") { feeds.commands.write(to: &$0) }
      writer.member("triggers") { writer in
        writer.array(pipeline.conductor.engine.definitions.indices) { index, writer in
          write(TriggerID(index: index), to: &writer)
        }
      }
    }
  }

  /// Some of the values that have refused updates, the latest first.
  private func writeRefusals(to writer: inout JSONWriter) {
    let values = pipeline.store.refusing.map { (id: $0, at: pipeline.refusals[$0]?.at) }
      .sorted { ($1.at?.nanoseconds ?? .min, $0.id.index) < ($0.at?.nanoseconds ?? .min, $1.id.index) }
    writer.array(values.prefix(Self.mostRefusals)) { value, writer in
      let snapshot = pipeline.store.snapshot(of: value.id)
      writer.object { writer in
        writer.member("name", snapshot.name.description)
        writer.refusals(snapshot, at: value.at.map(Timestamp.init(of:)))
      }
    }
  }

  private static let mostRefusals = 20

  /// The profile that holds, why, and what holds after it.
  private func writeProfile(to writer: inout JSONWriter) {
    let (gate, ending, situation) = (profileGate, memory.profile.ending, memory.profile.situation)
    writer.member("profile", pipeline.conductor.engine.profile.rawValue)
    writer.member("profile_chosen", memory.profile.chosen.rawValue)
    writer.member("profile_gate", gate?.description)
    writer.member("profile_until", ending.map { Timestamp(seconds: $0.at) })
    writer.member("profile_then", (gate == nil ? ending?.then : situation.profile)?.rawValue)
    writer.member("quiet_until", situation.quietUntil.map { Timestamp(seconds: $0) })
  }

  /// The value that restricts the profile now (`quiet_while`, `silent_while`); `nil`: none does.
  var profileGate: ValueName? {
    let profile = pipeline.conductor.engine.profile
    if profile == memory.profile.situation.profile { return nil }
    return configuration.profileGates.filter { name, most in
      guard most == profile, let id = pipeline.store.id(of: name), pipeline.isStale(id) != true else { return false }
      return pipeline.store.value(of: id)?.isTrue(isEvent: pipeline.store.kind(of: id) == .event) == true
    }.keys.min { $0.description < $1.description }
  }

  private var deviceState: String {
    if output.device != nil { return output.isSilent ? "idle" : "running" }
    return configuration.output.device == OutputSettings.noDevice ? "clock" : output.isReleased ? "closed" : "missing"
  }

  private func write(_ id: TriggerID, to writer: inout JSONWriter, asEvent: Bool = false) {
    let definition = pipeline.conductor.engine.definitions[id.index]
    let counters = pipeline.conductor.engine.counters(of: id)
    let named = definition.sounds + [sounds.speaker.cues.sound(of: definition.name)].compactMap(\.self)
    let problem = named.lazy.compactMap { self.pipeline.conductor.player.sounds.problem(of: $0)?.line }.first
      .map { definition.isAlarm ? "\($0); the alarm plays another sound instead" : $0 }
    writer.trigger(
      definition, counters, pipeline.conductor.engine.activity(of: id),
      level: pipeline.conductor.player.level(of: definition.name),
      mutedUntil: memory.mutes.end(of: definition.name).map(Timestamp.init(of:)),
      waitsUntil: pipeline.conductor.engine.waitEnd(of: id).map(Timestamp.init(of:)),
      lastPlay: counters.lastPlay.map(Timestamp.init(of:)),
      problem: problem ?? sounds.speaker.outcomes[definition.name]?.problem,
      members: pipeline.conductor.engine.members(of: id)?.count,
      loudest: pipeline.conductor.engine.loudestMember(of: id).map { pipeline.conductor.engine.name(of: $0) },
      latency: pipeline.conductor.player.latencies[definition.name] ?? LatencyRecord(),
      asEvent: asEvent)
  }

  /// `explain TRIGGER`, or the value whose only trigger it is.
  func explain(_ asked: String) -> Reply {
    guard let id = pipeline.conductor.engine.trigger(named: asked) ?? onlyTrigger(of: asked) else {
      return noTrigger(asked)
    }
    let engine = pipeline.conductor.engine
    let isMember = engine.rule(of: id) != id
    return .json(
      JSONWriter.object { writer in
        writer.member("name", engine.name(of: id))
        writer.member(
          "value", isMember ? engine.values(of: id).first?.description : engine.definition(of: id).valueNames)
        writer.member("verdicts") { writer in
          writer.array(engine.watchedChanges(of: id)) { judged, writer in
            let (change, value) = judged
            writer.judgedChange(change, of: value, reason: reason(change, of: value, id), at: Timestamp(of: change.at))
          }
        }
        writer.member("sounds") { writer in
          writer.array(engine.definition(of: id).sounds.compactMap(sounds.found)) { sound, writer in
            writer.object { writer in
              writer.member("name", sound.name)
              writer.member("path", sound.file?.path)
              writer.member("found", sound.step)
            }
          }
        }
        writer.member("said") { writer in
          guard let outcome = sounds.speaker.outcomes[engine.name(of: id).ruleName] else { return writer.null() }
          writer.object { writer in
            writer.member("text", outcome.text)
            writer.member("problem", outcome.problem)
          }
        }
        writer.member("stopped") { writer in
          guard let stop = engine.counters(of: id).lastStop else { return writer.null() }
          writer.stop(stop, at: Timestamp(of: stop.at))
        }
      })
  }

  /// Why a change played or did not, for people. A trigger that plays for staleness also says which value was not reported, and
  /// since when.
  func reason(_ change: JudgedChange, of value: ValueName, _ id: TriggerID?) -> String {
    let (verdict, trigger) = (change.verdict, id.map { pipeline.conductor.engine.definition(of: $0) })
    if case .snoozed = verdict, let id, let end = pipeline.conductor.engine.alarm(id)?.snoozedUntil {
      return "snoozed until \(Timestamp(of: end).localTime(at: .now()))"
    }
    if verdict == .appeared, let trigger, trigger.isAlarm, trigger.initial != .no {
      let isEvent = pipeline.store.id(of: value).map { pipeline.store.kind(of: $0) == .event } ?? false
      return isEvent
        ? "the first content is not an arrival, and only an arrival begins the alarm of an event"
        : "the condition of the alarm of the last run does not hold any more"
    }
    let effects = trigger?.mappings.compactMap { $0.text(old: change.old, new: change.new) } ?? []
    if !effects.isEmpty, [.starting, .played, .muted].contains(verdict) {
      return ((verdict == .muted ? [verdict.description] : []) + effects).joined(separator: "; ")
    }
    guard trigger?.when == .stale, ![.notStale, .appeared, .asBefore].contains(verdict) else {
      return verdict.description
    }
    if let silence = configuration.feeds.first(where: { $0.owns(value) }).flatMap({ silence(of: $0, at: change.at) }) {
      return "\(verdict): \(silence)"
    }
    guard
      let every = configuration.values.first(where: { $0.name == value })?.expectEvery
        ?? pipeline.patterns.elements(matching: value).first?.expectEvery
    else { return verdict.description }
    let since = Timestamp(of: change.at.advanced(by: .zero - every)).localTime(at: .now())
    return
      "\(verdict): '\(value.original)' was not reported for \(DurationText.text(every)) (expect_every), since \(since)"
  }

  /// Why the values of a feed became stale at a moment; `nil` if the feed is not silent since then.
  private func silence(of feed: FeedDeclaration, at time: Instant) -> String? {
    guard let (since, every) = pipeline.silences.silence(of: feed.name), since.advanced(by: every) <= time else {
      return nil
    }
    return "no line of the feed '\(feed.name)' was accepted for \(DurationText.text(every)) (expect_every), since "
      + Timestamp(of: since).localTime(at: .now())
  }

  /// The trigger that is the only one of a value.
  private func onlyTrigger(of value: String) -> TriggerID? {
    let engine = pipeline.conductor.engine
    let own = engine.triggers.filter { engine.values(of: $0).contains { $0.description == value } }
    return own.count == 1 ? own[0] : nil
  }

  /// The error for a name that no trigger has. A value of that name has triggers, perhaps, of other names.
  func noTrigger(_ name: String) -> Reply {
    let definitions = pipeline.conductor.engine.definitions
    let names = definitions.map(\.name)
    let value = ValueName(name)
    let own = definitions.filter { value.map($0.watches) ?? false }.prefix(5).map {
      Excerpt.quoting($0.name)
    }
    if !own.isEmpty {
      let triggers = "trigger\(own.count == 1 ? "" : "s") \(own.joined(separator: ", "))"
      return .error("there is no trigger \(Excerpt.quoting(name)), but a value, with the \(triggers)", .unknown)
    }
    // As tables show it, without the escapes of a feed's names.
    let escaped =
      name.contains("%")
      ? nil
      : pipeline.conductor.engine.triggers.lazy
        .map { self.pipeline.conductor.engine.name(of: $0) }.first { NameEscape.original($0) == name }
    let near = Suggestion.question(escaped ?? Suggestion.nearest(to: name, among: names))
    let isValue = pipeline.store.id(of: Array(name.utf8).span) != nil
    let hint = isValue ? ", and none on the value of this name" : near.isEmpty ? " (see 'soundd status')" : near
    return .error("there is no trigger \(Excerpt.quoting(name))\(hint)", .unknown)
  }
}
