/// A trigger on patterns. Each value that one of them names has a trigger of its own, a member, with its own waits, throttle and
/// alarm. It joins with its first content, and leaves when its value is forgotten and it rests.
struct TriggerRule: Sendable {
  let shared: TriggerMachine.Shared
  /// The index of each member's trigger.
  var members: [ValueName: Int] = [:]
  /// From when the throttle counts of members of an earlier run that have not joined yet.
  var lastPlays: [ValueName: Instant] = [:]
}

/// The triggers on patterns.
struct TriggerRules: Sendable {
  /// By the indices of their triggers.
  private(set) var all: [Int: TriggerRule] = [:]
  /// The rules that a name concerns.
  private(set) var table = PatternTable<Int>()
  /// The members without a value that may rest.
  var leavers: Set<Int> = []

  mutating func add(_ shared: TriggerMachine.Shared, at index: Int) {
    all[index] = TriggerRule(shared: shared)
    for pattern in shared.definition.patterns { table.add(pattern, index) }
    for name in shared.definition.values { table.add(ValuePattern(exactly: name), index) }
  }

  /// Sorts triggers, each once, with the members of each rule instead of the rule.
  func expand(_ triggers: inout [Int]) {
    if !all.isEmpty { triggers = triggers.flatMap { all[$0].map { Array($0.members.values) } ?? [$0] } }
    triggers.sort()
    var last = -1
    triggers.removeAll { trigger in
      defer { last = trigger }
      return trigger == last
    }
  }

  subscript(index: Int) -> TriggerRule? {
    get { all[index] }
    _modify { yield &all[index] }
  }
}

/// Whether a trigger is the member of a rule, and of which.
///
/// No `Optional`, because Swift copies the whole machine to look into one.
struct Membership: Sendable {
  /// The indices of the rule and of the value; -1 if it is no member.
  var (rule, value) = (-1, -1)
  /// The value; `nil` if it is no member.
  var name: ValueName?
  /// Whether its value was forgotten.
  var isVacant = false

  var exists: Bool { @inline(__always) get { rule >= 0 } }
}

extension TriggerEngine {
  /// The members of a rule, in the order in which they joined; `nil`: the trigger is none.
  package func members(of trigger: TriggerID) -> [TriggerID]? {
    rules[trigger.index].map { $0.members.values.sorted().map { TriggerID(index: $0) } }
  }

  /// The member of a rule that does most: one that loops, sounds or waits, the most important first.
  package func loudestMember(of rule: TriggerID) -> TriggerID? {
    let ranked = members(of: rule)?.map {
      (machines[$0.index].activity.state.rank, machines[$0.index].alarmRank, $0)
    }
    return ranked?.max { ($0.0, $0.1) < ($1.0, $1.1) }?.2
  }

  /// The rule of a member, or the trigger itself.
  package func rule(of trigger: TriggerID) -> TriggerID {
    machines[trigger.index].membership.exists ? TriggerID(index: machines[trigger.index].membership.rule) : trigger
  }

  /// The rule and the value that the name of a member names, whether or not there is the member.
  func member(named name: String) -> (rule: Int, member: ValueName)? {
    guard let member = name.memberValue.flatMap({ ValueName($0) }), let index = indices[name.ruleName],
      rules[index] != nil
    else { return nil }
    return (index, member)
  }

  /// The value that a restored alarm of this name is about; `nil` unless it is that of a member.
  package func value(ofMember name: String) -> ValueName? {
    guard let (rule, member) = member(named: name), rules.table.elements(matching: member).contains(rule) else {
      return nil
    }
    return member
  }

  /// Whether members are on a value, so that its index is not free.
  package func isKept(_ value: ValueID) -> Bool {
    watchers.indices.contains(value.index)
      && watchers[value.index].watching.contains { machines[$0.trigger].membership.exists }
  }

  /// Whether an alarm on a value is not normal.
  package func hasAlarm(on value: ValueID) -> Bool {
    watchers.indices.contains(value.index)
      && watchers[value.index].watching.contains { machines[$0.trigger].life != .normal }
  }

  /// Lets a value that has its first content join the rules that name it. `isEvent`: whether every arrival is a change.
  package mutating func join(_ value: ValueID, _ name: ValueName, isEvent: Bool) {
    for rule in rules.table.elements(matching: name) { join(rule, value, name, isEvent: isEvent) }
  }

  private mutating func join(_ rule: Int, _ value: ValueID, _ name: ValueName, isEvent: Bool) {
    if let member = rules[rule]?.members[name] {
      machines[member].membership.isVacant = false
      return
    }
    guard let shared = rules[rule]?.shared else { return }
    let membership = Membership(rule: rule, value: value.index, name: name)
    let index = place { TriggerMachine(shared, index: $0, isEvent: [isEvent], membership) }
    machines[index].lastHeardPlay = rules[rule]?.lastPlays.removeValue(forKey: name)
    rules[rule]?.members[name] = index
    addWatchers(of: value) { $0.watching.append((index, 0)) }
  }

  /// Removes the members whose values were forgotten and that rest. Returns the values on which no member is left.
  package mutating func removeLeavers() -> [ValueID] {
    var left: [ValueID] = []
    for trigger in rules.leavers.sorted() {
      let membership = machines[trigger].membership
      guard membership.isVacant, machines[trigger].isAtRest,
        !context.groups.values.contains(where: { $0.holds(trigger) })
      else { continue }
      leave(trigger, membership)
      if !isKept(ValueID(index: membership.value)) { left.append(ValueID(index: membership.value)) }
    }
    rules.leavers.removeAll()
    return left
  }

  /// Whether `removeLeavers` has anything to look at.
  package var hasLeavers: Bool { !rules.leavers.isEmpty }

  private mutating func leave(_ trigger: Int, _ membership: Membership) {
    if let name = membership.name { rules[membership.rule]?.members[name] = nil }
    machines[membership.rule].counters.add(machines[trigger].counters)
    watchers[membership.value].watching.removeAll { $0.trigger == trigger }
    deadlines.set(nil, order: trigger, for: trigger)
    waitingAlarms.remove(trigger)
    machines[trigger] = TriggerMachine(machines[trigger].shared, index: trigger, isEvent: [])
    freeIndices.append(trigger)
  }
}

extension TriggerMachine {
  /// Whether nothing sounds, waits or is silenced.
  var isAtRest: Bool { activity.state == .resting && life == .normal && alarm.snoozedUntil == nil && queue.isEmpty }
}

extension PlayGroup {
  fileprivate func holds(_ trigger: Int) -> Bool { held.contains { $0.trigger == trigger } }
}

extension TriggerActivity.State {
  fileprivate var rank: Int {
    switch self {
    case .resting: 0
    case .waiting: 1
    case .sounding: 2
    case .looping: 3
    }
  }
}

/// The name of a member is `TRIGGER[VALUE]`; no trigger of a configuration has brackets in its name.
extension String {
  /// The name of a member.
  init(member value: ValueName, of rule: String) { self = "\(rule)[\(value)]" }

  /// The trigger of the configuration that a trigger's name stands for: itself, or the rule of a member.
  package var ruleName: String { memberBracket.map { String(self[..<$0]) } ?? self }

  /// The value in the name of a member; `nil` if it is that of no member.
  package var memberValue: Substring? { memberBracket.map { self[index(after: $0)...].dropLast() } }

  private var memberBracket: Index? {
    utf8.last == UInt8(ascii: "]") ? utf8.firstIndex(of: UInt8(ascii: "[")) : nil
  }
}

extension ValueName {
  /// Where a member sounds, -1 (left) to 1 (right), and how much higher, -2 to 2 semitones: the same in each run and on each machine.
  var spread: (pan: Double, pitch: Float) {
    // FNV-1a, and its upper bits, because names often differ in their last byte alone.
    let hash = description.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    let mixed = (hash ^ hash >> 32) &* 0x9e37_79b9_7f4a_7c15
    func part(_ bits: UInt64) -> Double { Double(bits & 0xFF_FFFF) / Double(1 << 23) - 1 }
    return (part(mixed >> 40), Float(2 * part(mixed >> 16)))
  }
}
