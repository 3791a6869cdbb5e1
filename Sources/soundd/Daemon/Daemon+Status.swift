import Glibc
import SoundTrigger
import SoundWire

/// What `get`, `list`, `status`, `explain` and `events --state` answer.
extension Daemon {
  /// The version of the program.
  static let version = "0.2.0"

  func message(of id: ValueID) -> ValueMessage {
    let snapshot = pipeline.store.snapshot(of: id)
    return ValueMessage(
      snapshot, pipeline.store.value(of: id), changedAt: snapshot.changedAt.map(Timestamp.init(of:)),
      refusedAt: pipeline.refusals[id].map { Timestamp(of: $0.at) },
      isStale: pipeline.isStale(id), problem: feeds.commands.problem(of: id))
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
        if isWanted { part += Self.state(.value, message(of: id)) }
      }
      if indices.isEmpty {
        unwritten.hasTriggers = false
        unwritten.values = 0..<0
        part += stateOfTriggers(on: names)
        part += Self.state(.ready, ReadyMessage()).dropLast()
      }
      defer { part = [] }
      return part
    }
  }

  private func stateOfTriggers(on names: Set<ValueName>) -> [UInt8] {
    let engine = pipeline.conductor.engine
    var lines: [UInt8] = []
    for (index, definition) in engine.definitions.enumerated()
    where names.isEmpty || names.contains(where: definition.watches) {
      lines += Self.state(.trigger, message(of: TriggerID(index: index)))
    }
    for alarm in pipeline.alarms(all: false) {
      let values = engine.trigger(named: alarm.name).map { engine.values(of: $0) } ?? []
      if names.isEmpty || !names.isDisjoint(with: values) { lines += Self.state(.alarm, message(of: alarm)) }
    }
    return lines
  }

  /// A line of the state of a new subscriber, which has no time.
  static func state(_ kind: EventHead.Kind, _ message: some Message) -> [UInt8] {
    var (writer, message) = (JSONWriter(), message)
    writer.event(kind, at: nil, &message)
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  func status(warnings: [Warning]) -> StatusMessage {
    // With what the audio thread has reported up to now, and with the names of this turn.
    collect()
    checkNames()
    let statistics = output.statistics
    var status = StatusMessage()
    (status.version, status.executable, status.pid) = (Self.version, plan.environment.executable, Int(getpid()))
    status.uptime = startTime.duration(to: loop.now)
    status.configuration = (reloads.file ?? reloads.bad?.file).map(plan.environment.absolute)
    status.alarms = pipeline.alarms(all: false).map(message)
    status.warnings = warnings.map(\.message)
    status.device = deviceMessage
    status.voices = pipeline.conductor.player.statistics.voices
    (status.xruns, status.missingFrames) = (statistics.xruns, statistics.missing)
    (status.late, status.missed) = (statistics.late, statistics.missed)
    status.values = valueCount
    status.refused = pipeline.store.refusedCount + pipeline.refusedSounds
    status.refusals = refusals
    status.clients = clients.server?.clientCount ?? 0
    status.slowClients = clients.server?.counters.slowClients ?? 0
    status.evictedClients = clients.server?.counters.evictedClients ?? 0
    status.profile = pipeline.profile(in: surroundings)
    status.level = level(of: nil)
    status.stateProblem = memory.keeper?.unsaved
    status.latency = LatencyMessage(pipeline.conductor.player.latency, withHistogram: true)
    status.woken = pipeline.conductor.player.wokenCount
    (status.realTime, status.memory) = (RealTimeMessage(output), LockedMemoryMessage(.current))
    status.memoryUse.contents = pipeline.store.contentBytes
    status.memoryUse.clips = pipeline.conductor.player.clipBytes
    status.memoryUse.limit = pipeline.memoryLimit
    status.commands = feeds.commands.messages
    status.triggers = pipeline.conductor.engine.definitions.indices.map { message(of: TriggerID(index: $0)) }
    return status
  }

  private var deviceMessage: DeviceMessage {
    let serverProblem = serverProblem
    return DeviceMessage(
      configuration.output.device, state: serverProblem == nil ? deviceState : .missing,
      since: serverProblem == nil ? Timestamp(of: device.since) : nil, rate: output.rate, stream: output.device,
      server: remembered.server, error: output.deviceError ?? serverProblem, wake: output.wakeTime)
  }

  /// Some of the values that have refused updates, the latest first.
  private var refusals: [RefusingValueMessage] {
    let values = pipeline.store.refusing.map { (id: $0, at: pipeline.refusals[$0]?.at) }
      .sorted { ($1.at?.nanoseconds ?? .min, $0.id.index) < ($0.at?.nanoseconds ?? .min, $1.id.index) }
    return values.prefix(Self.mostRefusals).map { id, time in
      RefusingValueMessage(pipeline.store.snapshot(of: id), at: time.map(Timestamp.init(of:)))
    }
  }

  private static let mostRefusals = 20

  /// How loud everything is (`nil`), or a trigger.
  func level(of trigger: String?) -> LevelMembers { pipeline.level(of: trigger, in: surroundings) }

  /// What decides beside the pipeline whether something is heard.
  var surroundings: Surroundings {
    Surroundings(
      profile: memory.profile.times, gates: configuration.profileGates,
      muteEnd: { [memory] in memory.mutes.end(of: $0) },
      isDeviceMissing: device.isMissing)
  }

  private var deviceState: DeviceState {
    if output.device != nil { return output.isSilent ? .idle : .running }
    return configuration.output.device == OutputSettings.noDevice ? .clock : output.isReleased ? .closed : .missing
  }

  private func message(of id: TriggerID) -> TriggerMessage {
    let engine = pipeline.conductor.engine
    let definition = engine.definitions[id.index]
    let counters = engine.counters(of: id)
    let named = definition.sounds + [sounds.speaker.cues.sound(of: definition.name)].compactMap(\.self)
    let unplayable = named.lazy.compactMap { self.pipeline.conductor.player.sounds.problem(of: $0)?.line }.first
      .map { definition.isAlarm ? "\($0); the alarm plays another sound instead" : $0 }
    let problem = unplayable ?? sounds.speaker.outcomes[definition.name]?.problem
    var trigger = TriggerMessage(definition, counters, engine.activity(of: id), problem: problem)
    trigger.level = level(of: definition.name)
    trigger.waitsUntil = engine.waitEnd(of: id).map(Timestamp.init(of:))
    trigger.last = counters.lastPlay.map(Timestamp.init(of:))
    if let members = engine.members(of: id) {
      trigger.memberCount = members.count
      trigger.loudest = .some(engine.loudestMember(of: id).map { engine.name(of: $0) })
    }
    let last = engine.lastWatchedChange(of: id)
    trigger.lastChange = last.map { verdict($0.change, of: $0.value, id) }
    let value = last?.value ?? (definition.values.count == 1 ? definition.values.first : nil)
    trigger.content = value.flatMap(pipeline.content)
    trigger.latency = LatencyMessage(pipeline.conductor.player.latencies[definition.name] ?? LatencyRecord())
    return trigger
  }

  private func verdict(_ change: JudgedChange, of value: ValueName, _ id: TriggerID) -> VerdictMessage {
    VerdictMessage(change, of: value, reason: reason(change, of: value, id), at: Timestamp(of: change.at))
  }

  /// `explain TRIGGER`, or the value whose only trigger it is.
  func explain(_ asked: String) -> Reply {
    let engine = pipeline.conductor.engine
    guard let id = engine.trigger(named: asked) ?? onlyTrigger(of: asked) else { return noTrigger(asked) }
    let isMember = engine.rule(of: id) != id
    var reply = ExplainMessage()
    reply.name = engine.name(of: id)
    reply.value = isMember ? engine.values(of: id).first?.description : engine.definition(of: id).valueNames
    reply.verdicts = engine.watchedChanges(of: id).map { verdict($0.change, of: $0.value, id) }
    reply.sounds = engine.definition(of: id).sounds.compactMap(sounds.found).map { sound in
      var message = FoundSoundMessage()
      (message.name, message.path, message.found) = (sound.name, sound.file?.path, sound.step)
      return message
    }
    reply.said = sounds.speaker.outcomes[engine.name(of: id).ruleName].map { outcome in
      var message = SpeechMessage()
      (message.text, message.problem) = (outcome.text, outcome.problem)
      return message
    }
    reply.stopped = engine.counters(of: id).lastStop.map { StoppedMessage($0, at: Timestamp(of: $0.at)) }
    return .json(reply.json)
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
    guard let trigger, trigger.when == .stale, ![.notStale, .appeared, .asBefore].contains(verdict) else {
      return trigger?.reason(for: change) ?? verdict.description
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
