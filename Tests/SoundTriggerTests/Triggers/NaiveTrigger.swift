@testable import SoundTrigger

/// One trigger, decided as plainly as can be: a second opinion on the engine, with which it shares the definitions
/// alone.
///
/// Times are nanoseconds.
struct NaiveTrigger {
  struct Running {
    var id: Int
    var isStopped = false
  }

  struct Queued {
    /// Its place in `starts`.
    var start: Int
    var new: Value?
    var record: NaiveRecords.Entry
  }

  let definition: TriggerDefinition
  let values: [Int]
  let cancel: Int?
  let gates: [Int]
  var watches: [NaiveWatch]
  var records = NaiveRecords()
  var counters = NaiveCounters()
  /// The plays that began and have not ended.
  var plays: [Running] = []
  var queue: [Queued] = []
  var alarm = NaiveAlarm()
  /// The number of the alarm's present occurrence, and the life for which it was found.
  var occurrence: (id: Int64?, life: AlarmLife) = (nil, .normal)
  /// The last value that met the condition of the alarm and ceased to.
  var conditionEnder = 0
  /// When the plays were decided that the throttle counts: by their numbers, those in the queue by numbers below 0, the
  /// one of the last run by 0.
  var starts: [Int: Int64] = [:]
  /// The play of which the last verdict says that it is starting.
  var lastStarting: Int?
  private var queuedBefore = 0
  var cyclePosition = 0

  private let debounce: Int64?
  private let delay: Int64?
  let throttle: Int64?
  private let fresh: Int64

  init(_ definition: TriggerDefinition, place: (ValueName) -> Int, isEvent: (Int) -> Bool) {
    self.definition = definition
    values = definition.values.map(place)
    cancel = definition.cancel.map(place)
    gates = definition.unless.map(place)
    watches = values.map { NaiveWatch(value: $0, isEvent: isEvent($0), threshold: definition.threshold) }
    debounce = definition.timing.debounce?.nanoseconds
    delay = definition.timing.delay?.nanoseconds
    throttle = definition.timing.throttle?.nanoseconds
    fresh = definition.timing.fresh.nanoseconds
  }

  /// Begins with what another trigger has played and recorded.
  mutating func takeOver(_ old: NaiveTrigger) {
    (counters, plays, starts, lastStarting) = (old.counters, old.plays, old.starts, old.lastStarting)
    if values == old.values { records = old.records }
  }

  // MARK: What comes from the value

  /// A change or an appearance of a watched value.
  mutating func receive(_ change: Change, watch: Int, at now: Int64, _ stage: inout NaiveStage) {
    var (old, isAppearance) = (change.old, change.isAppearance)
    let saved = definition.initial == .ifChanged && !watches[watch].awaitsContent ? change.saved : nil
    if let saved { (old, isAppearance) = (before(saved, watch), false) }
    var record = NaiveRecords.Entry(at: now, old: old, new: change.new, watch: watch)
    watches[watch].content = change.new
    if watches[watch].awaitsContent {
      if !change.isAppearance { counters.changes += 1 }
      return savedValueAppears(watch, change.new, record, at: now, &stage)
    }
    if change.isAppearance {
      forget(watch)
      if let verdict = silence(of: change, watch) {
        begin(watch, at: change.new)
        note(record, verdict)
        return
      }
    } else {
      counters.changes += 1
    }
    guard let debounce else {
      return judge(
        watch, old: old, new: change.new, isAppearance: isAppearance, record, at: now, late: 0, &stage)
    }
    let begun = watches[watch].burst
    if let begun { note(begun.record, .superseded) }
    record = note(record, .waiting(for: .nanoseconds(debounce)))
    // The burst is judged, and recorded anew if the record is forgotten, with the old value of its beginning.
    if let begun { (record.change.old, record.full.old) = (begun.record.change.old, begun.record.full.old) }
    watches[watch].burst = NaiveWatch.Burst(
      old: begun == nil ? old : begun?.old, new: change.new,
      isAppearance: begun?.isAppearance ?? isAppearance, isEvent: watches[watch].isEvent,
      deadline: now + debounce, record: record, saved: begun == nil ? saved : begun?.saved)
    guard definition.loop != nil, let burst = watches[watch].burst, !burst.hasReturned else { return }
    var copy = watches[watch]
    let obstacle = copy.obstacle(definition, old: burst.old, new: change.new, isAppearance: burst.isAppearance)
    let wouldBegin = obstacle == nil && !sounds(for: change.new).isEmpty
    watches[watch].burst?.wouldBegin = wouldBegin
  }

  /// What a value held in the last run, as far as a condition can ask for it.
  private func before(_ saved: SavedContent, _ watch: Int) -> Value? {
    if let number = saved.number { return .number(number) }
    for candidate in definition.from {
      let kind = candidate.kind(isEvent: watches[watch].isEvent)
      if SavedContent(candidate, as: kind).digest == saved.digest { return candidate }
    }
    return nil
  }

  /// The value was not updated in time.
  mutating func becameStale(watch: Int, last: Value?, at now: Int64, _ stage: inout NaiveStage) {
    watches[watch].content = last
    let record = NaiveRecords.Entry(at: now, old: last, new: last, watch: watch)
    let obstacle = watches[watch].staleObstacle(definition, last: last)
    react(watch, new: last, obstacle, record, at: now, late: 0, &stage)
  }

  /// What lasted while the condition held does so no more.
  mutating func conditionEnds(_ watch: Int) {
    watches[watch].holds = false
    callOffWait(watch)
    cease(watch)
  }

  private mutating func begin(_ watch: Int, at content: Value) {
    watches[watch].begin(definition, at: content)
    if definition.loop != nil, sounds(for: content).isEmpty { watches[watch].holds = false }
    if !watches[watch].holds {
      conditionEnds(watch)
    } else if definition.loop != nil, !watches[watch].isEvent {
      // One that began inside keeps an alarm that another one began.
      watches[watch].keepsAlarm = true
    }
  }

  /// Why an appearance is not judged, or `nil` if it is.
  private func silence(of appearance: Change, _ watch: Int) -> Verdict? {
    switch definition.initial {
    case .no: .appeared
    case .yes: definition.loop != nil && watches[watch].isEvent ? .appeared : nil
    case .ifChanged: appearance.differsFromLastRun ? nil : .asBefore
    }
  }

  /// The value was forgotten.
  mutating func unset(_ watch: Int) {
    if let burst = watches[watch].burst { note(burst.record, .calledOff) }
    (watches[watch].burst, watches[watch].owed) = (nil, nil)
    watches[watch].content = nil
    watches[watch].awaitsContent = false
    conditionEnds(watch)
  }

  /// What waited belongs to a value that there no longer is.
  mutating func forget(_ watch: Int) {
    if let burst = watches[watch].burst { note(burst.record, .superseded) }
    (watches[watch].burst, watches[watch].owed) = (nil, nil)
    callOffWait(watch)
  }

  private mutating func callOffWait(_ watch: Int) {
    guard let wait = watches[watch].wait else { return }
    watches[watch].wait = nil
    note(wait.record, .calledOff)
  }

  // MARK: Judging

  /// `late`: how long after its time a burst is judged, whose time is `now`.
  private mutating func judge(
    _ watch: Int, old: Value?, new: Value, isAppearance: Bool, _ record: NaiveRecords.Entry, at now: Int64,
    late: Int64, _ stage: inout NaiveStage
  ) {
    let wasBeyond = watches[watch].isBeyond
    var obstacle = watches[watch].obstacle(definition, old: old, new: new, isAppearance: isAppearance)
    if definition.loop != nil, sounds(for: new).isEmpty { watches[watch].holds = false }
    if watches[watch].owed != nil {
      if obstacle == nil || !watches[watch].holds || sounds(for: new).isEmpty {
        watches[watch].owed = nil
      } else if watches[watch].isBeyond {
        if gate(stage) != nil {
          playTime(watch, new: new, record, at: now, late: 0, owing: true, &stage)
          return
        }
        watches[watch].owed = nil
        if obstacle == .notArmed, wasBeyond { return playTime(watch, new: new, record, at: now, late: late, &stage) }
        if obstacle == .notArmed { obstacle = nil }
      }
    }
    react(watch, new: new, obstacle, record, at: now, late: late, &stage)
  }

  private mutating func react(
    _ watch: Int, new: Value?, _ obstacle: Verdict?, _ record: NaiveRecords.Entry, at now: Int64, late: Int64,
    _ stage: inout NaiveStage
  ) {
    let holds = watches[watch].holds
    if !holds { conditionEnds(watch) }
    if holds, continueCondition(watch, new, record, at: now, &stage) { return }
    if let obstacle {
      note(record, obstacle)
    } else if watches[watch].wait != nil {
      note(record, .alreadyDelayed)
    } else if sounds(for: new).isEmpty {
      note(record, .noSound)
    } else if let delay {
      let record = note(record, .delayed(for: .nanoseconds(delay)))
      // A burst may be older than the content, if that was read anew meanwhile.
      watches[watch].content = new
      watches[watch].wait = NaiveWatch.Wait(deadline: now + delay, record: record)
    } else {
      playTime(watch, new: new, record, at: now, late: late, &stage)
    }
  }

  /// `owing`: its crossing was silenced before, and is silenced now.
  mutating func playTime(
    _ watch: Int, new: Value?, _ record: NaiveRecords.Entry, at now: Int64, late: Int64, owing: Bool = false,
    _ stage: inout NaiveStage
  ) {
    if definition.loop != nil { return meetCondition(watch, new, record, at: now, &stage) }
    if owing {
      noteSilent(record, new, silentVerdict(at: now, stage) ?? .broken)
    } else if late > fresh {
      counters.dropped += 1
      note(record, .late(by: .nanoseconds(late)))
    } else if let wait = throttleWait(at: now) {
      note(record, .throttled(for: .nanoseconds(wait)))
    } else if let verdict = silentVerdict(at: now, stage) {
      noteSilent(record, new, verdict)
    } else if isSounding, definition.timing.overlap == .ignore {
      note(record, .stillSounding)
    } else if isSounding, definition.timing.overlap == .queue, queue.count == 16 {
      note(record, .queueFull)
    } else if isSounding, definition.timing.overlap == .queue {
      queuedBefore += 1
      starts[-queuedBefore] = now
      queue.append(
        Queued(start: -queuedBefore, new: new, record: note(record, .queued(position: queue.count + 1))))
    } else {
      if definition.timing.overlap == .restart { stop(at: now, by: .restart, &stage) }
      playOnce(new, record, decidedAt: now, at: now, &stage)
    }
  }

  mutating func playOnce(
    _ new: Value?, _ record: NaiveRecords.Entry, decidedAt start: Int64, at now: Int64, _ stage: inout NaiveStage
  ) {
    let play = perform(
      sounds(for: new), record, settings: definition.settings, loops: false, sparing: false, at: now, &stage)
    if let play { starts[play] = start }
    note(record, play == nil ? .broken : .starting, play: play)
  }

  // MARK: What else happens

  /// By `cancel` or by hand.
  mutating func callOff(at now: Int64, by cause: StopCause, _ stage: inout NaiveStage) {
    acknowledge(at: now, by: cause, everything: true, &stage)
    for watch in watches.indices {
      if let owed = watches[watch].owed { note(owed.record, .cancelled) }
      watches[watch].owed = nil
    }
    emptyQueue(.cancelled)
    stop(at: now, by: cause, &stage)
  }

  /// Ends what sounds and what waits for its end.
  mutating func fallSilent(at now: Int64, by cause: StopCause, _ stage: inout NaiveStage) {
    emptyQueue(.cancelled)
    if alarm.life != .normal { acknowledge(at: now, by: cause, &stage) }
    stop(at: now, by: cause, &stage)
  }

  mutating func stop(at now: Int64, by cause: StopCause, _ stage: inout NaiveStage) {
    for index in plays.indices where !plays[index].isStopped {
      plays[index].isStopped = true
      noteStop(at: now, by: cause)
      stage.decisions.append(.stop(plays[index].id, cause, at: now))
      stage.makeRoom()
    }
  }

  mutating func noteStop(at now: Int64, by cause: StopCause) {
    let value = cause == .cancel ? definition.cancel : cause == .condition ? definition.values[conditionEnder] : nil
    counters.lastStop = Stop(at: Instant(nanoseconds: now), cause: cause, value: value)
  }

  var state: TriggerActivity.State {
    if alarm.life != .normal, alarm.life != .acknowledged { return .looping }
    if !plays.isEmpty { return .sounding }
    return watches.contains { $0.burst != nil || $0.wait != nil } ? .waiting : .resting
  }

  // MARK: Time

  /// The earliest time at which something is due.
  var deadline: Int64? {
    var earliest = alarmDeadlines.min() ?? .max
    for watch in watches {
      if let burst = watch.burst { earliest = min(earliest, burst.deadline) }
      if let wait = watch.wait { earliest = min(earliest, wait.deadline) }
    }
    return earliest == .max ? nil : earliest
  }

  /// Does one thing that is due at a time; `now` is the time at which it is done.
  mutating func carryOut(at time: Int64, now: Int64, _ stage: inout NaiveStage) {
    for index in watches.indices {
      if let wait = watches[index].wait, wait.deadline <= time {
        watches[index].wait = nil
        let content = watches[index].content
        let sounds = watches[index].awaitsContent ? soundsOfUnknown(content) : sounds(for: content)
        if sounds.isEmpty {
          note(wait.record, .calledOff)
          return
        }
        return playTime(index, new: content, wait.record, at: time, late: now - time, &stage)
      }
      if let burst = watches[index].burst, burst.deadline <= time {
        watches[index].burst = nil
        if burst.hasReturned {
          note(burst.record, .returned)
          return playOwed(at: time, &stage)
        }
        return judge(
          index, old: burst.old, new: burst.new, isAppearance: burst.isAppearance, burst.record, at: time,
          late: now - time, &stage)
      }
    }
    carryOutAlarm(at: time, &stage)
  }
}
