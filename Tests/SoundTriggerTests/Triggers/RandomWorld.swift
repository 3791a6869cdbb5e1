import SoundTrigger

/// The engine and the naive model in one random world, told the same and compared after every step.
///
/// Times are milliseconds.
struct RandomWorld {
  /// The first difference between the two.
  var disagreement: String?
  /// What was done so far, if anybody wants to know.
  var log: [String]?
  /// The kinds of verdicts that were seen at its end.
  var verdicts: Set<Verdict> = []
  var plays = 0
  var stops = 0

  var random: TestRandom
  var engine: TriggerEngine
  var model: NaiveEngine
  var asked: [TriggerAction] = []
  let answers: [Verdict]
  private var answered = 0
  private var contents = [Value?](repeating: nil, count: RandomValue.names.count)
  private var lastRun = [Value?](repeating: nil, count: RandomValue.names.count)
  private var isStale = [Bool](repeating: false, count: RandomValue.names.count)
  /// How many sounds run, per trigger.
  var voices: [Int]
  var time = 0
  /// Names and sounds before a reload.
  var sounds: [String] = []
  var definitions: [TriggerDefinition]
  private var retired: [TriggerDefinition] = []
  private var nextName = 0
  private var steps = 0
  /// The value that changes most, and how many in a hundred sounds that may end do.
  private let favourite: Int
  private let endings: Int

  init(seed: UInt64, isLogged: Bool = false) {
    random = TestRandom(state: seed)
    answers = random.answers()
    definitions = []
    log = isLogged ? [] : nil
    for _ in 0..<(1 + random.below(4)) {
      nextName += 1
      definitions.append(random.definition(name: "t\(nextName)"))
    }
    favourite = RandomValue.place(random.pick(random.pick(definitions).values))
    endings = random.pick([5, 60, 100])
    engine = Self.engine(definitions)
    model = Self.model(definitions, answers)
    voices = Array(repeating: 0, count: definitions.count)
    sounds = engine.sounds
    note { "triggers\n\(Self.describe($0.definitions))" }
    advance()
  }

  private static func engine(_ definitions: [TriggerDefinition]) -> TriggerEngine {
    TriggerEngine(
      definitions: definitions, resolve: { ValueID(index: RandomValue.place($0)) },
      isEvent: { $0.index == RandomValue.event }, seed: 1)
  }

  private static func model(_ definitions: [TriggerDefinition], _ answers: [Verdict]) -> NaiveEngine {
    NaiveEngine(
      definitions, answers: answers, place: RandomValue.place, isEvent: { $0 == RandomValue.event })
  }

  private static func describe(_ definitions: [TriggerDefinition]) -> String {
    definitions.map { "  \($0)" }.joined(separator: "\n")
  }

  // MARK: What happens

  /// One random event.
  mutating func step() {
    steps += 1
    pass()
    switch random.below(200) {
    case 0..<110: update()
    case 110..<122: for _ in 0..<(2 + random.below(3)) { update() }
    case 122..<146: advance()
    case 146..<168: endSound()
    case 168..<176: changeProfile()
    case 176..<180: callOff()
    case 180..<188: becomeStale()
    case 188..<192: retry()
    case 192..<194: leaveUnheard()
    case 194..<198: reload()
    case 198: restore()
    default: restart()
    }
    if steps.isMultiple(of: 8) { compareRecords() }
  }

  /// Nothing more comes: what waits ends, loops go on.
  mutating func finish() {
    collectVerdicts()
    for _ in 0..<20 where disagreement == nil {
      time += 1 + random.below(40)
      advance()
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
      // When a loop that others took the place of may come back at once again.
      guard let last = model.triggers.compactMap({ $0.loop?.lastComeback }).last else { return }
      time = max(time, Int((last + NaiveLoop.restartInterval) / 1_000_000) + random.pick([-1, 0, 0]))
    default: break
    }
  }

  /// Now, or seldom what a clock that ran backwards says.
  private mutating func now() -> Instant {
    let told = random.chance(3) ? time - random.below(5) : time
    return Instant(nanoseconds: Int64(told) * 1_000_000)
  }

  private mutating func advance() {
    let now = now()
    note { _ in "\(now.milliseconds): advance" }
    both({ $0.advance(to: now, $1) }, { $0.advance(to: now.nanoseconds) })
  }

  private mutating func update() {
    let value = random.chance(50) ? favourite : random.below(RandomValue.names.count)
    let id = ValueID(index: value)
    var new = random.pick(RandomValue.contents(of: value))
    if value == 2 || value == 3, random.chance(4) {
      new = random.chance(50) ? RandomValue.huge : RandomValue.oddContent(of: value) ?? new
    }
    let now = now()
    if isStale[value] {
      isStale[value] = false
      note { _ in "\(now.milliseconds): \(RandomValue.names[value]) is reported" }
      both({ $0.reported(id, at: now, $1) }, { $0.reported(value, at: now.nanoseconds) })
    }
    // Seldom a value begins anew, as if its source had been replaced.
    let old = random.chance(2) ? nil : contents[value]
    contents[value] = new
    if old == new, value != RandomValue.event { return }
    let change = Change(
      value: id, old: old ?? new, new: new, isAppearance: old == nil,
      differsFromLastRun: old == nil && lastRun[value].map { $0 != new } ?? false)
    note { _ in
      "\(now.milliseconds): \(RandomValue.names[value]) \(old.map { "\($0)" } ?? "appears,") -> \(new)"
        + (change.differsFromLastRun ? " (not as before)" : "")
    }
    both({ $0.process(change, at: now, $1) }, { $0.process(change, at: now.nanoseconds) })
  }

  private mutating func endSound() {
    guard random.chance(endings) else { return }
    let isSpurious = random.chance(3)
    let candidates = voices.indices.filter { isSpurious || voices[$0] > 0 }
    guard !candidates.isEmpty else { return }
    let trigger = random.pick(candidates)
    for _ in 0..<(random.chance(30) ? voices[trigger] : 1) {
      let now = now()
      note { "\(now.milliseconds): a sound of \($0.definitions[trigger].name) ends" }
      voices[trigger] = max(0, voices[trigger] - 1)
      both(
        { $0.soundEnded(TriggerID(index: trigger), at: now, $1) },
        { $0.soundEnded(trigger, at: now.nanoseconds) })
    }
  }

  private mutating func changeProfile() {
    let profile = random.pick([.full, .full, Profile.quiet, .silent])
    let now = now()
    note { _ in "\(now.milliseconds): profile \(profile)" }
    both({ $0.setProfile(profile, at: now, $1) }, { $0.setProfile(profile, at: now.nanoseconds) })
    let actual = engine.profile
    expect(actual == profile) { _ in "the profile is \(actual), expected \(profile)" }
  }

  private mutating func callOff() {
    let triggers = random.chance(25) ? Array(definitions.indices) : [random.below(definitions.count)]
    for trigger in triggers {
      let now = now()
      note { "\(now.milliseconds): call off \($0.definitions[trigger].name)" }
      both(
        { $0.callOff(TriggerID(index: trigger), at: now, $1) }, { $0.callOff(trigger, at: now.nanoseconds) })
    }
  }

  private mutating func becomeStale() {
    let value = random.below(RandomValue.names.count)
    guard !isStale[value] else { return }
    isStale[value] = true
    let (last, now) = (contents[value], now())
    note { _ in "\(now.milliseconds): \(RandomValue.names[value]) is stale, last \(last.map { "\($0)" } ?? "nothing")" }
    both(
      { $0.becameStale(ValueID(index: value), last: last, at: now, $1) },
      { $0.becameStale(value, last: last, at: now.nanoseconds) })
  }

  private mutating func retry() {
    let now = now()
    note { _ in "\(now.milliseconds): retry loops" }
    both({ $0.retryLoops(at: now, $1) }, { $0.retryLoops(at: now.nanoseconds) })
  }

  private mutating func leaveUnheard() {
    // Only what was played once and still runs is ever stopped for want of a device.
    let candidates = voices.indices.filter { voices[$0] > 0 && definitions[$0].loop == nil }
    guard !candidates.isEmpty else { return }
    let trigger = random.pick(candidates)
    let now = now()
    note { "\(now.milliseconds): nobody heard \($0.definitions[trigger].name)" }
    both(
      { engine, _ in engine.noteUnheard(TriggerID(index: trigger), at: now) },
      { $0.noteUnheard(trigger, at: now.nanoseconds) })
  }

  private mutating func restore() {
    let definition = random.pick(definitions)
    let last = Int64(time - random.below(30)) * 1_000_000
    note { _ in "the last play of \(definition.name) was at \(last / 1_000_000)" }
    both(
      { engine, _ in engine.restore(lastPlay: Instant(nanoseconds: last), of: definition.name) },
      { $0.restore(lastPlay: last, of: definition.name) })
  }

  /// Keeps most triggers, changes, removes and brings back some, and adds some.
  private mutating func reload() {
    var next: [TriggerDefinition] = []
    var gone: [TriggerDefinition] = []
    for definition in definitions {
      if random.chance(70) {
        next.append(definition)
      } else {
        gone.append(definition)
        if random.chance(50) { next.append(random.definition(name: definition.name)) }
      }
    }
    if !retired.isEmpty, random.chance(50) {
      let back = retired.removeLast()
      if next.allSatisfy({ $0.name != back.name }) { next.append(back) }
    }
    while next.isEmpty || next.count < 6 && random.chance(30) {
      nextName += 1
      next.append(random.definition(name: "t\(nextName)"))
    }
    retired += gone
    next.shuffle(using: &random)
    let now = now()
    note { _ in "\(now.milliseconds): reload\n\(Self.describe(next))" }
    both(
      {
        $0.replace(
          definitions: next, resolve: { ValueID(index: RandomValue.place($0)) },
          isEvent: { $0.index == RandomValue.event }, at: now, $1)
      }, { $0.replace(next, at: now.nanoseconds) })
    // Sounds of a trigger that is gone end without anybody being told.
    voices = next.map { definition in definitions.firstIndex(of: definition).map { voices[$0] } ?? 0 }
    definitions = next
    sounds = engine.sounds
  }

  /// What lies in a state file survives, and nothing else.
  private mutating func restart() {
    note { _ in "restart" }
    compareRecords()
    let throttles = definitions.indices.compactMap { index in
      engine.lastPlay(of: TriggerID(index: index)).map { (definitions[index].name, $0) }
    }
    let profile = engine.profile
    engine = Self.engine(definitions)
    model = Self.model(definitions, answers)
    answered = 0
    for (name, last) in throttles {
      engine.restore(lastPlay: last, of: name)
      model.restore(lastPlay: last.nanoseconds, of: name)
    }
    for value in contents.indices { lastRun[value] = contents[value] ?? lastRun[value] }
    contents = contents.map { _ in nil }
    isStale = isStale.map { _ in false }
    voices = voices.map { _ in 0 }
    let now = now()
    both({ $0.setProfile(profile, at: now, $1) }, { $0.setProfile(profile, at: now.nanoseconds) })
  }

  /// Tells both the same, and compares what they make of it.
  private mutating func both(
    _ tell: (inout TriggerEngine, (TriggerAction) -> Verdict) -> Void, _ tellModel: (inout NaiveEngine) -> Void
  ) {
    guard disagreement == nil else { return }
    asked.removeAll(keepingCapacity: true)
    let (asked, answered, voices) = perform(tell)
    self.asked = asked
    self.answered = answered
    self.voices = voices
    model.stage.forgetActions()
    tellModel(&model)
    compareActions()
    compareTriggers()
  }

  private mutating func perform(
    _ tell: (inout TriggerEngine, (TriggerAction) -> Verdict) -> Void
  ) -> (asked: [TriggerAction], answered: Int, voices: [Int]) {
    var (asked, answered, voices, answers) = (asked, answered, voices, answers)
    tell(&engine) { action in
      asked.append(action)
      guard case .play(let trigger, _, _, _, _) = action else { return .played }
      answered += 1
      let answer = answers[(answered - 1) % answers.count]
      if answer == .played || answer == .muted { voices[trigger.index] += 1 }
      return answer
    }
    return (asked, answered, voices)
  }
}
