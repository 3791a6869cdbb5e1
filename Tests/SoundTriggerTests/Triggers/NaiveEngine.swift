import SoundTrigger

/// What all triggers of the naive model share: the circumstances and what was decided.
struct NaiveStage {
  enum Decision {
    /// `sounds` are all that would be right, several only if the pick is random.
    case play(
      Int, TriggerDefinition, sounds: [String], PlaySettings, loops: Bool, sparing: Bool, Cause, at: Int64)
    case stop(Int, StopCause, at: Int64)
    case finish(Int)
    case adjust(Int, PlaySettings)
  }

  var decisions: [Decision] = []
  /// What was chosen.
  var chosenProfile = Profile.full
  /// What holds, with the gates.
  var profile = Profile.full
  /// The present contents of values, and which of them are stale, for gates.
  var contents: [Int: Value] = [:]
  var stale: Set<Int> = []
  var broken: Set<String> = []
  /// How many sounds were stopped or ended since alarms last looked for a voice.
  private(set) var room = 0
  /// The last play before the latest of these.
  private var lastPlayBeforeRoom = 0
  private var lastPlay = 0
  /// The number of the next occurrence of an alarm.
  var nextOccurrence: Int64 = 1

  mutating func number() -> Int {
    lastPlay += 1
    return lastPlay
  }

  mutating func makeRoom() {
    room += 1
    lastPlayBeforeRoom = lastPlay
  }

  mutating func forgetRoom() { room = 0 }

  func hadRoom(since play: Int) -> Bool { play <= lastPlayBeforeRoom }

  /// Whether a value silences now. Without content, or stale, it silences nobody.
  func isTrue(_ value: Int) -> Bool { contents[value] == .bool(true) && !stale.contains(value) }
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
  private var profileGates: [ValueName: Profile]

  init(
    _ definitions: [TriggerDefinition], profileGates: [ValueName: Profile], place: @escaping (ValueName) -> Int,
    isEvent: @escaping (Int) -> Bool
  ) {
    self.profileGates = profileGates
    self.place = place
    self.isEvent = isEvent
    triggers = definitions.map { NaiveTrigger($0, place: place, isEvent: isEvent) }
  }

  var nextDeadline: Int64? { triggers.compactMap(\.deadline).min() }

  // MARK: Values

  mutating func receive(_ changes: [Change], at time: Int64) {
    advance(to: time)
    let concerned = changeGates { for change in changes { $0.contents[change.value.index] = change.new } }
    for index in triggers.indices {
      let cancel = triggers[index].cancel
      if changes.contains(where: { $0.value.index == cancel && !$0.isAppearance }) {
        triggers[index].callOff(at: clock, by: .cancel, &stage)
        triggers[index].endConditionIfOver(at: clock, &stage)
      }
    }
    for index in triggers.indices {
      for (watch, value) in triggers[index].values.enumerated() {
        guard let change = changes.first(where: { $0.value.index == value }) else { continue }
        triggers[index].receive(change, watch: watch, at: clock, &stage)
      }
      triggers[index].endConditionIfOver(at: clock, &stage)
    }
    checkSilence(of: concerned)
    offerRoom()
  }

  mutating func becameStale(_ value: Int, last: Value?, at time: Int64) {
    advance(to: time)
    checkSilence(of: changeGates { $0.stale.insert(value) })
    forWatchers(of: value, stale: true) { $0.becameStale(watch: $1, last: last, at: $2, &$3) }
  }

  mutating func reported(_ value: Int, at time: Int64) {
    advance(to: time)
    checkSilence(of: changeGates { $0.stale.remove(value) })
    forWatchers(of: value, stale: true) { trigger, watch, _, _ in trigger.conditionEnds(watch) }
  }

  mutating func unset(_ value: Int, at time: Int64) {
    advance(to: time)
    checkSilence(of: changeGates { $0.contents[value] = nil })
    forWatchers(of: value, stale: false) { trigger, watch, _, _ in trigger.unset(watch) }
  }

  mutating func readAnew(_ value: Int, at time: Int64) {
    advance(to: time)
    checkSilence(of: changeGates { $0.contents[value] = nil })
    forWatchers(of: value, stale: false) { trigger, watch, _, _ in trigger.awaitContent(watch) }
  }

  private mutating func forWatchers(
    of value: Int, stale: Bool, _ body: (inout NaiveTrigger, Int, Int64, inout NaiveStage) -> Void
  ) {
    for index in triggers.indices where (triggers[index].definition.when == .stale) == stale {
      guard let watch = triggers[index].values.firstIndex(of: value) else { continue }
      body(&triggers[index], watch, clock, &stage)
      triggers[index].endConditionIfOver(at: clock, &stage)
    }
    offerRoom()
  }

  // MARK: Gates

  /// Changes what gates say. Returns the triggers whose silence may be another one.
  private mutating func changeGates(_ change: (inout NaiveStage) -> Void) -> [Int] {
    let before = stage
    change(&stage)
    restrictProfile()
    return triggers.indices.filter { index in
      stage.profile != before.profile || triggers[index].gates.contains { before.isTrue($0) != stage.isTrue($0) }
    }
  }

  private mutating func restrictProfile() {
    stage.profile = stage.chosenProfile
    for (name, profile) in profileGates where stage.isTrue(place(name)) { stage.profile = max(stage.profile, profile) }
  }

  private mutating func checkSilence(of concerned: some Sequence<Int>) {
    for index in concerned {
      triggers[index].checkSilence(at: clock, &stage)
      triggers[index].endConditionIfOver(at: clock, &stage)
    }
  }

  // MARK: Time

  mutating func advance(to time: Int64) {
    carryOut(until: time, including: true)
    offerRoom()
  }

  private mutating func carryOut(until time: Int64, including: Bool) {
    let now = max(time, clock)
    while let due = nextDeadline, due < now || (including && due == now) {
      guard let index = triggers.firstIndex(where: { $0.deadline == due }) else { break }
      if !triggers[index].moveOverdue(due: due, to: now) {
        // What was saved may have been due before this run.
        clock = max(clock, due)
        triggers[index].carryOut(at: clock, now: now, &stage)
      }
      triggers[index].endConditionIfOver(at: clock, &stage)
    }
    clock = now
  }

  /// Lets as many alarms that want a voice look for one as there may be: the most important first.
  private mutating func offerRoom() {
    var room = stage.room
    stage.forgetRoom()
    if room > 0 {
      let wanting = mostImportantFirst(triggers.indices.filter { triggers[$0].wantsVoice })
      for index in wanting where room > 0 && triggers[index].lookForVoice(at: clock, &stage) { room -= 1 }
    }
    stage.forgetRoom()
  }

  private func mostImportantFirst(_ indices: [Int]) -> [Int] {
    indices.sorted {
      let (left, right) = (triggers[$0].settings.importance.rank, triggers[$1].settings.importance.rank)
      return left == right ? $0 < $1 : left > right
    }
  }

  // MARK: Plays and circumstances

  mutating func receive(_ event: PlayEvent, at time: Int64) {
    carryOut(until: time, including: false)
    switch event {
    case .heard(let play, let isMuted):
      for index in triggers.indices { triggers[index].heard(play, isMuted: isMuted) }
    case .refused(let play, let refusal):
      if refusal != .crowded { stage.makeRoom() }
      for index in triggers.indices { triggers[index].refused(play, refusal, at: clock, &stage) }
    case .ended(let play, let ending):
      stage.makeRoom()
      for index in triggers.indices { triggers[index].ended(play, ending, at: clock, &stage) }
    }
    offerRoom()
  }

  mutating func callOff(_ trigger: Int, at time: Int64) {
    advance(to: time)
    triggers[trigger].callOff(at: clock, by: .hand, &stage)
    triggers[trigger].endConditionIfOver(at: clock, &stage)
    offerRoom()
  }

  mutating func stopSounds(at time: Int64) {
    advance(to: time)
    for index in triggers.indices {
      triggers[index].fallSilent(at: clock, by: .hand, &stage)
      triggers[index].endConditionIfOver(at: clock, &stage)
    }
    offerRoom()
  }

  mutating func finishAlarms(at time: Int64) {
    advance(to: time)
    for index in triggers.indices where triggers[index].definition.loop != nil {
      triggers[index].finishAlarm(&stage)
      triggers[index].numberOccurrence(&stage)
    }
  }

  mutating func setProfile(_ profile: Profile, at time: Int64) {
    advance(to: time)
    stage.chosenProfile = profile
    restrictProfile()
    checkSilence(of: triggers.indices)
    offerRoom()
  }

  mutating func setBroken(_ sounds: Set<String>, at time: Int64) {
    advance(to: time)
    stage.broken = sounds
    for index in triggers.indices { triggers[index].soundsChanged(at: clock, &stage) }
    offerRoom()
  }

  mutating func deviceReturned(at time: Int64) {
    advance(to: time)
    let waiting = triggers.indices.filter {
      triggers[$0].wantsVoice || triggers[$0].wantsDevice || triggers[$0].wantsFile
    }
    for index in mostImportantFirst(waiting) { triggers[index].retry(at: clock, &stage) }
  }

  // MARK: Alarms

  mutating func acknowledge(_ trigger: Int, at time: Int64) -> Bool {
    advance(to: time)
    let didAcknowledge = triggers[trigger].acknowledge(at: clock, by: .acknowledged, &stage)
    triggers[trigger].endConditionIfOver(at: clock, &stage)
    offerRoom()
    return didAcknowledge
  }

  mutating func snooze(_ trigger: Int, until end: Int64?, at time: Int64) {
    advance(to: time)
    triggers[trigger].snooze(until: end, at: clock, &stage)
    offerRoom()
  }

  func report(_ trigger: Int) -> AlarmReport? {
    triggers[trigger].definition.loop == nil ? nil : triggers[trigger].report(at: clock, stage)
  }

  mutating func restore(_ saved: AlarmRecord, of name: String, at time: Int64) {
    advance(to: time)
    if let id = saved.id { stage.nextOccurrence = max(stage.nextOccurrence, id.rawValue + 1) }
    guard let index = triggers.firstIndex(where: { $0.definition.name == name }) else { return }
    triggers[index].restore(saved, at: clock)
    triggers[index].endConditionIfOver(at: clock, &stage)
  }

  mutating func resumeAlarms(at time: Int64) {
    advance(to: time)
    checkSilence(of: triggers.indices)
  }

  // MARK: Memory

  mutating func restore(lastPlay: Int64, of name: String) {
    for index in triggers.indices where triggers[index].definition.name == name {
      triggers[index].starts[0] = lastPlay
    }
  }

  /// Returns the alarms that were not normal and are no more.
  mutating func replace(
    _ definitions: [TriggerDefinition], profileGates: [ValueName: Profile], contents: (Int) -> Value?, at time: Int64
  ) -> [String] {
    advance(to: time)
    self.profileGates = profileGates
    restrictProfile()
    var lost: [String] = []
    for index in triggers.indices {
      let name = triggers[index].definition.name
      let successor = definitions.first { $0.name == name }
      if triggers[index].life != .normal, successor?.loop == nil { lost.append(name) }
      if successor == nil { triggers[index].endAlarm(at: clock, by: .configuration, &stage) }
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
      if let old, trigger.continueAlarm(of: old, present, at: clock, &stage) {
        trigger.endConditionIfOver(at: clock, &stage)
        next.append(trigger)
        continue
      }
      old?.endAlarm(at: clock, by: .configuration, &stage)
      trigger.counters.lastStop = old?.counters.lastStop
      if let last = old?.lastPlay { trigger.starts[0] = last }
      for (watch, content) in present.enumerated() {
        guard let content else { continue }
        let value = ValueID(index: trigger.values[watch])
        let appearance = Change(value: value, old: content, new: content, isAppearance: true)
        trigger.receive(appearance, watch: watch, at: clock, &stage)
      }
      trigger.endConditionIfOver(at: clock, &stage)
      next.append(trigger)
    }
    triggers = next
    checkSilence(of: triggers.indices)
    offerRoom()
    return lost
  }
}
