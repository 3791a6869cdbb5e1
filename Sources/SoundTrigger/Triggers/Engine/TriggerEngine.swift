/// Runs many triggers: receives the changes of all values, in order, and decides what to play.
///
/// It reads no clock and does nothing itself. Each call appends to `decisions`; the caller performs them in order, removes
/// them, and reports what became of each play by `receive(_: PlayEvent)`. Each call that takes a time first does what was
/// due before it. Time that runs backwards counts as standing still. An update costs what the triggers on its value cost,
/// however many others there are.
package struct TriggerEngine: Sendable {
  /// The triggers of the configuration. The trigger of each has the same index; behind them come the members of rules.
  package let definitions: [TriggerDefinition]
  var machines: [TriggerMachine]
  /// The triggers that each value concerns, by its index.
  var watchers: [Watchers] = []
  /// The index of each trigger by its name.
  let indices: [String: Int]
  var context: DecisionContext
  var deadlines: DeadlineHeap
  /// Everything that was due until this time is decided.
  var clock = Instant(nanoseconds: .min)
  /// The alarms that wait for a voice or a sound.
  var waitingAlarms = WaitingAlarms()
  /// Whether the sounds were stopped because the program ends. Alarms then take no voice that comes free.
  private(set) var isEnding = false
  /// What the user or the quiet hours chose; `context.profile` is what holds.
  var chosenProfile = Profile.full
  /// The values that restrict the profile while they are true (`quiet_while`, `silent_while`).
  var profileGates: [Int: Profile] = [:]
  /// The tasks of a transaction that are left, the next one last. Kept between calls for its memory.
  private var tasks: [Task] = []
  private var cancelled: [Int] = []
  /// The triggers that the present transaction may silence or let sound.
  var gated: [Int] = []
  /// The indices of triggers that were removed.
  var freeIndices: [Int] = []
  var rules = TriggerRules()

  /// The triggers that a value concerns, in the order of their definitions. A rule stands for its members, except in `watching`.
  struct Watchers: Sendable {
    /// Those that it cancels.
    var cancelled: [Int] = []
    /// Those that watch it, each with the value's index among theirs.
    var watching: [(trigger: Int, watch: Int)] = []
    /// Those that it silences.
    var gated: [Int] = []
    /// Whether it silences triggers, or restricts the profile.
    var isGate = false
    /// Whether it is an event. Only noted of gates: an event is never true.
    var isEvent = false
  }

  /// A change that a trigger decides about.
  private struct Task: Sendable {
    var trigger: Int
    var watch: Int
    var change: Int
  }

  /// Triggers that have seen nothing yet.
  ///
  /// - Parameters:
  ///   - definitions: The triggers. None of them has `problems(watching:)`.
  ///   - resolve: The ID of a value. Called for every value of every definition, the one that cancels included.
  ///   - isEvent: Whether every arrival of a value is a change, so that a debounced burst counts even if it ends where it
  ///     began. Called for every watched value of every definition.
  ///   - profileGates: The most that the profile may be while a value is true.
  ///   - seed: Where the random numbers of `pick = "random"` begin.
  package init(
    definitions: [TriggerDefinition], resolve: (ValueName) -> ValueID, isEvent: (ValueID) -> Bool = { _ in false },
    profileGates: [ValueName: Profile] = [:], seed: UInt64 = 0
  ) {
    self.init(
      definitions: definitions, resolve: resolve, isEvent: isEvent, profileGates: profileGates,
      context: DecisionContext(seed: seed))
  }

  init(
    definitions: [TriggerDefinition], resolve: (ValueName) -> ValueID, isEvent: (ValueID) -> Bool,
    profileGates: [ValueName: Profile], context: DecisionContext
  ) {
    self.definitions = definitions
    self.context = context
    machines = []
    deadlines = DeadlineHeap(count: definitions.count)
    indices = Dictionary(zip(definitions.map(\.name), definitions.indices), uniquingKeysWith: { first, _ in first })
    for (trigger, definition) in definitions.enumerated() {
      let shared = TriggerMachine.Shared(definition, gates: definition.unless.map { resolve($0).index })
      if definition.isRule {
        machines.append(TriggerMachine(shared, index: trigger, isEvent: []))
        rules.add(shared, at: trigger)
      } else {
        let values = definition.values.map(resolve)
        machines.append(TriggerMachine(shared, index: trigger, isEvent: values.map(isEvent)))
        for (watch, value) in values.enumerated() { addWatchers(of: value) { $0.watching.append((trigger, watch)) } }
      }
      if let cancel = definition.cancel { addWatchers(of: resolve(cancel)) { $0.cancelled.append(trigger) } }
      for value in definition.unless.map(resolve) {
        addWatchers(of: value) {
          $0.gated.append(trigger)
          ($0.isGate, $0.isEvent) = (true, isEvent(value))
        }
      }
    }
    for (name, profile) in profileGates {
      let value = resolve(name)
      self.profileGates[value.index] = profile
      addWatchers(of: value) { ($0.isGate, $0.isEvent) = (true, isEvent(value)) }
    }
  }

  mutating func addWatchers(of value: ValueID, _ add: (inout Watchers) -> Void) {
    while watchers.count <= value.index { watchers.append(Watchers()) }
    add(&watchers[value.index])
  }

  // MARK: Decisions

  /// The decisions since `removeDecisions`, in order.
  package var decisions: [Decision] { context.decisions }

  /// Empties `decisions`, and keeps its memory.
  package mutating func removeDecisions() { while !context.decisions.isEmpty { context.decisions.removeLast() } }

  /// Whether verdicts are collected for `takeVerdicts`.
  package var notesVerdicts: Bool {
    get { context.notesVerdicts }
    set { context.notesVerdicts = newValue }
  }

  /// Removes and returns the verdicts since the last call, in order.
  package mutating func takeVerdicts() -> [TriggerVerdict] {
    defer { context.verdicts = [] }
    return context.verdicts
  }

  /// A number for a play that the caller decides on, such as one by hand.
  package mutating func makePlayID() -> PlayID { context.makePlayID() }

  // MARK: Changes

  /// Receives the changes and appearances of one transaction, at most one of each value, whatever their order.
  ///
  /// First the gates and the values that cancel act, then each trigger decides about its changed values, in the order of the
  /// definitions and of the values in them. An alarm's condition ends if none of its values meets it after all of them. An
  /// appearance cancels nothing. `searches`: the rest of the transaction's search
  /// budget; `nil`: all of it.
  package mutating func receive(_ changes: [Change], at now: Instant, searches: SearchBudget? = nil) {
    advance(to: now)
    if let searches { context.searches = searches }
    let changes = changes.span
    for position in changes.indices {
      let index = changes[position].value.index
      guard index >= 0, index < watchers.count else { continue }
      if !changes[position].isAppearance, !watchers[index].cancelled.isEmpty { cancelled += watchers[index].cancelled }
      if watchers[index].isGate {
        let isTrue = changes[position].new.isTrue(isEvent: watchers[index].isEvent)
        setGate(index) { $0.isTrue = isTrue }
      }
      for watching in watchers[index].watching.indices.reversed() {
        let (trigger, watch) = watchers[index].watching[watching]
        tasks.append(Task(trigger: trigger, watch: watch, change: position))
      }
    }
    if !profileGates.isEmpty { restrictProfile() }
    if changes.count > 1 { tasks.sort { ($0.trigger, $0.watch) > ($1.trigger, $1.watch) } }
    if !cancelled.isEmpty {
      rules.expand(&cancelled)
      for trigger in cancelled { decide(trigger) { $0.cancel(at: $1, by: .cancel, &$2) } }
      cancelled.removeAll(keepingCapacity: true)
    }
    while let task = tasks.popLast() {
      machines[task.trigger].receive(changes[task.change], watch: task.watch, at: clock, &context)
      if tasks.last?.trigger != task.trigger { noteDecision(task.trigger) }
    }
    if !gated.isEmpty { silenceGated() }
    restartAlarms()
  }

  /// Does what is due until now, this instant included, in the order of time; each thing at the time when it was due.
  ///
  /// A play that was due longer ago than its trigger's `fresh` is dropped; an alarm begins now instead. This begins a transaction
  /// with a search budget of its own.
  package mutating func advance(to now: Instant) {
    context.searches = context.searchLimit
    advance(to: now, includingNow: true)
    restartAlarms()
  }

  private mutating func advance(to now: Instant, includingNow: Bool) {
    context.now = max(clock, now)
    while let deadline = nextDeadline, deadline < context.now || (includingNow && deadline == context.now) {
      guard let (due, trigger) = deadlines.first, due == deadline else {
        clock = max(clock, deadline)
        endWindows()
        continue
      }
      if !machines[trigger].rescheduleOverdueAlarm(due: deadline, to: context.now) {
        clock = max(clock, deadline)
        machines[trigger].deadlinePassed(at: clock, &context)
      }
      noteDecision(trigger)
    }
    clock = context.now
  }

  /// When `advance(to:)` has something to do, if nothing happens before; found in O(1), but for groups.
  @inline(__always)
  package var nextDeadline: Instant? {
    let earliest = deadlines.first?.deadline
    if context.groups.isEmpty { return earliest }
    return context.groups.values.reduce(earliest) { Instant.earlier($0, $1.end) }
  }

  /// Receives that a value was not reported for as long as its `expect_every`. `last`: its content, if it has any.
  package mutating func becameStale(_ value: ValueID, last: Value?, at now: Instant) {
    advance(to: now)
    setStale(value, true)
    forStaleWatchers(of: value) { $0.becomeStale(last, watch: $1, at: $2, &$3) }
  }

  /// Receives that a value was stale at the end of the last run, and still is. Only an alarm follows that: a play would be the second
  /// one for the same silence. Call it after `restore`.
  package mutating func restoreStale(_ value: ValueID, at now: Instant) {
    advance(to: now)
    setStale(value, true)
    forStaleWatchers(of: value) { machine, watch, now, context in
      if machine.definition.isAlarm { machine.becomeStale(nil, watch: watch, at: now, &context) }
    }
  }

  /// Receives that a stale value was reported, equal or not; before its change.
  package mutating func reported(_ value: ValueID, at now: Instant) {
    advance(to: now)
    setStale(value, false)
    forStaleWatchers(of: value) { machine, watch, _, context in machine.conditionEnded(watch, &context) }
  }

  private mutating func forStaleWatchers(
    of value: ValueID, _ body: (inout TriggerMachine, Int, Instant, inout DecisionContext) -> Void
  ) {
    guard value.index >= 0, value.index < watchers.count else { return }
    for (trigger, watch) in watchers[value.index].watching where machines[trigger].definition.when == .stale {
      body(&machines[trigger], watch, clock, &context)
      noteDecision(trigger)
    }
    restartAlarms()
  }

  /// Receives that a value has lost its content because it was forgotten: its waits are called off, and it meets no condition. A
  /// value that is stale stays so. Nothing is cancelled. The next content appears. A member leaves its rule as soon as it rests.
  package mutating func forget(_ value: ValueID, at now: Instant) {
    loseContent(of: value, withStaleMembers: true, at: now) {
      $0.membership.isVacant = $0.membership.exists
      $0.forget($1, &$2)
    }
  }

  /// Receives that a value has lost its content because it is read in another way, after a reload: like `forget`, but an alarm
  /// that it keeps stays as it is until the next content, which decides.
  package mutating func readAnew(_ value: ValueID, at now: Instant) {
    loseContent(of: value, at: now) { $0.awaitContent($1, &$2) }
  }

  private mutating func loseContent(
    of value: ValueID, withStaleMembers: Bool = false, at now: Instant,
    _ body: (inout TriggerMachine, Int, inout DecisionContext) -> Void
  ) {
    advance(to: now)
    guard value.index >= 0, value.index < watchers.count else { return }
    if watchers[value.index].isGate {
      setGate(value.index) { $0.isTrue = false }
      restrictProfile()
      silenceGated()
    }
    for (trigger, watch) in watchers[value.index].watching
    where machines[trigger].definition.when != .stale || (withStaleMembers && machines[trigger].membership.exists) {
      decide(trigger) { machine, _, context in body(&machine, watch, &context) }
    }
    restartAlarms()
  }

  /// Sets the search budget of each transaction, from the next one on.
  package mutating func limitSearches(to budget: SearchBudget) { context.searchLimit = budget }

  // MARK: Plays and circumstances

  /// Receives what became of a play. Events of plays that no present trigger decided on only free voices.
  ///
  /// A wait that ends at this very instant is decided after it, as a change at this instant would be.
  @inline(__always)
  package mutating func receive(_ event: PlayEvent, at now: Instant) {
    advance(to: now, includingNow: false)
    switch event {
    case .heard(let play, let isMuted):
      if let trigger = context.owner(of: play.id) { machines[trigger].heard(play, isMuted: isMuted, &context) }
    case .refused(let play, let refusal):
      if refusal != .crowded { context.noteRoom() }
      if let trigger = context.removeOwner(of: play.id) { decide(trigger) { $0.refused(play, refusal, at: $1, &$2) } }
    case .ended(let play, let ending):
      context.noteRoom()
      if let trigger = context.removeOwner(of: play.id) { decide(trigger) { $0.ended(play, ending, at: $1, &$2) } }
    }
    restartAlarms()
  }

  /// Calls off the waits of a trigger and stops its sounds, as a change of its `cancel` value does.
  package mutating func callOff(_ trigger: TriggerID, at now: Instant) {
    advance(to: now)
    decide(trigger.index) { $0.cancel(at: $1, by: .hand, &$2) }
    restartAlarms()
  }

  /// Stops the sounds of all triggers and empties their queues. Debounces and delays continue.
  package mutating func stopSounds(by cause: StopCause, at now: Instant) {
    advance(to: now)
    if cause == .ending { isEnding = true }
    for trigger in machines.indices { decide(trigger) { $0.stopSounds(at: $1, by: cause, &$2) } }
    restartAlarms()
  }

  package var profile: Profile { context.profile }

  /// Changes the profile, which gates may restrict. Sounds that it does not admit stop and leave the queues; alarms that it admits now
  /// sound.
  package mutating func setProfile(_ profile: Profile, at now: Instant) {
    advance(to: now)
    chosenProfile = profile
    restrictProfile()
    gated += machines.indices
    silenceGated()
    restartAlarms()
  }

  /// Receives which sounds cannot be played. Alarms whose sound is there again return to it.
  package mutating func setMissingSounds(_ sounds: MissingSounds, at now: Instant) {
    advance(to: now)
    context.missing = sounds
    for trigger in machines.indices where machines[trigger].alarm.life.sounds {
      decide(trigger) { $0.soundsChanged(at: $1, &$2) }
    }
    restartAlarms()
  }

  // MARK: Triggers that come and go

  /// Adds a trigger that watches one value. It has no `cancel`, and no name to be found by.
  ///
  /// The value belongs to this trigger alone: its index is that of the trigger.
  package mutating func add(_ definition: TriggerDefinition) -> TriggerID {
    let count = machines.count
    let index = place { TriggerMachine(TriggerMachine.Shared(definition), index: $0, isEvent: [false]) }
    // A place that was used before has its watcher.
    if index == count { addWatchers(of: ValueID(index: index)) { $0.watching.append((index, 0)) } }
    return TriggerID(index: index)
  }

  /// Puts a machine into a free place, or behind all others. Returns its index.
  mutating func place(_ make: (_ index: Int) -> TriggerMachine) -> Int {
    if let index = freeIndices.popLast() {
      machines[index] = make(index)
      return index
    }
    machines.append(make(machines.count))
    deadlines.addOwner()
    return machines.count - 1
  }

  /// Removes a trigger that was added: it drops what waits, and its plays run to their end. A later trigger may get its index.
  package mutating func remove(_ trigger: TriggerID) {
    let index = trigger.index
    for play in machines[index].plays { _ = context.removeOwner(of: play.id) }
    machines[index] = TriggerMachine(machines[index].shared, index: index, isEvent: [false])
    deadlines.set(nil, order: index, for: index)
    freeIndices.append(index)
    // After the last one the memory of all goes.
    if freeIndices.count == machines.count {
      (machines, watchers, freeIndices, deadlines) = ([], [], [], DeadlineHeap())
    }
  }

  /// Sets the sound of a trigger's plays from now on, and their volume, a factor; `nil`: none plays.
  package mutating func setSound(_ name: String?, volume: Double, of trigger: TriggerID) {
    machines[trigger.index].setSound(name, volume: volume)
  }

  /// Whether a trigger waits for the end of a debounce.
  package func isDebouncing(_ trigger: TriggerID) -> Bool { machines[trigger.index].watches[0].burst != nil }

  // MARK: Machines

  mutating func decide(
    _ trigger: Int, _ body: (inout TriggerMachine, Instant, inout DecisionContext) -> Void
  ) {
    body(&machines[trigger], clock, &context)
    noteDecision(trigger)
  }

  /// After a machine has decided: notes its deadline, and whether its alarm waits for a voice.
  mutating func noteDecision(_ trigger: Int) {
    if machines[trigger].membership.isVacant { rules.leavers.insert(trigger) }
    guard machines[trigger].shared.isTimed else { return }
    let deadline = machines[trigger].finishDecision(at: clock, &context)
    if machines[trigger].definition.isAlarm {
      if machines[trigger].alarmWaits {
        waitingAlarms.insert(trigger, rank: machines[trigger].alarmRank)
      } else if !waitingAlarms.isEmpty {
        waitingAlarms.remove(trigger)
      }
    }
    deadlines.set(deadline, order: trigger, for: trigger)
  }
}
