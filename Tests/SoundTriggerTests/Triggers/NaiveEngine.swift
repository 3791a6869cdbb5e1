import SoundTrigger

/// All triggers of the naive model, each asked one after the other.
///
/// Times are nanoseconds.
struct NaiveEngine {
  private(set) var triggers: [NaiveTrigger]
  var stage: NaiveStage
  private var clock = Int64.min
  private let place: (ValueName) -> Int
  private let isEvent: (Int) -> Bool

  init(
    _ definitions: [TriggerDefinition], answers: [Verdict], place: @escaping (ValueName) -> Int,
    isEvent: @escaping (Int) -> Bool
  ) {
    self.place = place
    self.isEvent = isEvent
    stage = NaiveStage(answers: answers)
    triggers = definitions.map { NaiveTrigger($0, place: place, isEvent: isEvent) }
    for index in triggers.indices { triggers[index].place = index }
  }

  var nextDeadline: Int64? {
    var earliest = Int64.max
    for index in triggers.indices { earliest = min(earliest, triggers[index].deadline ?? .max) }
    return earliest == .max ? nil : earliest
  }

  mutating func process(_ change: Change, at time: Int64) {
    advance(to: time)
    for index in triggers.indices {
      if let watch = triggers[index].values.firstIndex(of: change.value.index) {
        triggers[index].receive(change, watch: watch, at: clock, &stage)
      }
      if triggers[index].cancel == change.value.index, !change.isAppearance {
        triggers[index].callOff(at: clock, &stage)
      }
    }
  }

  mutating func advance(to time: Int64) {
    let now = max(time, clock)
    while let due = nextDeadline, due <= now {
      let index = triggers.firstIndex { $0.deadline == due } ?? 0
      triggers[index].carryOut(due: due, now: now, &stage)
    }
    clock = now
  }

  mutating func becameStale(_ value: Int, last: Value?, at time: Int64) {
    advance(to: time)
    for index in triggers.indices where triggers[index].definition.when == .stale {
      guard let watch = triggers[index].values.firstIndex(of: value) else { continue }
      triggers[index].becameStale(watch: watch, last: last, at: clock, &stage)
    }
  }

  mutating func reported(_ value: Int, at time: Int64) {
    advance(to: time)
    for index in triggers.indices where triggers[index].definition.when == .stale {
      guard let watch = triggers[index].values.firstIndex(of: value) else { continue }
      triggers[index].reported(watch: watch, at: clock, &stage)
    }
  }

  mutating func soundEnded(_ trigger: Int, at time: Int64) {
    advance(to: time)
    triggers[trigger].soundEnded(at: clock, &stage)
  }

  mutating func callOff(_ trigger: Int, at time: Int64) {
    advance(to: time)
    triggers[trigger].callOff(at: clock, &stage)
  }

  mutating func setProfile(_ profile: Profile, at time: Int64) {
    advance(to: time)
    let old = stage.profile
    stage.profile = profile
    for index in triggers.indices { triggers[index].profileChanged(from: old, at: clock, &stage) }
  }

  mutating func retryLoops(at time: Int64) {
    advance(to: time)
    for index in triggers.indices { triggers[index].retryLoop(at: clock, &stage) }
  }

  mutating func noteUnheard(_ trigger: Int, at time: Int64) {
    triggers[trigger].noteUnheard(at: max(time, clock))
  }

  mutating func restore(lastPlay: Int64, of name: String) {
    for index in triggers.indices where triggers[index].definition.name == name { triggers[index].lastPlay = lastPlay }
  }

  mutating func replace(_ definitions: [TriggerDefinition], at time: Int64) {
    advance(to: time)
    for index in triggers.indices
    where triggers[index].loop != nil && !definitions.contains(triggers[index].definition) {
      triggers[index].stop(at: clock, &stage)
    }
    triggers = definitions.enumerated().map { index, definition in
      var trigger =
        triggers.first { $0.definition == definition }
        ?? NaiveTrigger(definition, place: place, isEvent: isEvent)
      trigger.place = index
      return trigger
    }
  }
}
