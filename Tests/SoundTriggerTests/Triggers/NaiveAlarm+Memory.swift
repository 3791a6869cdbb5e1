@testable import SoundTrigger

/// What people see of an alarm of the naive model, and how it outlives a reload and a restart.
extension NaiveTrigger {
  private var waiting: (watch: Int, record: NaiveRecords.Entry)? {
    guard let watch = watches.firstIndex(where: \.isPending) else { return nil }
    return (watches[watch].wait?.record ?? watches[watch].burst?.record).map { (watch, $0) }
  }

  func report(at now: Int64, _ stage: NaiveStage) -> AlarmReport {
    let cause = alarm.record ?? waiting?.record
    var silence = life == .normal ? nil : silence(at: now, stage)
    if silence == nil, wantsVoice { silence = .crowded }
    if silence == nil, wantsFile { silence = .broken }
    return AlarmReport(
      name: definition.name, id: occurrence.id.map { AlarmID($0) }, life: life,
      since: alarm.since.map { Instant(nanoseconds: $0) } ?? cause?.change.at,
      acknowledgedAt: alarm.acknowledgedAt.map { Instant(nanoseconds: $0) },
      snoozedUntil: alarm.snoozedUntil.map { Instant(nanoseconds: $0) }, silence: silence,
      value: cause.map { definition.values[$0.change.watch] }, importance: settings.importance,
      volume: settings.volume, isHeard: alarm.wasAudible)
  }

  // MARK: A restart

  var saved: AlarmRecord? {
    if definition.loop == nil || life == .normal && alarm.snoozedUntil == nil { return nil }
    var saved = AlarmRecord()
    let report = report(at: 0, NaiveStage())
    saved.id = report.id
    (saved.life, saved.since, saved.acknowledgedAt) = (
      life, alarm.since.map { Instant(nanoseconds: $0) }, report.acknowledgedAt
    )
    (saved.snoozedUntil, saved.isHeard, saved.repetitions) = (report.snoozedUntil, alarm.wasHeard, alarm.repetitions)
    var cause = alarm.record
    if alarm.life == .pending { saved.pendingUntil = alarm.beginsAt.map { Instant(nanoseconds: $0) } }
    saved.offUntil = alarm.overAt.map { Instant(nanoseconds: $0) }
    if life == .pending {
      if alarm.life == .normal, let waiting { cause = waiting.record }
      saved.since = cause?.change.at
    }
    // The value that began it comes first. During `off_delay` none meets the condition, but it has not ended.
    let first = cause?.change.watch
    for index in watches.indices {
      let name = definition.values[index]
      if watches[index].keepsAlarm || index == first && alarm.overAt != nil {
        saved.values.insert(name, at: index == first ? 0 : saved.values.count)
      }
      if watches[index].isPending, !watches[index].keepsAlarm {
        let burst = watches[index].burst.map { $0.deadline + (definition.timing.delay?.nanoseconds ?? 0) }
        let end = Instant(nanoseconds: watches[index].wait?.deadline ?? burst ?? 0)
        saved.waits.append(.init(value: name, end: end, content: Self.small(watches[index].content)))
      }
    }
    saved.content = cause.flatMap { Self.small($0.full.new) }
    if case .table = definition.sound, alarm.record != nil { saved.sound = usualSounds.first }
    return saved
  }

  private static func small(_ content: Value?) -> Value? {
    switch content {
    case .number, .bool: content
    case .text(let bytes): bytes.count <= 256 ? content : nil
    default: nil
    }
  }

  mutating func restore(_ saved: AlarmRecord, at now: Int64) {
    if definition.loop == nil { return }
    alarm.snoozedUntil = saved.snoozedUntil.map(\.nanoseconds).flatMap { $0 > now ? $0 : nil }
    let met = saved.values.compactMap { definition.values.firstIndex(of: $0) }
    let waiting = saved.waits.compactMap { wait in definition.values.firstIndex(of: wait.value).map { ($0, wait) } }
    if saved.life == .normal || met.isEmpty && waiting.isEmpty && saved.life != .latched { return }
    if let id = saved.id { occurrence = (id.rawValue, saved.life) }
    let since = saved.since?.nanoseconds ?? now
    for watch in met {
      watches[watch].awaitsContent = true
      watches[watch].keepsAlarm = saved.offUntil == nil
    }
    for (watch, wait) in waiting {
      watches[watch].awaitsContent = true
      watches[watch].content = wait.content
      let record = NaiveRecords.Entry(at: since, old: nil, new: wait.content, watch: watch)
      watches[watch].wait = NaiveWatch.Wait(deadline: wait.end.nanoseconds, record: record)
    }
    if saved.life == .pending, saved.pendingUntil == nil, !waiting.isEmpty { return }
    let pendingUntil = saved.pendingUntil?.nanoseconds ?? now
    let first = met.first ?? waiting.first?.0 ?? 0
    alarm.record = NaiveRecords.Entry(at: since, old: nil, new: saved.content, watch: first)
    (alarm.wasHeard, alarm.repetitions) = (saved.isHeard, saved.repetitions)
    alarm.overAt = saved.offUntil?.nanoseconds
    (alarm.life, alarm.content) = (saved.life, saved.content)
    alarm.knowsSound = !sounds(for: saved.content).isEmpty
    if case .table = definition.sound, saved.content == nil { alarm.knowsSound = false }
    if case .table(let table, let otherwise) = definition.sound, let sound = saved.sound {
      // Any content that has this sound, as if it had chosen it; if the table has none, one that it does not know.
      let content = table.first { $0.value == sound }?.key ?? (otherwise == sound ? .text([0]) : nil)
      if let content { (alarm.content, alarm.knowsSound) = (content, true) }
    }
    if saved.life == .pending {
      alarm.beginsAt = pendingUntil
      return
    }
    alarm.since = since
    if saved.life == .acknowledged {
      alarm.acknowledgedAt = saved.acknowledgedAt?.nanoseconds ?? now
      return
    }
    alarm.repeatsAt = pause.map { now + $0 }
    alarm.sound = .isSilenced
    passSteps(until: now)
  }

  private mutating func passSteps(until now: Int64) {
    while let step = nextStep, step <= now { alarm.steps += 1 }
  }

  /// The first content of a value that met the condition when the alarm was saved: it decides.
  mutating func savedValueAppears(
    _ watch: Int, _ content: Value, _ record: NaiveRecords.Entry, at now: Int64, _ stage: inout NaiveStage
  ) {
    watches[watch].awaitsContent = false
    if watches[watch].keepsAlarm || watches[watch].wait != nil {
      watches[watch].resume(definition, at: content)
    } else {
      watches[watch].begin(definition, at: content)
    }
    if !watches[watch].holds || sounds(for: content).isEmpty {
      conditionEnds(watch)
      note(record, .appeared)
    } else if watches[watch].wait != nil {
      note(record, .alreadyDelayed)
    } else if continueCondition(watch, content, record, at: now, &stage) {
      return
    } else if alarm.life == .latched {
      meetCondition(watch, content, record, at: now, &stage)
    } else {
      note(record, unchangedVerdict(at: now))
    }
  }

  // MARK: A reload

  /// The value is read in another way. An alarm that it keeps stays as it is until there is content.
  mutating func awaitContent(_ watch: Int) {
    let keeps = definition.loop != nil && (watches[watch].keepsAlarm || watches[watch].isPending)
    if !keeps, !watches[watch].awaitsContent { return unset(watch) }
    watches[watch].awaitsContent = true
    guard let burst = watches[watch].burst else { return }
    watches[watch].burst = nil
    if !burst.wouldBegin || watches[watch].wait != nil {
      note(burst.record, .calledOff)
      return
    }
    watches[watch].content = burst.new
    watches[watch].wait = NaiveWatch.Wait(
      deadline: burst.deadline + (definition.timing.delay?.nanoseconds ?? 0), record: burst.record)
  }

  /// Continues the alarm of the trigger whose place this one takes, with these contents. Returns false if there is nothing to
  /// continue.
  mutating func continueAlarm(
    of old: NaiveTrigger, _ present: [Value?], at now: Int64, _ stage: inout NaiveStage
  ) -> Bool {
    if definition.loop == nil || old.definition.loop == nil { return false }
    alarm.snoozedUntil = old.alarm.snoozedUntil
    let before = old.life
    if before == .normal { return false }
    occurrence = old.occurrence
    for (watch, content) in present.enumerated() {
      let earlier = old.values.firstIndex(of: values[watch]).map { old.watches[$0] }
      let didMeet = earlier.map { $0.keepsAlarm || $0.awaitsContent || $0.isPending } ?? false
      watches[watch].content = content
      if definition.when == .stale {
        let wasStale = didMeet && old.definition.when == .stale
        watches[watch].keepsAlarm =
          wasStale && watches[watch].staleObstacle(definition, last: content) == nil && !sounds(for: content).isEmpty
      } else if let content {
        if didMeet {
          watches[watch].resume(definition, at: content)
        } else {
          watches[watch].begin(definition, at: content)
        }
        watches[watch].keepsAlarm = watches[watch].holds && !sounds(for: content).isEmpty
      } else {
        watches[watch].keepsAlarm = didMeet
      }
      if content == nil, didMeet { watches[watch].awaitsContent = earlier?.awaitsContent ?? false }
    }
    var old = old
    for index in old.watches.indices { old.forget(index) }
    takeOver(old)
    stop(at: now, by: .configuration, &stage)
    let met = watches.indices.filter { watches[$0].keepsAlarm }
    if before == .pending {
      for watch in met { waitAnew(watch, present[watch], at: now, &stage) }
      return true
    }
    if met.isEmpty, before == .acknowledged || before == .active && definition.loop?.latch == false {
      noteStop(at: now, by: .configuration)
      return true
    }
    alarm = old.alarm
    alarm.overAt = nil
    if before != .acknowledged { alarm.life = met.isEmpty ? .latched : .active }
    alarm.steps = 0
    passSteps(until: now)
    let beginner = alarm.record.map { old.definition.values[$0.change.watch] }
    alarm.record?.change.watch = definition.values.firstIndex { $0 == beginner } ?? met.first ?? 0
    if values != old.values { alarm.record?.number = nil }
    let content = met.first.flatMap { present[$0] }
    if content != nil || alarm.knowsSound {
      alarm.content = content ?? alarm.record?.full.new
      alarm.knowsSound = !sounds(for: alarm.content).isEmpty
    }
    if alarm.life == .acknowledged { return true }
    alarm.repeatsAt = pause.map { now + $0 }
    soundAlarm(at: now, &stage)
    return true
  }

  /// A pending alarm waits anew.
  private mutating func waitAnew(_ watch: Int, _ content: Value?, at now: Int64, _ stage: inout NaiveStage) {
    watches[watch].keepsAlarm = false
    let record = NaiveRecords.Entry(at: now, old: content, new: content, watch: watch)
    if soundsOfUnknown(content).isEmpty { return }
    guard let wait = definition.timing.delay ?? definition.timing.debounce else {
      return meetCondition(watch, content, record, at: now, &stage)
    }
    watches[watch].wait = NaiveWatch.Wait(
      deadline: now + wait.nanoseconds, record: note(record, .delayed(for: wait)))
  }
}
