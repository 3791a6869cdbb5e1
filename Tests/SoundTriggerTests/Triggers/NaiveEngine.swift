import SoundTrigger

/// What all triggers of the naive model share: the circumstances and what was decided.
struct NaiveStage {
  enum Decision {
    /// `sounds` are all that would be right, several only if the pick is random.
    case play(
      Int, TriggerDefinition, sounds: [String], loops: Bool, sparing: Bool, Cause, at: Int64)
    case stop(Int, StopCause, at: Int64)
    case finish(Int)
    case adjust(Int, PlaySettings)
  }

  var decisions: [Decision] = []
  var profile = Profile.full
  var broken: Set<String> = []
  /// Whether a sound was stopped or ended since loops last looked for a voice.
  var hasRoom = false
  private var lastPlay = 0

  mutating func number() -> Int {
    lastPlay += 1
    return lastPlay
  }
}

/// All triggers of the naive model, each asked one after the other.
///
/// Times are nanoseconds.
struct NaiveEngine {
  private(set) var triggers: [NaiveTrigger]
  var stage = NaiveStage()
  private var clock = Int64.min
  private let place: (ValueName) -> Int
  private let isEvent: (Int) -> Bool

  init(
    _ definitions: [TriggerDefinition], place: @escaping (ValueName) -> Int, isEvent: @escaping (Int) -> Bool
  ) {
    self.place = place
    self.isEvent = isEvent
    triggers = definitions.map { NaiveTrigger($0, place: place, isEvent: isEvent) }
  }

  var nextDeadline: Int64? { triggers.compactMap(\.deadline).min() }

  // MARK: Values

  mutating func receive(_ changes: [Change], at time: Int64) {
    advance(to: time)
    for index in triggers.indices {
      let cancel = triggers[index].cancel
      if changes.contains(where: { $0.value.index == cancel && !$0.isAppearance }) {
        triggers[index].callOff(at: clock, by: .cancel, &stage)
      }
    }
    for index in triggers.indices {
      for (watch, value) in triggers[index].values.enumerated() {
        guard let change = changes.first(where: { $0.value.index == value }) else { continue }
        triggers[index].receive(change, watch: watch, at: clock, &stage)
      }
      triggers[index].endLoopIfOver(at: clock, &stage)
    }
    offerRoom()
  }

  mutating func becameStale(_ value: Int, last: Value?, at time: Int64) {
    advance(to: time)
    forWatchers(of: value, stale: true) { $0.becameStale(watch: $1, last: last, at: $2, &$3) }
  }

  mutating func reported(_ value: Int, at time: Int64) {
    advance(to: time)
    forWatchers(of: value, stale: true) { trigger, watch, _, _ in trigger.conditionEnds(watch) }
  }

  mutating func unset(_ value: Int, at time: Int64) {
    advance(to: time)
    forWatchers(of: value, stale: false) { trigger, watch, _, _ in trigger.unset(watch) }
  }

  private mutating func forWatchers(
    of value: Int, stale: Bool, _ body: (inout NaiveTrigger, Int, Int64, inout NaiveStage) -> Void
  ) {
    for index in triggers.indices where (triggers[index].definition.when == .stale) == stale {
      guard let watch = triggers[index].values.firstIndex(of: value) else { continue }
      body(&triggers[index], watch, clock, &stage)
      triggers[index].endLoopIfOver(at: clock, &stage)
    }
    offerRoom()
  }

  // MARK: Time

  mutating func advance(to time: Int64) {
    carryOut(until: time, including: true)
    offerRoom()
  }

  private mutating func carryOut(until time: Int64, including: Bool) {
    let now = max(time, clock)
    while let due = nextDeadline, due < now || (including && due == now) {
      for index in triggers.indices where triggers[index].deadline == due {
        triggers[index].carryOut(due: due, now: now, &stage)
        triggers[index].endLoopIfOver(at: due, &stage)
        break
      }
    }
    clock = now
  }

  /// Lets each loop that wants a voice look for one, if there may be one.
  private mutating func offerRoom() {
    if stage.hasRoom {
      for index in triggers.indices { triggers[index].lookForVoice(at: clock, &stage) }
    }
    stage.hasRoom = false
  }

  // MARK: Plays and circumstances

  mutating func receive(_ event: PlayEvent, at time: Int64) {
    carryOut(until: time, including: false)
    switch event {
    case .heard(let play, let isMuted):
      for index in triggers.indices { triggers[index].heard(play, isMuted: isMuted) }
    case .refused(let play, let refusal):
      if refusal != .crowded { stage.hasRoom = true }
      for index in triggers.indices { triggers[index].refused(play, refusal, at: clock, &stage) }
    case .ended(let play, let ending):
      stage.hasRoom = true
      for index in triggers.indices { triggers[index].ended(play, ending, at: clock, &stage) }
    }
    offerRoom()
  }

  mutating func callOff(_ trigger: Int, at time: Int64) {
    advance(to: time)
    triggers[trigger].callOff(at: clock, by: .hand, &stage)
    offerRoom()
  }

  mutating func stopSounds(at time: Int64) {
    advance(to: time)
    for index in triggers.indices { triggers[index].silence(at: clock, by: .hand, &stage) }
    offerRoom()
  }

  mutating func finishLoops(at time: Int64) {
    advance(to: time)
    for index in triggers.indices where triggers[index].definition.loop?.limit == nil {
      triggers[index].finishLoop(&stage)
    }
  }

  mutating func setProfile(_ profile: Profile, at time: Int64) {
    advance(to: time)
    stage.profile = profile
    for index in triggers.indices { triggers[index].profileChanged(at: clock, &stage) }
    offerRoom()
  }

  mutating func setBroken(_ sounds: Set<String>, at time: Int64) {
    advance(to: time)
    stage.broken = sounds
    for index in triggers.indices { triggers[index].soundsChanged(at: clock, &stage) }
    offerRoom()
  }

  mutating func restore(lastPlay: Int64, of name: String) {
    for index in triggers.indices where triggers[index].definition.name == name {
      triggers[index].starts[0] = lastPlay
    }
  }

  mutating func replace(_ definitions: [TriggerDefinition], contents: (Int) -> Value?, at time: Int64) {
    advance(to: time)
    for index in triggers.indices
    where !definitions.contains(where: { $0.name == triggers[index].definition.name }) {
      triggers[index].endLoop(at: clock, by: .configuration, &stage)
    }
    var next: [NaiveTrigger] = []
    for definition in definitions {
      var old = triggers.first { $0.definition.name == definition.name }
      if let old, old.definition == definition {
        next.append(old)
        continue
      }
      var trigger = NaiveTrigger(definition, place: place, isEvent: isEvent)
      let present = trigger.values.map(contents)
      if let old, trigger.continueLoop(of: old, present, at: clock, &stage) {
        next.append(trigger)
        continue
      }
      old?.endLoop(at: clock, by: .configuration, &stage)
      trigger = NaiveTrigger(definition, place: place, isEvent: isEvent)
      trigger.counters.lastStop = old?.counters.lastStop
      for (watch, content) in present.enumerated() {
        guard let content else { continue }
        let value = ValueID(index: trigger.values[watch])
        let appearance = Change(value: value, old: content, new: content, isAppearance: true)
        trigger.receive(appearance, watch: watch, at: clock, &stage)
      }
      trigger.endLoopIfOver(at: clock, &stage)
      next.append(trigger)
    }
    triggers = next
    offerRoom()
  }
}
