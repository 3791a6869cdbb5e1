/// Runs many triggers: receives the changes of all values, in order, and decides what to play.
///
/// It reads no clock and does nothing itself. Each call appends to `decisions`; the caller performs them in order, removes
/// them, and reports what became of each play by `receive(_: PlayEvent)`. Each call that takes a time first does what was
/// due before it. Time that runs backwards counts as standing still. An update costs what the triggers on its value cost,
/// however many others there are.
package struct TriggerEngine: Sendable {
  package private(set) var definitions: [TriggerDefinition]
  var machines: [TriggerMachine]
  /// The triggers that each value concerns, by its index.
  private var watchers: [Watchers] = []
  /// The index of each trigger by its name.
  let indices: [String: Int]
  private var context: DecisionContext
  private var deadlines: DeadlineHeap
  /// Everything that was due until this time is decided.
  private var clock = Instant(nanoseconds: .min)
  /// The triggers whose loops wait for a voice or a sound.
  private var waitingLoops: Set<Int> = []
  /// The tasks of a transaction that are left, the next one last. Kept between calls for its memory.
  private var tasks: [Task] = []
  private var cancelled: [Int] = []
  /// The indices of triggers that were removed.
  private var freeIndices: [Int] = []

  /// The triggers that a value concerns, in the order of their definitions.
  private struct Watchers: Sendable {
    /// Those that it cancels.
    var cancelled: [Int] = []
    /// Those that watch it, each with the value's index among theirs.
    var watching: [(trigger: Int, watch: Int)] = []
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
  ///   - seed: Where the random numbers of `pick = "random"` begin.
  package init(
    definitions: [TriggerDefinition], resolve: (ValueName) -> ValueID, isEvent: (ValueID) -> Bool = { _ in false },
    seed: UInt64 = 0
  ) {
    self.init(definitions: definitions, resolve: resolve, isEvent: isEvent, context: DecisionContext(seed: seed))
  }

  private init(
    definitions: [TriggerDefinition], resolve: (ValueName) -> ValueID, isEvent: (ValueID) -> Bool,
    context: DecisionContext
  ) {
    self.definitions = definitions
    self.context = context
    machines = []
    deadlines = DeadlineHeap(count: definitions.count)
    indices = Dictionary(zip(definitions.map(\.name), definitions.indices), uniquingKeysWith: { first, _ in first })
    for (trigger, definition) in definitions.enumerated() {
      let values = definition.values.map(resolve)
      machines.append(
        TriggerMachine(
          definition, index: trigger, isEvent: values.map(isEvent)))
      for (watch, value) in values.enumerated() { addWatchers(of: value) { $0.watching.append((trigger, watch)) } }
      if let cancel = definition.cancel { addWatchers(of: resolve(cancel)) { $0.cancelled.append(trigger) } }
    }
  }

  private mutating func addWatchers(of value: ValueID, _ add: (inout Watchers) -> Void) {
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
  /// First the values that cancel act, then each trigger decides about its changed values, in the order of the
  /// definitions and of the values in them. A loop ends if none of its values meets the condition after all of them. An
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
      for watching in watchers[index].watching.indices.reversed() {
        let (trigger, watch) = watchers[index].watching[watching]
        tasks.append(Task(trigger: trigger, watch: watch, change: position))
      }
    }
    if changes.count > 1 {
      tasks.sort { ($0.trigger, $0.watch) > ($1.trigger, $1.watch) }
      cancelled.sort()
    }
    if !cancelled.isEmpty {
      for trigger in cancelled { decide(trigger) { $0.cancel(at: $1, by: .cancel, &$2) } }
      cancelled.removeAll(keepingCapacity: true)
    }
    while let task = tasks.popLast() {
      machines[task.trigger].receive(changes[task.change], watch: task.watch, at: clock, &context)
      if tasks.last?.trigger != task.trigger { noteDecision(task.trigger) }
    }
    restartLoops()
  }

  /// Does what is due until now, this instant included, in the order of time; each thing at the time when it was due.
  ///
  /// A play that was due longer ago than its trigger's `fresh` is dropped; a loop begins now instead. This begins a transaction
  /// with a search budget of its own.
  package mutating func advance(to now: Instant) {
    context.searches = context.searchLimit
    advance(to: now, includingNow: true)
    restartLoops()
  }

  private mutating func advance(to now: Instant, includingNow: Bool) {
    context.now = max(clock, now)
    while let (deadline, trigger) = deadlines.first,
      deadline < context.now || (includingNow && deadline == context.now)
    {
      if !machines[trigger].rescheduleOverdueLoop(due: deadline, to: context.now) {
        clock = max(clock, deadline)
        machines[trigger].deadlinePassed(at: clock, &context)
      }
      noteDecision(trigger)
    }
    clock = context.now
  }

  /// When `advance(to:)` has something to do, if nothing happens before; found in O(1).
  package var nextDeadline: Instant? { deadlines.first?.deadline }

  /// Receives that a value was not reported for as long as its `expect_every`. `last`: its content, if it has any.
  package mutating func becameStale(_ value: ValueID, last: Value?, at now: Instant) {
    advance(to: now)
    forStaleWatchers(of: value) { $0.becomeStale(last, watch: $1, at: $2, &$3) }
  }

  /// Receives that a stale value was reported, equal or not; before its change.
  package mutating func reported(_ value: ValueID, at now: Instant) {
    advance(to: now)
    forStaleWatchers(of: value) { machine, watch, _, context in machine.conditionEnded(watch, &context) }
  }

  private mutating func forStaleWatchers(
    of value: ValueID, _ body: (inout TriggerMachine, Int, Instant, inout DecisionContext) -> Void
  ) {
    guard value.index >= 0, value.index < watchers.count else { return }
    for (trigger, watch) in watchers[value.index].watching where definitions[trigger].when == .stale {
      body(&machines[trigger], watch, clock, &context)
      noteDecision(trigger)
    }
    restartLoops()
  }

  /// Receives that a value has lost its content, because it was forgotten or begins anew: its waits are called off, and its loop
  /// ends unless another value keeps it. A value that is stale stays so. Nothing is cancelled. The next content appears.
  package mutating func forget(_ value: ValueID, at now: Instant) {
    advance(to: now)
    guard value.index >= 0, value.index < watchers.count else { return }
    for (trigger, watch) in watchers[value.index].watching where definitions[trigger].when != .stale {
      decide(trigger) { machine, _, context in machine.forget(watch, &context) }
    }
    restartLoops()
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
      if let trigger = context.removeOwner(of: play.id) { decide(trigger) { $0.refused(play, refusal, at: $1, &$2) } }
      if refusal != .crowded { context.hasRoom = true }
    case .ended(let play, let ending):
      context.hasRoom = true
      if let trigger = context.removeOwner(of: play.id) { decide(trigger) { $0.ended(play, ending, at: $1, &$2) } }
    }
    restartLoops()
  }

  /// Calls off the waits of a trigger and stops its sounds, as a change of its `cancel` value does.
  package mutating func callOff(_ trigger: TriggerID, at now: Instant) {
    advance(to: now)
    decide(trigger.index) { $0.cancel(at: $1, by: .hand, &$2) }
    restartLoops()
  }

  /// Stops the sounds of all triggers and empties their queues. Debounces and delays continue.
  package mutating func stopSounds(by cause: StopCause, at now: Instant) {
    advance(to: now)
    for trigger in machines.indices { decide(trigger) { $0.stopSounds(at: $1, by: cause, &$2) } }
    restartLoops()
  }

  /// Lets the loops that have no limit end with the end of their sounds, because no value will change any more.
  package mutating func finishLoops(at now: Instant) {
    advance(to: now)
    for trigger in machines.indices where isEndless(trigger) {
      decide(trigger) { machine, _, context in machine.finishLoop(&context) }
    }
  }

  /// A trigger that loops until a value changes.
  package var endlessLoop: TriggerID? { machines.indices.first(where: isEndless).map { TriggerID(index: $0) } }

  private func isEndless(_ trigger: Int) -> Bool {
    machines[trigger].loop != nil && definitions[trigger].loop?.limit == nil
  }

  package var profile: Profile { context.profile }

  /// Changes the profile. Sounds that it does not admit stop and leave the queues; loops that it admits now start.
  package mutating func setProfile(_ profile: Profile, at now: Instant) {
    advance(to: now)
    context.profile = profile
    for trigger in machines.indices { decide(trigger) { $0.profileChanged(at: $1, &$2) } }
    restartLoops()
  }

  /// Receives the sounds that are not loaded. A loop whose sound is loaded again starts.
  package mutating func setBrokenSounds(_ sounds: Set<String>, at now: Instant) {
    advance(to: now)
    context.brokenSounds = sounds
    for trigger in waitingLoops.sorted() { decide(trigger) { $0.soundsChanged(at: $1, &$2) } }
    restartLoops()
  }

  // MARK: Triggers that come and go

  /// Adds a trigger that watches one value. It has no `cancel`, and no name to be found by.
  ///
  /// The value belongs to this trigger alone: its index is that of the trigger.
  package mutating func add(_ definition: TriggerDefinition) -> TriggerID {
    let index = freeIndices.popLast() ?? machines.count
    let machine = TriggerMachine(definition, index: index, isEvent: [false])
    if index == machines.count {
      definitions.append(definition)
      machines.append(machine)
      deadlines.addOwner()
      addWatchers(of: ValueID(index: index)) { $0.watching.append((index, 0)) }
    } else {
      definitions[index] = definition
      machines[index] = machine
    }
    return TriggerID(index: index)
  }

  /// Removes a trigger that was added: it drops what waits, and its plays run to their end. A later trigger may get its index.
  package mutating func remove(_ trigger: TriggerID) {
    let index = trigger.index
    machines[index] = TriggerMachine(definitions[index], index: index, isEvent: [false])
    context.owners.removeAll { $0.trigger == index }
    deadlines.set(nil, order: index, for: index)
    freeIndices.append(index)
    // After the last one the memory of all goes.
    if freeIndices.count == machines.count {
      (definitions, machines, watchers, freeIndices, deadlines) = ([], [], [], [], DeadlineHeap())
    }
  }

  /// Sets the sound of a trigger's plays from now on, and their volume, a factor; `nil`: none plays.
  package mutating func setSound(_ name: String?, volume: Double, of trigger: TriggerID) {
    machines[trigger.index].setSound(name, volume: volume)
  }

  /// Whether a trigger waits for the end of a debounce.
  package func isDebouncing(_ trigger: TriggerID) -> Bool { machines[trigger.index].watches[0].burst != nil }

  // MARK: Reload

  /// Replaces the definitions.
  ///
  /// A definition that stays equal keeps everything: counters, throttle, thresholds, waits, queue, loop and its record of
  /// changes. A loop that sounds continues with its new settings if its new condition holds. Any other trigger begins
  /// anew, with the present `contents` of its values as their appearance; the plays of the old one run to their end.
  /// `TriggerID`s from before are not valid afterwards.
  package mutating func replace(
    definitions: [TriggerDefinition], resolve: (ValueName) -> ValueID, isEvent: (ValueID) -> Bool = { _ in false },
    contents: (ValueID) -> Value? = { _ in nil }, at now: Instant
  ) {
    advance(to: now)
    var next = TriggerEngine(definitions: definitions, resolve: resolve, isEvent: isEvent, context: context)
    next.clock = clock
    for (old, definition) in self.definitions.enumerated() where next.indices[definition.name] == nil {
      machines[old].endLoop(at: clock, by: .configuration, &next.context)
    }
    for (trigger, definition) in definitions.enumerated() {
      let old = indices[definition.name]
      if let old, self.definitions[old] == definition {
        next.keep(machines[old], at: trigger)
        continue
      }
      let present = definition.values.map { contents(resolve($0)) }
      if let old, next.machines[trigger].continueLoop(of: machines[old], contents: present, at: clock, &next.context) {
        next.noteDecision(trigger)
        continue
      }
      if let old {
        machines[old].endLoop(at: clock, by: .configuration, &next.context)
        next.machines[trigger].counters.lastStop = machines[old].counters.lastStop
      }
      for (watch, content) in present.enumerated() {
        guard let content else { continue }
        let appearance = Change(
          value: resolve(definition.values[watch]), old: content, new: content, isAppearance: true)
        next.machines[trigger].receive(appearance, watch: watch, at: clock, &next.context)
      }
      next.noteDecision(trigger)
    }
    // The triggers that stay may have moved.
    next.context.owners = next.machines.flatMap { machine in machine.plays.map { ($0.id, machine.index) } }
      .sorted { $0.0.rawValue < $1.0.rawValue }
    next.restartLoops()
    self = next
  }

  /// Puts the machine of an equal definition in place of a new one.
  private mutating func keep(_ machine: TriggerMachine, at trigger: Int) {
    let isEvent = machines[trigger].watches.map(\.isEvent)
    machines[trigger] = machine
    machines[trigger].index = trigger
    for (watch, isEvent) in isEvent.enumerated() { machines[trigger].watches[watch].isEvent = isEvent }
    noteDecision(trigger)
  }

  // MARK: Machines

  private mutating func decide(
    _ trigger: Int, _ body: (inout TriggerMachine, Instant, inout DecisionContext) -> Void
  ) {
    body(&machines[trigger], clock, &context)
    noteDecision(trigger)
  }

  /// After a machine has decided: ends its loop if that is over, and notes its deadline.
  private mutating func noteDecision(_ trigger: Int) {
    guard machines[trigger].isTimed else { return }
    machines[trigger].endLoopIfOver(at: clock, &context)
    deadlines.set(machines[trigger].deadline, order: trigger, for: trigger)
    if machines[trigger].loopWaits { waitingLoops.insert(trigger) } else { waitingLoops.remove(trigger) }
  }

  /// Lets the loops that wait for a voice try again, if one may have become free.
  private mutating func restartLoops() {
    guard context.hasRoom else { return }
    context.hasRoom = false
    if waitingLoops.isEmpty { return }
    for trigger in waitingLoops.sorted() { decide(trigger) { $0.roomAvailable(at: $1, &$2) } }
    // A loop that restarts frees no voice.
    context.hasRoom = false
  }
}
