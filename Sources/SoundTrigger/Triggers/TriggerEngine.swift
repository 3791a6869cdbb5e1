/// Runs many triggers: takes the changes of all values, in order, and says what is to be played.
///
/// It reads no clock and does nothing itself. An update costs what the triggers on its value cost, however many others
/// there are; in the steady state nothing is allocated. Time that runs backwards is taken to stand still.
///
/// The functions that decide call `perform` from within: it must not use the engine. It says what became of the play:
/// `.played`, `.muted`, or what stood in the way of a sound that was decided on.
package struct TriggerEngine: Sendable {
  package private(set) var definitions: [TriggerDefinition]
  /// Every sound that any trigger may play, each once.
  package private(set) var sounds: [String]
  private var machines: [TriggerMachine]
  private var tallies: [TriggerCounters]
  private let watchers: WatcherIndex
  private var deadlines: DeadlineHeap
  /// The latest time heard of.
  private var clock = Instant(nanoseconds: .min)

  /// Triggers that have seen nothing yet.
  ///
  /// - Parameters:
  ///   - definitions: What the triggers are to do; none of them has `problems(kind:)`.
  ///   - resolve: The place of a value. Called once per definition.
  ///   - isEvent: Whether a value is of the kind `event`, so that a debounced burst of it is a change even if it ends
  ///     where it began. Called once per definition.
  package init(
    definitions: [TriggerDefinition], resolve: (ValueName) -> ValueID, isEvent: (ValueID) -> Bool = { _ in false }
  ) {
    var names: [String] = []
    var identifiers: [String: SoundID] = [:]
    func identify(_ name: String) -> SoundID {
      if let known = identifiers[name] { return known }
      let sound = SoundID(index: names.count)
      identifiers[name] = sound
      names.append(name)
      return sound
    }
    var machines: [TriggerMachine] = []
    var watched: [(value: ValueID, trigger: Int)] = []
    for (trigger, definition) in definitions.enumerated() {
      let value = resolve(definition.value)
      watched.append((value, trigger))
      // A table has no order of its own: this gives its sounds the same places every time.
      for name in definition.sound.names { _ = identify(name) }
      machines.append(TriggerMachine(definition, isEvent: isEvent(value), sound: identify))
    }
    self.definitions = definitions
    sounds = names
    self.machines = machines
    tallies = Array(repeating: TriggerCounters(), count: definitions.count)
    watchers = WatcherIndex(watched)
    deadlines = DeadlineHeap(count: definitions.count)
  }

  /// When `advance(to:_:)` has something to do, if no change comes before; found in O(1).
  package var nextDeadline: Instant? { deadlines.first?.deadline }

  /// Takes in a change or an appearance, after whatever was due until now.
  ///
  /// Several triggers on the value are decided in the order of their definitions.
  package mutating func process(_ change: Change, at now: Instant, _ perform: (TriggerAction) -> Verdict) {
    advance(to: now, perform)
    for place in watchers.places(of: change.value) {
      let trigger = watchers[place]
      if !change.isAppearance { tallies[trigger].changes += 1 }
      let decision = machines[trigger].receive(change, at: clock)
      conclude(decision, trigger, at: clock, perform)
    }
  }

  /// Does what is due until now, this instant included, in the order of time; each thing at the time it was due.
  package mutating func advance(to now: Instant, _ perform: (TriggerAction) -> Verdict) {
    while let (deadline, trigger) = deadlines.first, deadline <= now {
      clock = max(clock, deadline)
      conclude(machines[trigger].deadlinePassed(at: clock), trigger, at: clock, perform)
    }
    clock = max(clock, now)
  }

  /// Takes over other definitions (a reload), between two calls of the functions above.
  ///
  /// A definition that stays equal keeps its counters, throttle, threshold and pending wait; any other begins afresh.
  /// `TriggerID`s and `SoundID`s from before are no longer valid.
  package mutating func replace(
    definitions: [TriggerDefinition], resolve: (ValueName) -> ValueID, isEvent: (ValueID) -> Bool = { _ in false }
  ) {
    var next = TriggerEngine(definitions: definitions, resolve: resolve, isEvent: isEvent)
    next.inherit(from: self)
    self = next
  }

  /// What a trigger has done so far.
  package func counters(of trigger: TriggerID) -> TriggerCounters { tallies[trigger.index] }

  private mutating func inherit(from other: TriggerEngine) {
    clock = other.clock
    let places = Dictionary(zip(other.definitions, other.definitions.indices), uniquingKeysWith: { first, _ in first })
    for (trigger, definition) in definitions.enumerated() {
      guard let place = places[definition] else { continue }
      machines[trigger].inherit(from: other.machines[place])
      tallies[trigger] = other.tallies[place]
      deadlines.set(machines[trigger].deadline, for: trigger)
    }
  }

  private mutating func conclude(
    _ decision: TriggerMachine.Decision?, _ trigger: Int, at now: Instant, _ perform: (TriggerAction) -> Verdict
  ) {
    deadlines.set(machines[trigger].deadline, for: trigger)
    switch decision {
    case nil: break
    case .play(let sound):
      let action = TriggerAction.play(
        trigger: TriggerID(index: trigger), sound: sound, settings: definitions[trigger].settings, at: now)
      tallies[trigger].note(perform(action), at: now)
    case .keepSilent(let verdict): tallies[trigger].note(verdict, at: now)
    }
  }
}
