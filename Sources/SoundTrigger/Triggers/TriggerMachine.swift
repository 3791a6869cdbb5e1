/// Decides about one trigger: changes of its values and the ends of its waits go in, what is to be played comes out.
///
/// What it waits for belongs to each of its values (`WatchState`); what it plays, and how often, belongs to all of them
/// together. Of a play it asks `perform` at once what became of it, for the verdict decides about what follows.
struct TriggerMachine: Sendable {
  /// A play that waits until the trigger's sounds have ended.
  struct QueuedPlay: Sendable {
    var change: PendingChange
    var choice: SoundTable.Choice
  }

  private(set) var id: TriggerID
  private let initial: TriggerDefinition.Initial
  /// Whether it is staleness that plays, and no change.
  let isStale: Bool
  private let debounce: Interval?
  let delay: Interval?
  let throttle: Interval?
  /// In nanoseconds.
  let fresh: Int64
  let overlap: TriggerDefinition.Overlap
  /// Whether it sounds while its condition lasts.
  let loops: Bool
  let loopInterval: Interval?
  let loopLimit: Interval?
  let settings: PlaySettings
  private(set) var sounds: SoundTable

  var watches: [WatchState]
  var counters = TriggerCounters()
  var log = ChangeLog()
  /// When `throttle` last counted a play: when it was decided on, even if it then had to wait for its turn.
  var lastPlay: Instant?
  /// How many of its sounds run, those that fade out among them.
  var running = 0
  /// How many of these were told to stop.
  var stopping = 0
  /// What waits for its turn.
  var queue: [QueuedPlay] = []
  /// How many plays of a list there have been.
  var listPosition = 0
  /// `nil`: its condition does not last, or it has been called off since it began.
  var loop: LoopState?

  /// A machine at rest.
  ///
  /// `isEvent`: for each value whether every arrival is a change, even an equal one.
  init(_ definition: TriggerDefinition, id: TriggerID, isEvent: [Bool], sound: (String) -> SoundID) {
    self.id = id
    initial = definition.initial
    isStale = definition.when == .stale
    debounce = Interval(definition.debounce)
    delay = Interval(definition.delay)
    throttle = Interval(definition.throttle)
    fresh = definition.fresh.nanoseconds
    overlap = definition.overlap
    loops = definition.loop != nil
    loopInterval = Interval(definition.loop?.every)
    loopLimit = Interval(definition.loop?.limit)
    settings = definition.settings
    sounds = SoundTable(definition.sound, sound)
    let condition = TriggerCondition(definition)
    watches = isEvent.map { WatchState(condition, isEvent: $0) }
  }

  var activity: TriggerActivity {
    let state: TriggerActivity.State =
      if loop != nil {
        .looping
      } else if running > 0 {
        .sounding
      } else {
        watches.contains(where: \.isWaiting) ? .waiting : .resting
      }
    return TriggerActivity(state: state, queued: queue.count)
  }

  /// The machine in the place of another one of the same definition, with all that it remembers.
  func moved(to other: TriggerMachine) -> TriggerMachine {
    var machine = self
    machine.id = other.id
    machine.sounds = other.sounds
    for watch in watches.indices { machine.watches[watch].isEvent = other.watches[watch].isEvent }
    return machine
  }

  /// Takes in a change or an appearance of a value.
  mutating func receive(
    _ change: Change, watch: Int, at now: Instant, _ shared: inout Circumstances,
    _ perform: (TriggerAction) -> Verdict
  ) {
    let isAppearance = change.isAppearance
    if isAppearance {
      guard begin(change, watch: watch, at: now, perform) else { return }
    } else {
      counters.changes += 1
    }
    guard let debounce else {
      let pending = PendingChange(at: now, watch: watch, old: change.old, new: change.new)
      return judge(pending, isAppearance: isAppearance, watch: watch, at: now, &shared, perform)
    }
    var pending = PendingChange(at: now, watch: watch, old: change.old, new: change.new)
    // Only an event brings its old value once more without appearing.
    let isEvent = watches[watch].isEvent || (!isAppearance && pending.old == pending.new)
    let verdict = Verdict.waiting(for: debounce.duration)
    let deadline = debounce.end(from: now)
    if let burst = watches[watch].burst {
      conclude(burst.change, .superseded)
      postpone(&pending, verdict)
      pending.old = burst.change.old
      watches[watch].burst?.change = pending
      watches[watch].burst?.isEvent = burst.isEvent || isEvent
      watches[watch].burst?.deadline = deadline
    } else {
      postpone(&pending, verdict)
      watches[watch].burst = WatchState.Burst(
        change: pending, isAppearance: isAppearance, isEvent: isEvent, deadline: deadline)
    }
  }

  /// Begins anew with a value's first content; tells whether that is to be judged like a change.
  private mutating func begin(
    _ change: Change, watch: Int, at now: Instant, _ perform: (TriggerAction) -> Verdict
  ) -> Bool {
    if let burst = watches[watch].burst { conclude(burst.change, .superseded) }
    watches[watch].burst = nil
    callOffDelay(watch)
    if initial == .yes || (initial == .ifChanged && change.differsFromLastRun) { return true }
    watches[watch].condition.begin(at: change.new)
    if watches[watch].keepsLoop, !watches[watch].condition.holds(change.new) { leaveLoop(watch, at: now, perform) }
    let pending = PendingChange(at: now, watch: watch, old: change.old, new: change.new)
    conclude(pending, initial == .no ? .appeared : .asBefore)
    return false
  }

  /// Takes in that a value was not reported in time; `nil`: it never had any content.
  mutating func becomeStale(
    _ last: Value?, watch: Int, at now: Instant, _ shared: inout Circumstances, _ perform: (TriggerAction) -> Verdict
  ) {
    let content = last ?? .text([])
    let pending = PendingChange(at: now, watch: watch, old: content, new: content)
    let judgement = watches[watch].condition.judgeStale(last: last)
    follow(judgement, pending, hasContent: last != nil, watch: watch, at: now, &shared, perform)
  }

  /// Has a value's conditions begin at a content that it came to without a change; `nil`: it has none.
  mutating func beginAnew(at content: Value?, watch: Int, at now: Instant, _ perform: (TriggerAction) -> Verdict) {
    if let content {
      watches[watch].condition.begin(at: content)
      if watches[watch].condition.holds(content) { return }
    }
    conditionEnded(watch: watch, at: now, perform)
  }

  /// Ends what lasts only while a value's conditions hold.
  mutating func conditionEnded(watch: Int, at now: Instant, _ perform: (TriggerAction) -> Verdict) {
    callOffDelay(watch)
    if watches[watch].keepsLoop { leaveLoop(watch, at: now, perform) }
  }

  /// Does what a value's earliest deadline asks for.
  ///
  /// At one instant the delay comes first: what a burst does then is no earlier than its end.
  mutating func deadlinePassed(
    watch: Int, at now: Instant, _ shared: inout Circumstances, _ perform: (TriggerAction) -> Verdict
  ) {
    if let delay = watches[watch].delay, delay.deadline <= now {
      watches[watch].delay = nil
      play(delay.change, delay.choice, watch: watch, at: now, &shared, perform)
    } else if let burst = watches[watch].burst, burst.deadline <= now {
      watches[watch].burst = nil
      if burst.hasReturned { return conclude(burst.change, .returned) }
      judge(burst.change, isAppearance: burst.isAppearance, watch: watch, at: now, &shared, perform)
    }
  }

  /// Calls off all that waits and ends all that sounds: somebody has taken notice.
  mutating func cancel(at now: Instant, _ perform: (TriggerAction) -> Verdict) {
    for watch in watches.indices {
      if let burst = watches[watch].burst {
        // A crossing that was called off is over as well: the threshold must arm again.
        _ = watches[watch].condition.judge(
          old: burst.change.old, new: burst.change.new, isAppearance: burst.isAppearance)
        conclude(burst.change, .cancelled)
        watches[watch].burst = nil
      }
      if let delay = watches[watch].delay { conclude(delay.change, .cancelled) }
      watches[watch].delay = nil
    }
    dropQueue(.cancelled)
    if loop != nil { endLoop(at: now, perform) } else { stop(at: now, perform) }
  }

  private mutating func judge(
    _ change: PendingChange, isAppearance: Bool, watch: Int, at now: Instant, _ shared: inout Circumstances,
    _ perform: (TriggerAction) -> Verdict
  ) {
    let judgement = watches[watch].condition.judge(old: change.old, new: change.new, isAppearance: isAppearance)
    follow(judgement, change, hasContent: true, watch: watch, at: now, &shared, perform)
  }

  /// Does what a judged change brings about. `hasContent`: whether it is its new content that chooses the sound.
  private mutating func follow(
    _ judgement: TriggerCondition.Judgement, _ change: PendingChange, hasContent: Bool, watch: Int,
    at now: Instant, _ shared: inout Circumstances, _ perform: (TriggerAction) -> Verdict
  ) {
    if !judgement.holds { conditionEnded(watch: watch, at: now, perform) }
    if let obstacle = judgement.obstacle { return conclude(change, obstacle) }
    if watches[watch].delay != nil { return conclude(change, .alreadyDelayed) }
    guard let choice = sounds[hasContent ? change.new : nil] else { return conclude(change, .noSound) }
    guard let delay else { return play(change, choice, watch: watch, at: now, &shared, perform) }
    var delayed = change
    postpone(&delayed, .delayed(for: delay.duration))
    watches[watch].delay = WatchState.Delay(change: delayed, choice: choice, deadline: delay.end(from: now))
  }

  private mutating func callOffDelay(_ watch: Int) {
    guard let delay = watches[watch].delay else { return }
    watches[watch].delay = nil
    conclude(delay.change, .calledOff)
  }

  /// Writes down what became of a change.
  mutating func conclude(_ change: PendingChange, _ verdict: Verdict) {
    counters.lastVerdict = verdict
    if let record = change.record, log.replaceVerdict(of: record, with: verdict) { return }
    _ = log.append(change, verdict)
  }

  /// Writes down what a change waits for; from then on it knows its record.
  mutating func postpone(_ change: inout PendingChange, _ verdict: Verdict) {
    counters.lastVerdict = verdict
    if let record = change.record, log.replaceVerdict(of: record, with: verdict) { return }
    change.record = log.append(change, verdict)
  }
}
