import SoundTrigger

/// The engine and the naive model in one random world: both receive the same, and are compared after every step.
///
/// Times are milliseconds.
struct RandomWorld {
  /// A play that has not ended.
  struct Running {
    var play: Play
    var isHeard = false
    var stop: StopCause?
  }

  /// The first difference between the two.
  var disagreement: String?
  /// What was done so far, if that is wanted.
  var log: [String]?
  /// The kinds of verdicts that were seen.
  var verdicts: Set<Verdict> = []
  var plays = 0
  var stops = 0
  /// The words of the causes of stops that were seen.
  var causes: Set<String> = []
  var adjustments = 0

  var random: TestRandom
  var engine: TriggerEngine
  var model: NaiveEngine
  var time = 0
  var definitions: [TriggerDefinition]
  var profileGates: [ValueName: Profile]
  /// The lives and the silences of alarms that were seen.
  var states: Set<String> = []
  /// Plays of the triggers, also of those that are gone, in the order in which they began.
  var running: [Running] = []
  var contents = [Value?](repeating: nil, count: RandomValue.names.count)
  var lastRun = [Value?](repeating: nil, count: RandomValue.names.count)
  /// Which values begin at nothing, so that their first content is a change.
  private var beginsAtNothing: [Bool]
  var isStale = [Bool](repeating: false, count: RandomValue.names.count)
  var retired: [TriggerDefinition] = []
  var nextName = 0
  private var steps = 0
  /// The value that changes most.
  private let favourite: Int
  /// How many in a hundred plays are answered at once, how many of these are heard, and how many of the sounds that may
  /// end do.
  private let (promptness, audibility, endings): (Int, Int, Int)

  init(seed: UInt64, isLogged: Bool = false) {
    random = TestRandom(state: seed)
    definitions = []
    log = isLogged ? [] : nil
    for _ in 0..<(1 + random.below(4)) {
      nextName += 1
      definitions.append(random.definition(name: "t\(nextName)"))
    }
    favourite = RandomValue.place(random.pick(random.pick(definitions).values))
    (promptness, audibility, endings) = (
      random.pick([0, 80, 100]), random.pick([50, 90, 100]), random.pick([5, 60, 100])
    )
    beginsAtNothing = []
    profileGates = random.profileGates()
    engine = Self.engine(definitions, profileGates)
    model = Self.model(definitions, profileGates)
    for _ in contents { beginsAtNothing.append(random.chance(20)) }
    note { "triggers\n\(Self.describe($0.definitions))" }
    advance()
  }

  static func engine(
    _ definitions: [TriggerDefinition], _ profileGates: [ValueName: Profile]
  ) -> TriggerEngine {
    TriggerEngine(
      definitions: definitions, resolve: { ValueID(index: RandomValue.place($0)) },
      isEvent: { $0.index == RandomValue.event }, profileGates: profileGates, seed: 1)
  }

  static func model(_ definitions: [TriggerDefinition], _ profileGates: [ValueName: Profile]) -> NaiveEngine {
    NaiveEngine(
      definitions, profileGates: profileGates, place: RandomValue.place, isEvent: { $0 == RandomValue.event })
  }

  static func describe(_ definitions: [TriggerDefinition]) -> String {
    definitions.map { "  \($0)" }.joined(separator: "\n")
  }

  // MARK: What happens

  /// One random event.
  mutating func step() {
    pass()
    switch random.below(200) {
    case 0..<98: update(1)
    case 98..<115: update(2 + random.below(3))
    case 115..<131: advance()
    case 131..<154: endSounds()
    case 154..<161: changeProfile()
    case 161..<164: callOff()
    case 164: stopSounds()
    case 165..<173: becomeStale()
    case 173..<177: breakSounds()
    case 177..<179: unset()
    case 179: finishAlarms()
    case 180..<184: acknowledge()
    case 184..<190: snooze()
    case 190: returnDevice()
    case 191..<197: reload()
    default: restart()
    }
    answerPlays()
    compareTriggers()
    steps += 1
    if steps.isMultiple(of: 8) { compareRecords() }
  }

  /// Nothing more comes: what waits ends, alarms continue.
  mutating func finish() {
    collectVerdicts()
    for _ in 0..<20 where disagreement == nil {
      time += 1 + random.below(40)
      advance()
      answerPlays()
      compareTriggers()
    }
    collectVerdicts()
    compareRecords()
  }

  /// Lets time pass: little, so that things coincide, to a deadline or near it, or seldom far or backwards.
  private mutating func pass() {
    switch random.below(20) {
    case 0..<12: time += random.below(4)
    case 12..<14: time += random.below(40)
    case 14..<18:
      guard let next = model.nextDeadline else { return }
      time = max(time, Int(next / 1_000_000) + random.pick([-1, 0, 0, 0, 0, 0, 1, 3, 4, 20, 21]))
    case 18: if random.chance(20) { time += random.pick([500, 501, 1_000, 1_000]) }
    case 19:
      // When an alarm that lost its voice may look for one at once again.
      guard let last = model.triggers.compactMap(\.alarm.lastRetry).last else { return }
      time = max(time, Int((last + NaiveAlarm.retryInterval) / 1_000_000) + random.pick([-1, 0, 0]))
    default: break
    }
  }

  /// Now, or seldom what a clock that ran backwards says.
  mutating func now() -> Instant {
    let reading = random.chance(3) ? time - random.below(5) : time
    return Instant(nanoseconds: Int64(reading) * 1_000_000)
  }

  private mutating func advance() {
    let now = now()
    note { _ in "\(now.milliseconds): advance" }
    both({ $0.advance(to: now) }, { $0.advance(to: now.nanoseconds) })
  }

  // MARK: Values

  /// Sets some values in one transaction, whose members come in any order.
  private mutating func update(_ count: Int) {
    var members = [random.chance(50) ? favourite : random.below(RandomValue.names.count)]
    while members.count < count {
      let next = random.below(RandomValue.names.count)
      if !members.contains(next) { members.append(next) }
    }
    members.shuffle(using: &random)
    let now = now()
    for value in members where isStale[value] {
      isStale[value] = false
      note { _ in "\(now.milliseconds): \(RandomValue.names[value]) is reported" }
      both(
        { $0.reported(ValueID(index: value), at: now) }, { $0.reported(value, at: now.nanoseconds) })
    }
    var changes: [Change] = []
    for value in members { if let change = change(of: value) { changes.append(change) } }
    note { _ in "\(now.milliseconds): \(changes.map(Self.describe).joined(separator: ", "))" }
    both({ $0.receive(changes, at: now) }, { $0.receive(changes, at: now.nanoseconds) })
  }

  private mutating func change(of value: Int) -> Change? {
    var new = random.pick(RandomValue.contents(of: value))
    if value == 2 || value == 3, random.chance(4) {
      new = random.chance(50) ? RandomValue.huge : RandomValue.oddContent(of: value) ?? new
    }
    // Seldom a value begins anew, as if its source had been replaced.
    let old = random.chance(2) ? nil : contents[value]
    contents[value] = new
    if old == new, value != RandomValue.event { return nil }
    let id = ValueID(index: value)
    let last = old == nil ? lastRun[value] : nil
    let isChange = old != nil || beginsAtNothing[value] && last != new
    var saved: SavedContent?
    if let last, last != new {
      saved = SavedContent(last, as: last.kind(isEvent: value == RandomValue.event))
      // An earlier version has saved no numbers.
      if random.chance(10) { saved?.number = nil }
    }
    return Change(
      value: id, old: old ?? (isChange ? nil : new), new: new, isAppearance: !isChange, saved: saved)
  }

  private static func describe(_ change: Change) -> String {
    let name = RandomValue.names[change.value.index]
    let old = change.isAppearance ? "appears," : change.old.map { "\($0)" } ?? "nothing"
    return "\(name) \(old) -> \(change.new)" + (change.differsFromLastRun ? " (not as before)" : "")
  }

  private mutating func becomeStale() {
    let value = random.below(RandomValue.names.count)
    guard !isStale[value] else { return }
    isStale[value] = true
    let (last, now) = (contents[value], now())
    note { _ in "\(now.milliseconds): \(RandomValue.names[value]) is stale, last \(last.map { "\($0)" } ?? "nothing")" }
    both(
      { $0.becameStale(ValueID(index: value), last: last, at: now) },
      { $0.becameStale(value, last: last, at: now.nanoseconds) })
  }

  /// A value loses its content, because a client lets soundd forget it, or because a reload reads it in another way. If it is
  /// stale it stays so.
  private mutating func unset() {
    let value = random.below(RandomValue.names.count)
    (contents[value], lastRun[value], beginsAtNothing[value]) = (nil, nil, false)
    let now = now()
    if random.chance(50) {
      note { _ in "\(now.milliseconds): \(RandomValue.names[value]) is read anew" }
      return both({ $0.readAnew(ValueID(index: value), at: now) }, { $0.readAnew(value, at: now.nanoseconds) })
    }
    note { _ in "\(now.milliseconds): \(RandomValue.names[value]) is forgotten" }
    both({ $0.forget(ValueID(index: value), at: now) }, { $0.unset(value, at: now.nanoseconds) })
  }

  // MARK: Plays

  /// Answers plays that are starting, now or later.
  private mutating func answerPlays() {
    let starting = running.filter { !$0.isHeard }.map(\.play)
    for play in starting where random.chance(max(promptness, 10)) { answer(play) }
  }

  private mutating func answer(_ play: Play) {
    guard random.chance(audibility) else {
      running.removeAll { $0.play.id == play.id }
      return report(.refused(play, random.pick([.crowded, .crowded, .noDevice, .broken, .ending])))
    }
    for place in running.indices where running[place].play.id == play.id { running[place].isHeard = true }
    report(.heard(play, isMuted: random.chance(15)))
  }

  /// Ends one sound or several at once, at the same time as whatever else is due.
  private mutating func endSounds() {
    let count = random.chance(30) ? 2 + random.below(3) : 1
    for _ in 0..<count where random.chance(endings) {
      let candidates = running.indices.filter { running[$0].isHeard || running[$0].stop != nil }
      guard !candidates.isEmpty else { return }
      let ended = running.remove(at: random.pick(candidates))
      let ending: PlayEvent.Ending =
        if !ended.isHeard {
          .cancelled
        } else {
          ended.stop.map { .stopped(by: $0) } ?? random.pick([.finished, .stolen, .stopped(by: .hand)])
        }
      report(.ended(ended.play, ending))
      // What has ended does so no more.
      if random.chance(3) { report(.ended(ended.play, ending)) }
    }
  }

  private mutating func report(_ event: PlayEvent) {
    let now = now()
    note { _ in "\(now.milliseconds): \(event)" }
    both({ $0.receive(event, at: now) }, { $0.receive(event, at: now.nanoseconds) })
  }

  // MARK: Circumstances

  private mutating func breakSounds() {
    let broken = random.brokenSounds()
    let now = now()
    note { _ in "\(now.milliseconds): broken are \(broken.sorted())" }
    both({ $0.setMissingSounds(MissingSounds(broken: broken), at: now) }, { $0.setBroken(broken, at: now.nanoseconds) })
  }

  private mutating func changeProfile() {
    let profile = random.pick([.full, .full, Profile.quiet, .silent])
    let now = now()
    note { _ in "\(now.milliseconds): profile \(profile)" }
    both({ $0.setProfile(profile, at: now) }, { $0.setProfile(profile, at: now.nanoseconds) })
    let (actual, expected) = (engine.profile, model.stage.profile)
    expect(actual == expected) { _ in "the profile is \(actual), expected \(expected)" }
  }

  private mutating func callOff() {
    let triggers = random.chance(25) ? Array(definitions.indices) : [random.below(definitions.count)]
    for trigger in triggers {
      let now = now()
      note { "\(now.milliseconds): call off \($0.definitions[trigger].name)" }
      both({ $0.callOff(TriggerID(index: trigger), at: now) }, { $0.callOff(trigger, at: now.nanoseconds) })
    }
  }

  private mutating func stopSounds() {
    let now = now()
    note { _ in "\(now.milliseconds): stop all" }
    both({ $0.stopSounds(by: .hand, at: now) }, { $0.stopSounds(at: now.nanoseconds) })
  }

  private mutating func finishAlarms() {
    let now = now()
    note { _ in "\(now.milliseconds): finish alarms" }
    both({ $0.finishAlarms(at: now) }, { $0.finishAlarms(at: now.nanoseconds) })
    let endless = engine.endlessAlarm
    expect(endless == nil) { _ in "\(endless as Any) sounds without end" }
  }

  private mutating func returnDevice() {
    let now = now()
    note { _ in "\(now.milliseconds): the device is back" }
    both({ $0.deviceReturned(at: now) }, { $0.deviceReturned(at: now.nanoseconds) })
  }

  /// Lets both do the same, and compares what they make of it.
  mutating func both(_ act: (inout TriggerEngine) -> Void, _ actOnModel: (inout NaiveEngine) -> Void) {
    guard disagreement == nil else { return }
    act(&engine)
    actOnModel(&model)
    compareDecisions()
    for decision in engine.decisions { perform(decision) }
    engine.removeDecisions()
    model.stage.decisions.removeAll(keepingCapacity: true)
    compareDeadlines()
  }

  private mutating func perform(_ decision: Decision) {
    switch decision {
    case .play(let play):
      plays += 1
      running.append(Running(play: play))
    case .stop(let id, let cause, _):
      stops += 1
      causes.insert(cause.rawValue)
      // What has ended by itself meanwhile is not there.
      for place in running.indices where running[place].play.id == id { running[place].stop = cause }
    case .finish: break
    case .adjust: adjustments += 1
    }
  }
}
