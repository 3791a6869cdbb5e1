import SoundTrigger

/// One trigger, decided as plainly as can be: a second opinion on the engine, with which it shares the definitions
/// alone.
///
/// Times are nanoseconds.
struct NaiveTrigger {
  struct Queued {
    var new: Value?
    var record: NaiveRecords.Entry
  }

  let definition: TriggerDefinition
  let values: [Int]
  let cancel: Int?
  /// Its place among the triggers.
  var place = 0
  var watches: [NaiveWatch]
  var records = NaiveRecords()
  var counters = NaiveCounters()
  var running = 0
  var queue: [Queued] = []
  var loop: NaiveLoop?
  /// The throttle's.
  var lastPlay: Int64?
  private var cyclePosition = 0

  private let debounce: Int64?
  private let delay: Int64?
  private let throttle: Int64?
  private let fresh: Int64

  init(_ definition: TriggerDefinition, place: (ValueName) -> Int, isEvent: (Int) -> Bool) {
    self.definition = definition
    values = definition.values.map(place)
    cancel = definition.cancel.map(place)
    watches = values.map { NaiveWatch(value: $0, isEvent: isEvent($0), threshold: definition.threshold) }
    debounce = definition.debounce?.nanoseconds
    delay = definition.delay?.nanoseconds
    throttle = definition.throttle?.nanoseconds
    fresh = definition.fresh.nanoseconds
  }

  // MARK: What comes from the value

  /// A change or an appearance of a watched value.
  mutating func receive(_ change: Change, watch: Int, at now: Int64, _ stage: inout NaiveStage) {
    if change.isAppearance {
      forget(watch)
      if let verdict = silence(of: change) {
        watches[watch].begin(definition, at: change.new)
        note(records.append(at: now, old: change.old, new: change.new, verdict, watch: watch), verdict)
        return endLoopIfOver(at: now, &stage)
      }
    } else {
      counters.changes += 1
    }
    guard let debounce else {
      let record = records.append(at: now, old: change.old, new: change.new, .appeared, watch: watch)
      return judge(
        watch, old: change.old, new: change.new, isAppearance: change.isAppearance, record, at: now, late: 0, &stage)
    }
    if let burst = watches[watch].burst { records.amend(burst.record, .superseded) }
    let verdict = Verdict.waiting(for: .nanoseconds(debounce))
    var record = records.append(at: now, old: change.old, new: change.new, verdict, watch: watch)
    counters.lastVerdict = verdict
    let isEvent = watches[watch].isEvent
    let begun = watches[watch].burst
    // If it is pushed out before the burst is judged, the burst takes its place.
    record.change.old = NaiveRecords.cut(begun?.old ?? change.old)
    watches[watch].burst = NaiveWatch.Burst(
      old: begun?.old ?? change.old, new: change.new, isAppearance: begun?.isAppearance ?? change.isAppearance,
      isEvent: isEvent, deadline: now + debounce, record: record)
  }

  /// The value was not updated in time.
  mutating func becameStale(watch: Int, last: Value?, at now: Int64, _ stage: inout NaiveStage) {
    let shown = last ?? .text([])
    let record = records.append(at: now, old: shown, new: shown, .notStale, watch: watch)
    if let obstacle = watches[watch].staleObstacle(definition, last: last) {
      note(record, obstacle)
    } else {
      fire(watch, new: last, record, at: now, late: 0, &stage)
    }
    endLoopIfOver(at: now, &stage)
  }

  /// The value was updated again.
  mutating func reported(watch: Int, at now: Int64, _ stage: inout NaiveStage) {
    watches[watch].holds = false
    callOffWait(watch)
    endLoopIfOver(at: now, &stage)
  }

  /// Why an appearance is not judged, or `nil` if it is.
  private func silence(of appearance: Change) -> Verdict? {
    switch definition.initial {
    case .no: .appeared
    case .yes: nil
    case .ifChanged: appearance.differsFromLastRun ? nil : .asBefore
    }
  }

  /// What waited belongs to a value that there no longer is.
  private mutating func forget(_ watch: Int) {
    if let burst = watches[watch].burst { note(burst.record, .superseded) }
    watches[watch].burst = nil
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
    _ watch: Int, old: Value, new: Value, isAppearance: Bool, _ record: NaiveRecords.Entry, at now: Int64,
    late: Int64, _ stage: inout NaiveStage
  ) {
    let obstacle = watches[watch].obstacle(definition, old: old, new: new, isAppearance: isAppearance)
    if !watches[watch].holds { callOffWait(watch) }
    if let obstacle {
      note(record, obstacle)
    } else if watches[watch].wait != nil {
      note(record, .alreadyDelayed)
    } else {
      fire(watch, new: new, record, at: now, late: late, &stage)
    }
    endLoopIfOver(at: now, &stage)
  }

  private mutating func fire(
    _ watch: Int, new: Value?, _ record: NaiveRecords.Entry, at now: Int64, late: Int64, _ stage: inout NaiveStage
  ) {
    guard !sounds(for: new).isEmpty else { return note(record, .noSound) }
    guard let delay else { return playTime(watch, new: new, record, at: now, late: late, &stage) }
    let verdict = Verdict.delayed(for: .nanoseconds(delay))
    note(record, verdict)
    watches[watch].wait = NaiveWatch.Wait(new: new, deadline: now + delay, record: record)
  }

  private mutating func playTime(
    _ watch: Int, new: Value?, _ record: NaiveRecords.Entry, at now: Int64, late: Int64, _ stage: inout NaiveStage
  ) {
    if late > fresh {
      counters.dropped += 1
      return note(record, .late(by: .nanoseconds(late)))
    }
    if loop != nil {
      watches[watch].firedInLoop = true
      return note(record, .alreadyLooping)
    }
    if let throttle, let lastPlay, now - lastPlay < throttle {
      return note(record, .throttled(for: .nanoseconds(lastPlay + throttle - now)))
    }
    if definition.loop != nil {
      beginLoop(watch, new: new, record, at: now)
      return soundLoop(at: now, &stage)
    }
    note(record, playOnce(new, record, at: now, &stage))
  }

  private mutating func playOnce(
    _ new: Value?, _ record: NaiveRecords.Entry, at now: Int64, _ stage: inout NaiveStage
  ) -> Verdict {
    guard isAdmitted(stage) else { return .profile(stage.profile) }
    if running > 0 {
      switch definition.overlap {
      case .mix: break
      case .restart: stage.stop(trigger: place, at: now)
      case .ignore: return .stillSounding
      case .queue:
        guard queue.count < 16 else { return .queueFull }
        queue.append(Queued(new: new, record: record))
        lastPlay = now
        return .queued(place: queue.count)
      }
    }
    let answer = perform(new, loops: false, at: now, &stage)
    if answer == .played || answer == .muted { lastPlay = now }
    return answer
  }

  // MARK: Playing

  func isAdmitted(_ stage: NaiveStage) -> Bool {
    switch definition.settings.importance {
    case .low, .normal: stage.profile == .full
    case .high: stage.profile != .silent
    case .critical: true
    }
  }

  /// Picks a sound and plays it.
  mutating func perform(_ new: Value?, loops: Bool, at now: Int64, _ stage: inout NaiveStage) -> Verdict {
    let sounds = sounds(for: new)
    let answer = stage.play(trigger: place, sounds: sounds, loops: loops, at: now)
    guard answer == .played || answer == .muted else { return answer }
    running += 1
    cyclePosition += 1
    counters.played += 1
    counters.lastPlay = now
    return answer
  }

  /// All sounds of which any is right; empty: the value is silent.
  private func sounds(for value: Value?) -> [String] {
    switch definition.sound {
    case .sound(let name): return [name]
    case .list(let names, .random): return names
    case .list(let names, .cycle): return [names[cyclePosition % names.count]]
    case .table(let names, let otherwise):
      if let value, let name = names[value] { return [name] }
      return otherwise.map { [$0] } ?? []
    }
  }

  mutating func note(_ record: NaiveRecords.Entry, _ verdict: Verdict) {
    records.conclude(record, verdict)
    counters.lastVerdict = verdict
  }

  /// A sound of this trigger has ended.
  mutating func soundEnded(at now: Int64, _ stage: inout NaiveStage) {
    guard running > 0 else { return }
    running -= 1
    if running == 0 { loopFellSilent(at: now, &stage) }
    while running == 0, !queue.isEmpty {
      let next = queue.removeFirst()
      note(
        next.record,
        isAdmitted(stage) ? perform(next.new, loops: false, at: now, &stage) : .profile(stage.profile))
    }
  }

  /// By `cancel` or by hand.
  mutating func callOff(at now: Int64, _ stage: inout NaiveStage) {
    for index in watches.indices {
      if let burst = watches[index].burst {
        note(burst.record, .cancelled)
        // What was called off has happened: a threshold that it crossed must arm again.
        _ = watches[index].obstacle(
          definition, old: burst.old, new: burst.new, isAppearance: burst.isAppearance)
      }
      if let wait = watches[index].wait { note(wait.record, .cancelled) }
      watches[index].burst = nil
      watches[index].wait = nil
    }
    emptyQueue(.cancelled)
    endLoop()
    stop(at: now, &stage)
  }

  mutating func profileChanged(from old: Profile, at now: Int64, _ stage: inout NaiveStage) {
    if isAdmitted(stage) {
      if !old.admits(definition.settings.importance) { loopIsAdmitted(at: now, &stage) }
    } else {
      emptyQueue(.profile(stage.profile))
      silenceLoop()
      stop(at: now, &stage)
    }
  }

  /// What was played less than `fresh` ago may still be heard.
  mutating func noteUnheard(at now: Int64) {
    counters.dropped += 1
    if counters.played > 0 { counters.played -= 1 }
    guard let record = records.lastPlayed(until: now - fresh) else { return }
    records.amend(record, .noDevice)
    if record.number == records.entries.last?.number { counters.lastVerdict = .noDevice }
  }

  private mutating func emptyQueue(_ verdict: Verdict) {
    for queued in queue { note(queued.record, verdict) }
    queue.removeAll()
  }

  mutating func stop(at now: Int64, _ stage: inout NaiveStage) {
    if running > 0 { stage.stop(trigger: place, at: now) }
  }

  var state: TriggerActivity.State {
    if loop != nil { return .looping }
    if running > 0 { return .sounding }
    return watches.contains { $0.burst != nil || $0.wait != nil } ? .waiting : .resting
  }

  // MARK: Time

  /// The earliest time at which something is due.
  var deadline: Int64? {
    var earliest = loop?.deadline ?? .max
    for watch in watches {
      if let burst = watch.burst { earliest = min(earliest, burst.deadline) }
      if let wait = watch.wait { earliest = min(earliest, wait.deadline) }
    }
    return earliest == .max ? nil : earliest
  }

  /// Does one thing that is due at a time; `now` is the time at which it is done.
  mutating func carryOut(due: Int64, now: Int64, _ stage: inout NaiveStage) {
    // A loop is a state and never too late: what the time for it has passed of, begins now.
    let isLateLoop = definition.loop != nil && now - due > fresh
    for index in watches.indices {
      if let wait = watches[index].wait, wait.deadline == due {
        if isLateLoop {
          watches[index].wait?.deadline = now
          return
        }
        watches[index].wait = nil
        return playTime(index, new: wait.new, wait.record, at: due, late: now - due, &stage)
      }
      if let burst = watches[index].burst, burst.deadline == due {
        if isLateLoop, delay == nil {
          watches[index].burst?.deadline = now
          return
        }
        watches[index].burst = nil
        if burst.old == burst.new, !burst.isAppearance, !burst.isEvent { return note(burst.record, .returned) }
        return judge(
          index, old: burst.old, new: burst.new, isAppearance: burst.isAppearance, burst.record, at: due,
          late: now - due, &stage)
      }
    }
    if loop?.end == due {
      endLoop()
      return stop(at: due, &stage)
    }
    if isLateLoop {
      loop?.next = now
    } else {
      loopDue(at: due, &stage)
    }
  }
}
