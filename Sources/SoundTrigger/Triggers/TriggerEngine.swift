/// Runs many triggers: takes the changes of all values, in order, and says what is to be played.
///
/// It reads no clock and does nothing itself. An update costs what the triggers on its value cost, however many others
/// there are; in the steady state nothing is allocated. Time that runs backwards is taken to stand still.
///
/// The functions that decide call `perform` from within: it must not use the engine. It says what became of the play:
/// `.played`, `.muted`, or what stood in the way of a sound that was decided on; of a stop its answer is ignored. Each of
/// them first does what was due until then.
package struct TriggerEngine: Sendable {
  package private(set) var definitions: [TriggerDefinition]
  /// Every sound that any trigger may play, each once.
  package private(set) var sounds: [String]
  var machines: [TriggerMachine]
  let watchers: WatcherIndex
  /// The place of each trigger by its name.
  let places: [String: Int]
  var shared: Circumstances

  /// Of each trigger first one place for each of its values, then one for its loop.
  private var deadlines: DeadlineHeap<Instant>
  /// The first place of each trigger in `deadlines`.
  private let firstDeadlines: [Int]
  /// The trigger of each place in `deadlines`.
  private let owners: [Int]
  /// Until when everything that was due has been done.
  var clock = Instant(nanoseconds: .min)

  /// Triggers that have seen nothing yet.
  ///
  /// - Parameters:
  ///   - definitions: What the triggers are to do; none of them has `problems(watching:)`.
  ///   - resolve: The place of a value. Called once for every value of every definition, the one that cancels included.
  ///   - isEvent: Whether a value is of the kind `event`, so that a debounced burst of it is a change even if it ends
  ///     where it began. Called once for every watched value of every definition.
  ///   - seed: Where the random numbers of `pick = "random"` begin.
  package init(
    definitions: [TriggerDefinition], resolve: (ValueName) -> ValueID, isEvent: (ValueID) -> Bool = { _ in false },
    seed: UInt64 = 0
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
    var watched: [(value: ValueID, watcher: WatcherIndex.Watcher)] = []
    var firstDeadlines: [Int] = []
    var owners: [Int] = []
    for (trigger, definition) in definitions.enumerated() {
      // A value that cancels and is watched as well ends what was before, and then is judged.
      if let cancel = definition.cancel { watched.append((resolve(cancel), .init(trigger: trigger, watch: nil))) }
      let values = definition.values.map(resolve)
      for (watch, value) in values.enumerated() { watched.append((value, .init(trigger: trigger, watch: watch))) }
      firstDeadlines.append(owners.count)
      owners += Array(repeating: trigger, count: values.count + 1)
      let id = TriggerID(index: trigger)
      machines.append(TriggerMachine(definition, id: id, isEvent: values.map(isEvent), sound: identify))
    }
    self.definitions = definitions
    sounds = names
    self.machines = machines
    watchers = WatcherIndex(watched)
    places = Dictionary(zip(definitions.map(\.name), definitions.indices), uniquingKeysWith: { first, _ in first })
    shared = Circumstances(random: SplitMix64(seed: seed))
    deadlines = DeadlineHeap(count: owners.count)
    self.firstDeadlines = firstDeadlines
    self.owners = owners
  }

  /// When `advance(to:_:)` has something to do, if no change comes before; found in O(1).
  package var nextDeadline: Instant? { deadlines.first?.deadline }

  /// Takes in a change or an appearance.
  ///
  /// Several triggers on the value are decided in the order of their definitions. An appearance calls nothing off, unless it
  /// is deliberate: somebody did something just now, and nothing was merely found.
  package mutating func process(
    _ change: Change, isDeliberate: Bool = false, at now: Instant, _ perform: (TriggerAction) -> Verdict
  ) {
    advance(to: now, perform)
    let places = watchers.places(of: change.value)
    guard !places.isEmpty else { return }
    for place in places { take(change, isDeliberate: isDeliberate, watchers[place], perform) }
  }

  @inline(__always)
  private mutating func take(
    _ change: Change, isDeliberate: Bool, _ watcher: WatcherIndex.Watcher,
    _ perform: (TriggerAction) -> Verdict
  ) {
    if let watch = watcher.watch {
      machines[watcher.trigger].receive(change, watch: watch, at: clock, &shared, perform)
      setDeadlines(of: watcher.trigger, watch: watch)
    } else if !change.isAppearance || isDeliberate {
      machines[watcher.trigger].cancel(at: clock, perform)
      setDeadlines(of: watcher.trigger)
    }
  }

  /// Does what is due until now, this instant included, in the order of time; each thing at the time it was due.
  ///
  /// What was due longer ago than its trigger's `fresh` is not played any more; a loop begins now instead.
  package mutating func advance(to now: Instant, _ perform: (TriggerAction) -> Verdict) {
    shared.told = max(clock, now)
    while let (deadline, place) = deadlines.first, deadline <= shared.told {
      let trigger = owners[place]
      let index = place - firstDeadlines[trigger]
      let watch = index < machines[trigger].watches.count ? index : nil
      if !machines[trigger].putOff(watch: watch, due: deadline, to: shared.told) {
        clock = max(clock, deadline)
        if let watch {
          machines[trigger].deadlinePassed(watch: watch, at: clock, &shared, perform)
        } else {
          machines[trigger].loopDeadlinePassed(at: clock, &shared, perform)
        }
      }
      setDeadlines(of: trigger, watch: watch)
    }
    clock = shared.told
  }

  /// Takes over other definitions (a reload), between two calls of the functions above.
  ///
  /// A definition that stays equal keeps everything: counters, throttle, thresholds, waits, queue, loop, and what it
  /// remembers of its changes. Any other begins afresh; the sounds of the old one go on to their end, save for loops.
  /// `TriggerID`s and `SoundID`s from before are no longer valid after, but the stops of those loops still use them.
  package mutating func replace(
    definitions: [TriggerDefinition], resolve: (ValueName) -> ValueID, isEvent: (ValueID) -> Bool = { _ in false },
    at now: Instant, _ perform: (TriggerAction) -> Verdict
  ) {
    advance(to: now, perform)
    var next = TriggerEngine(definitions: definitions, resolve: resolve, isEvent: isEvent)
    next.shared = shared
    next.clock = clock
    for (trigger, definition) in self.definitions.enumerated() {
      if let place = next.places[definition.name], next.definitions[place] == definition {
        next.machines[place] = machines[trigger].moved(to: next.machines[place])
        next.setDeadlines(of: place)
      } else if machines[trigger].loop != nil {
        machines[trigger].endLoop(at: clock, perform)
      }
    }
    self = next
  }

  /// Brings the deadlines of a trigger's loop and of one of its values up to date.
  private mutating func setDeadlines(of trigger: Int, watch: Int?) {
    let first = firstDeadlines[trigger]
    if let watch { deadlines.set(machines[trigger].watches[watch].deadline, for: first + watch) }
    guard machines[trigger].loops else { return }
    deadlines.set(machines[trigger].loop?.deadline, for: first + machines[trigger].watches.count)
  }

  /// Brings all deadlines of a trigger up to date.
  mutating func setDeadlines(of trigger: Int) {
    for watch in machines[trigger].watches.indices { setDeadlines(of: trigger, watch: watch) }
  }
}
