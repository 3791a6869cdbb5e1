import SoundTrigger

/// A rule for four members in a random world, and beside it the same trigger on each of their values alone. Both receive the same,
/// and are compared after every step.
///
/// Times are milliseconds.
struct RuleWorld {
  /// A play of the member and the same one of the trigger alone.
  private struct Pair {
    var member: Int
    var plays: [Play]
    var isHeard = false
    var isStopping = false
  }

  /// The trigger of one value alone.
  private struct Single {
    var engine: TriggerEngine
    /// Whether its value was forgotten, so that it begins anew when it rests.
    var isLeaving = false
    var isThere = false
  }

  private static let members = (0..<4).compactMap { ValueName("m/\($0)") }
  private static let (cancel, gate) = (ValueID(index: 4), ValueID(index: 5))
  private static let patterns = ["m/*", "*"].compactMap { ValuePattern($0) }

  /// The first difference between the two.
  private(set) var disagreement: String?
  private(set) var (plays, departures, log) = (0, 0, [String]())
  private var random: TestRandom
  private let rule: TriggerDefinition
  private let kinds: [Value]
  private let isEvent: Bool
  private var engine: TriggerEngine
  private var singles: [Single] = []
  private var contents: [ValueID: Value] = [:]
  private var running: [Pair] = []
  private var stale: Set<Int> = []
  /// The member of each play of the rule.
  private var owners: [PlayID: Int] = [:]
  /// The number of each play among those of its member, and how many there were: of the rule, and of each trigger alone.
  private var numbers = [[PlayID: Int]](repeating: [:], count: 5)
  private var counts = [[Int]](repeating: [0, 0, 0, 0], count: 5)
  private var (profile, broken) = (Profile.full, Set<String>())
  private var time = 0
  private var now: Instant { Instant(nanoseconds: Int64(time) * 1_000_000) }

  init(seed: UInt64) {
    random = TestRandom(state: seed)
    var rule = random.definition(name: "r")
    kinds = RandomValue.contents(of: RandomValue.place(rule.values[0]))
    isEvent = RandomValue.place(rule.values[0]) == RandomValue.event
    // What one picks at random differs from what the other picks.
    if case .list(let names, .random) = rule.sound { rule.sound = .list(names, .cycle) }
    (rule.values, rule.patterns) = (random.chance(20) ? [Self.members[2]] : [], [random.pick(Self.patterns)])
    rule.cancel = rule.cancel == nil ? nil : ValueName("c")
    rule.unless = rule.unless.isEmpty ? [] : [ValueName("g")].compactMap(\.self)
    self.rule = rule
    engine = Self.engine(rule, isEvent)
    for member in Self.members.indices { singles.append(Single(engine: Self.engine(alone(member), isEvent))) }
    engine.notesVerdicts = true
  }

  private static func engine(_ definition: TriggerDefinition, _ isEvent: Bool) -> TriggerEngine {
    var engine = TriggerEngine(definitions: [definition], resolve: id, isEvent: { $0.index < 4 && isEvent }, seed: 1)
    engine.notesVerdicts = true
    return engine
  }

  private static func id(_ name: ValueName) -> ValueID {
    members.firstIndex(of: name).map { ValueID(index: $0) } ?? (name.description == "c" ? cancel : gate)
  }

  /// The trigger of one value, as a configuration without patterns would have it.
  private func alone(_ member: Int) -> TriggerDefinition {
    var alone = rule
    (alone.name, alone.values, alone.patterns) = ("r[\(Self.members[member])]", [Self.members[member]], [])
    return alone
  }

  // MARK: What happens

  mutating func step() {
    time += random.chance(60) ? random.below(4) : random.below(60)
    all("advance") { $0.advance(to: $1) }
    switch random.below(100) {
    case 0..<52: update()
    case 52..<60: forget(random.below(4))
    case 60..<66: break
    case 66..<76: endSound()
    case 76..<80: setProfile()
    case 80..<82: setBroken()
    case 82..<85: becomeStale(random.below(4))
    case 85..<92: act(on: random.below(4))
    case 92: all("stop all") { $0.stopSounds(by: .hand, at: $1) }
    case 93: all("device") { $0.deviceReturned(at: $1) }
    case 94..<97: reload()
    default: restart()
    }
    answer()
    leave()
    compare()
  }

  /// Does the same to all engines.
  private mutating func all(_ what: String, _ body: (inout TriggerEngine, Instant) -> Void) {
    log.append("\(time): \(what)")
    body(&engine, now)
    for member in singles.indices { body(&singles[member].engine, now) }
    perform()
  }

  /// Does something to a member's trigger in both.
  private mutating func both(
    _ what: String, _ member: Int, _ body: (inout TriggerEngine, TriggerID, Instant) -> Void
  ) {
    guard let id = engine.trigger(named: "r[\(Self.members[member])]") else { return }
    log.append("\(time): \(what) \(member)")
    body(&engine, id, now)
    body(&singles[member].engine, TriggerID(index: 0), now)
    perform()
  }

  private mutating func update() {
    var changes: [Change] = []
    for index in 0..<6 where random.chance(25) {
      let id = ValueID(index: index)
      let new =
        index < 4 ? random.pick(kinds) : index == 4 ? Value.number(Double(time)) : .bool(random.chance(40))
      let old = contents.updateValue(new, forKey: id)
      if old == new, !(index < 4 && isEvent) { continue }
      if stale.remove(index) != nil { reported(index) }
      let isChange = old != nil || random.chance(20)
      changes.append(
        Change(
          value: id, old: old ?? (isChange ? nil : new), new: new, isAppearance: !isChange,
          differsFromLastRun: !isChange && random.chance(50)))
    }
    log.append("\(time): \(changes.map { "\($0.value.index) \($0.isAppearance ? "appears" : "=") \($0.new)" })")
    for change in changes where change.isFirst && change.value.index < 4 { join(change.value.index) }
    engine.receive(changes, at: now)
    for member in singles.indices {
      singles[member].engine.receive(changes.filter { $0.value.index == member || $0.value.index > 3 }, at: now)
    }
    perform()
  }

  private mutating func join(_ member: Int) {
    engine.join(ValueID(index: member), Self.members[member], isEvent: isEvent)
    (singles[member].isThere, singles[member].isLeaving) = (true, false)
  }

  private mutating func forget(_ member: Int) {
    guard contents.removeValue(forKey: ValueID(index: member)) != nil else { return }
    stale.remove(member)
    log.append("\(time): forget \(member)")
    engine.forget(ValueID(index: member), at: now)
    // What is stale alone stays so, and what is forgotten is not expected any more.
    if rule.when == .stale { singles[member].engine.reported(ValueID(index: member), at: now) }
    singles[member].engine.forget(ValueID(index: member), at: now)
    singles[member].isLeaving = true
    perform()
  }

  private mutating func becomeStale(_ member: Int) {
    let id = ValueID(index: member)
    guard let last = contents[id], stale.insert(member).inserted else { return }
    log.append("\(time): stale \(member)")
    engine.becameStale(id, last: last, at: now)
    singles[member].engine.becameStale(id, last: last, at: now)
    perform()
  }

  private mutating func reported(_ index: Int) {
    log.append("\(time): reported \(index)")
    engine.reported(ValueID(index: index), at: now)
    if index < 4 { singles[index].engine.reported(ValueID(index: index), at: now) }
    perform()
  }

  private mutating func act(on member: Int) {
    let end = random.chance(70) ? Instant(nanoseconds: Int64(time + 1 + random.below(40)) * 1_000_000) : nil
    switch random.below(3) {
    case 0: both("ack", member) { _ = $0.acknowledge($1, at: $2) }
    case 1: both("snooze", member) { if $0.alarm($1) != nil { $0.snooze($1, until: end, at: $2) } }
    default: both("call off", member) { $0.callOff($1, at: $2) }
    }
  }

  private mutating func setProfile() {
    let chosen = random.pick([.full, .full, Profile.quiet, .silent])
    profile = chosen
    all("profile \(profile)") { $0.setProfile(chosen, at: $1) }
  }

  private mutating func setBroken() {
    let sounds = random.chance(50) ? [] : random.brokenSounds()
    broken = sounds
    all("broken \(sounds.sorted())") { $0.setMissingSounds(MissingSounds(broken: sounds), at: $1) }
  }

  private mutating func reload() {
    log.append("\(time): reload")
    let (contents, isEvent, now) = (contents, isEvent, now)
    func replace(_ engine: inout TriggerEngine, _ definition: TriggerDefinition) {
      engine.replace(
        definitions: [definition], resolve: Self.id, isEvent: { $0.index < 4 && isEvent },
        values: Self.members.map { (Self.id($0), $0) }, contents: { contents[$0] }, at: now)
    }
    replace(&engine, rule)
    for member in singles.indices { replace(&singles[member].engine, alone(member)) }
    perform()
  }

  /// Ends this run, and begins another one that restores what outlives it.
  private mutating func restart() {
    log.append("\(time): restart")
    let old = engine
    (contents, running, stale) = ([:], [], [])
    engine = fresh(rule)
    for member in singles.indices {
      let (name, single) = (alone(member).name, singles[member].engine)
      singles[member] = Single(engine: fresh(alone(member)))
      if let last = old.trigger(named: name).flatMap({ old.lastHeardPlay(of: $0) }) {
        engine.restore(lastPlay: last, of: name)
      }
      if let last = single.lastHeardPlay(of: TriggerID(index: 0)) {
        singles[member].engine.restore(lastPlay: last, of: name)
      }
      guard let record = single.alarmRecord(of: TriggerID(index: 0)) else { continue }
      join(member)
      engine.restore(record, of: name, at: now)
      singles[member].engine.restore(record, of: name, at: now)
      singles[member].isLeaving = true
    }
    all("resume") { $0.resumeAlarms(at: $1) }
  }

  /// An engine that knows the present circumstances, and no value.
  private func fresh(_ definition: TriggerDefinition) -> TriggerEngine {
    var engine = Self.engine(definition, isEvent)
    engine.setProfile(profile, at: now)
    engine.setMissingSounds(MissingSounds(broken: broken), at: now)
    if let content = contents[Self.gate] {
      engine.receive([Change(value: Self.gate, old: content, new: content, isAppearance: true)], at: now)
    }
    return engine
  }

  // MARK: Plays

  private mutating func answer() {
    for index in running.indices.reversed() where !running[index].isHeard && random.chance(60) {
      if random.chance(80) {
        running[index].isHeard = true
        let isMuted = random.chance(15)
        report(running[index]) { .heard($0, isMuted: isMuted) }
      } else {
        // A crowd concerns all triggers of an engine.
        let refusal = random.pick([PlayEvent.Refusal.noDevice, .broken])
        report(running.remove(at: index)) { .refused($0, refusal) }
      }
    }
  }

  private mutating func endSound() {
    guard let index = running.indices.filter({ running[$0].isHeard }).randomElement(using: &random) else { return }
    let pair = running.remove(at: index)
    report(pair) { .ended($0, pair.isStopping ? .stopped(by: .hand) : .finished) }
  }

  private mutating func report(_ pair: Pair, _ event: (Play) -> PlayEvent) {
    log.append("\(time): \(event(pair.plays[0]))")
    engine.receive(event(pair.plays[0]), at: now)
    singles[pair.member].engine.receive(event(pair.plays[1]), at: now)
    perform()
  }

  /// Takes the decisions of all engines, and compares them member by member.
  private mutating func perform() {
    var own = [[Decision]](repeating: [], count: 4)
    for decision in engine.decisions {
      let member = member(of: decision)
      own[member].append(decision)
      if case .play(let play) = decision { owners[play.id] = member }
    }
    engine.removeDecisions()
    for member in singles.indices {
      let others = singles[member].engine.decisions
      singles[member].engine.removeDecisions()
      let texts = (own[member].map { number($0, 0, member) }, others.map { number($0, 1 + member, member) })
      expect("\(texts.0)", "\(texts.1)", "decisions of \(member)")
      for case (.play(let mine), .play(let other)) in zip(own[member], others) {
        plays += 1
        running.append(Pair(member: member, plays: [mine, other]))
      }
      for case .stop(let id, _, _) in own[member] {
        for index in running.indices where running[index].plays[0].id == id { running[index].isStopping = true }
      }
    }
    let verdicts = engine.takeVerdicts()
    for member in singles.indices {
      let name = alone(member).name
      expect(
        "\(verdicts.filter { $0.trigger == name }.map(\.unnumbered))",
        "\(singles[member].engine.takeVerdicts().map(\.unnumbered))", "verdicts of \(member)")
    }
  }

  private func member(of decision: Decision) -> Int {
    switch decision {
    case .play(let play): Self.members.firstIndex { "r[\($0)]" == play.trigger } ?? 0
    case .stop(let id, _, _), .finish(let id), .adjust(let id, _): owners[id] ?? 0
    }
  }

  /// A decision with the plays of a member numbered from 1, in the rule's engine (0) or that of the trigger alone.
  private mutating func number(_ decision: Decision, _ side: Int, _ member: Int) -> String {
    switch decision {
    case .play(let play):
      counts[side][member] += 1
      numbers[side][play.id] = counts[side][member]
      return
        "\(play.trigger ?? "") \(play.sound) \(play.settings) \(play.loops) \(play.spareEquals) \(play.fresh as Any) "
        + "\(play.cause as Any) \(play.at)"
    case .stop(let id, let cause, let at): return "stop \(numbers[side][id] ?? 0) \(cause) \(at)"
    case .finish(let id): return "finish \(numbers[side][id] ?? 0)"
    case .adjust(let id, let settings): return "adjust \(numbers[side][id] ?? 0) \(settings)"
    }
  }

  // MARK: Comparison

  /// Members whose values were forgotten leave when they rest.
  private mutating func leave() {
    _ = engine.removeLeavers()
    for member in singles.indices where singles[member].isLeaving {
      let (single, id) = (singles[member].engine, TriggerID(index: 0))
      let alarm = single.alarm(id)
      guard single.activity(of: id) == TriggerActivity(state: .resting), alarm?.life ?? .normal == .normal,
        alarm?.snoozedUntil == nil
      else { continue }
      departures += 1
      singles[member] = Single(engine: fresh(alone(member)))
    }
  }

  private mutating func compare() {
    for member in singles.indices {
      let single = singles[member]
      guard let id = engine.trigger(named: alone(member).name) else {
        expect("absent", single.isThere ? "there" : "absent", "\(member)")
        continue
      }
      expect("there", single.isThere ? "there" : "absent", "\(member)")
      let other = TriggerID(index: 0)
      expect(
        "\(engine.alarm(id)?.unnumbered as Any)", "\(single.engine.alarm(other)?.unnumbered as Any)",
        "alarm of \(member)")
      expect("\(engine.activity(of: id))", "\(single.engine.activity(of: other))", "activity of \(member)")
      expect("\(engine.counters(of: id))", "\(single.engine.counters(of: other))", "counters of \(member)")
      expect(
        "\(engine.judgedChanges(of: id).map(\.unnumbered))",
        "\(single.engine.judgedChanges(of: other).map(\.unnumbered))", "changes of \(member)")
      expect(
        "\(engine.alarmRecord(of: id)?.unnumbered as Any)",
        "\(single.engine.alarmRecord(of: other)?.unnumbered as Any)", "record of \(member)")
    }
  }

  private mutating func expect(_ actual: String, _ expected: String, _ what: String) {
    if disagreement == nil, actual != expected {
      disagreement = "\(time): \(what)\n  member: \(actual)\n  alone:  \(expected)\n\(rule)"
    }
  }
}

extension TriggerVerdict {
  fileprivate var unnumbered: TriggerVerdict {
    var verdict = self
    verdict.change.id = 0
    return verdict
  }
}

extension AlarmReport {
  fileprivate var unnumbered: AlarmReport {
    var report = self
    report.id = nil
    return report
  }
}

extension AlarmRecord {
  fileprivate var unnumbered: AlarmRecord {
    var record = self
    record.id = nil
    return record
  }
}
