import SoundTrigger
import TestSupport

/// Random choices, the same for the same seed.
struct TestRandom: RandomNumberGenerator {
  private var generator: SplitMix64

  init(state: UInt64) { generator = SplitMix64(seed: state) }

  mutating func next() -> UInt64 { generator.next() }

  mutating func below(_ limit: Int) -> Int { Int(next() >> 33) % limit }

  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }

  mutating func some<T>(_ choices: [T], percent: Int) -> [T] {
    var kept: [T] = []
    for choice in choices where chance(percent) { kept.append(choice) }
    return kept.isEmpty ? [pick(choices)] : kept
  }
}

extension TestRandom {
  /// A trigger that can work, with several keys as often as not.
  mutating func definition(name: String) -> TriggerDefinition {
    let group = pick(RandomValue.groups)
    let values = RandomValue.contents(of: group[0])
    let isNumber = group[0] == 0
    let watched = group.count > 1 && chance(30) ? (chance(50) ? group : group.reversed()) : [pick(group)]
    var definition = TriggerDefinition(
      name: name, values: watched.map { RandomValue.names[$0] }, sound: sound(values),
      fresh: .milliseconds(pick([0, 3, 20, 500])))
    if chance(8) {
      definition.when = .stale
    } else if isNumber, chance(15) {
      definition.when = chance(50) ? .increase : .decrease
    }
    if definition.when != .stale {
      if chance(8) { definition.from = some(values, percent: 60) }
      if isNumber, chance(40) { definition.threshold = threshold() }
      if chance(30) { definition.initial = chance(50) ? .yes : .ifChanged }
      if chance(30) { definition.timing.debounce = .milliseconds(1 + below(12)) }
    }
    if chance(25) { definition.to = some(values, percent: 50) }
    if chance(10) { definition.matches = pick(RandomValue.patterns) }
    if chance(30) { definition.timing.delay = .milliseconds(1 + below(12)) }
    if chance(30) { definition.timing.throttle = .milliseconds(1 + below(25)) }
    if chance(20) { definition.cancel = pick(RandomValue.names.filter { !definition.values.contains($0) }) }
    if chance(15) {
      definition.unless = some(RandomValue.gates, percent: 50).filter { !definition.values.contains($0) }
    }
    if mayLoop(definition), chance(60) {
      definition.loop = loop()
    } else {
      definition.timing.overlap = pick([.mix, .restart, .ignore, .queue])
    }
    definition.settings.importance = pick([.low, .normal, .high, .critical, .critical])
    return definition
  }

  private func mayLoop(_ definition: TriggerDefinition) -> Bool {
    let hasState = !definition.to.isEmpty || definition.threshold != nil || definition.matches != nil
    guard case .table(_, let otherwise) = definition.sound else { return hasState || definition.when == .stale }
    return definition.values.count == 1 && (hasState || definition.when == .stale || otherwise == nil)
  }

  private mutating func sound(_ values: [Value]) -> SoundChoice {
    switch below(4) {
    case 0:
      var table: [Value: String] = [:]
      for value in some(values, percent: 70) { table[value] = "s\(below(3))" }
      return .table(table, otherwise: chance(50) ? "o" : nil)
    case 1: return .list(["s0", "s1", "s2"], .cycle)
    case 2: return .list(["s0", "s3"], .random)
    default: return .sound("s\(below(3))")
    }
  }

  private mutating func threshold() -> Threshold {
    let line = Double(below(7)) / 2
    let hysteresis = Double(below(4)) / 2
    let width = Double(1 + below(4)) / 2
    return switch below(3) {
    case 0: Threshold(above: line, hysteresis: hysteresis)
    case 1: Threshold(below: line, hysteresis: hysteresis)
    default: Threshold(above: line + width, below: line, hysteresis: hysteresis)
    }
  }

  private mutating func loop() -> TriggerDefinition.Loop {
    var loop = TriggerDefinition.Loop()
    if chance(50) { for _ in 0...below(3) { loop.every.append(.milliseconds(1 + below(15))) } }
    if chance(30) { loop.limit = .milliseconds(1 + below(40)) }
    loop.latch = chance(30)
    if chance(30) { loop.offDelay = .milliseconds(1 + below(12)) }
    if chance(25) { loop.realarm = .milliseconds(1 + below(30)) }
    if chance(30) {
      var after = 0
      for _ in 0...below(3) {
        after += 1 + below(15)
        loop.escalation.append(step(after: .milliseconds(after)))
      }
    }
    return loop
  }

  private mutating func step(after: Duration) -> TriggerDefinition.Escalation {
    var step = TriggerDefinition.Escalation(after: after)
    if chance(40) { step.volume = Double(below(5)) / 4 }
    if chance(40) { step.sound = "s\(below(4))" }
    if chance(50) || step.volume == nil && step.sound == nil {
      step.importance = pick([.low, .normal, .high, .critical])
    }
    return step
  }

  /// What values that are true make of the profile.
  mutating func profileGates() -> [ValueName: Profile] {
    chance(70)
      ? [:]
      : Dictionary(uniqueKeysWithValues: some(RandomValue.gates, percent: 40).map { ($0, pick([.quiet, .silent])) })
  }

  /// The trigger with other settings, but the same name and mostly the same condition.
  mutating func variant(of definition: TriggerDefinition) -> TriggerDefinition {
    var variant = definition
    switch definition.loop != nil && chance(50) ? 0 : below(8) {
    case 0: variant.settings.volume = Double(below(5)) / 4
    case 1: variant.settings.importance = pick([.low, .normal, .high, .critical])
    case 2: variant.initial = pick([.yes, .ifChanged])
    case 3: variant.loop = definition.loop == nil ? nil : loop()
    case 4: variant.timing.throttle = .milliseconds(1 + below(25))
    case 5: if definition.values.count > 1 { variant.values.removeLast() }
    case 6:
      variant.unless = definition.unless.isEmpty ? RandomValue.gates.filter { !definition.values.contains($0) } : []
    default: variant.sound = sound(RandomValue.contents(of: RandomValue.place(definition.values[0])))
    }
    if variant.initial != .no, variant.when == .stale { variant.initial = .no }
    if variant.loop != nil, !mayLoop(variant) { variant.sound = .sound("s1") }
    if variant.loop != nil, !mayLoop(variant) { variant.loop = nil }
    return variant
  }

  /// Sounds that are not loaded. Those of which one is picked at random are broken together.
  mutating func brokenSounds() -> Set<String> {
    if chance(40) { return [] }
    return Set(some([["s0", "s3"], ["s1"], ["s2"], ["o"]], percent: 25).joined())
  }
}

/// The values of a random world: two numbers, a text, an event, a truth, a document and another truth.
enum RandomValue {
  static let names = ["n0", "n1", "t0", "e0", "b0", "j0", "b1"].compactMap { ValueName($0) }
  static let event = 3
  /// Those that silence triggers while they are true.
  static let gates = [names[4], names[6]]

  /// Values of which the same can be asked.
  static let groups = [[0, 1], [0, 1], [0, 1], [2, 3], [2, 3], [4, 6], [5]]

  static func place(_ name: ValueName) -> Int { names.firstIndex(of: name) ?? 0 }

  static func contents(of place: Int) -> [Value] {
    switch place {
    case 0, 1: numbers
    case 2, 3: texts
    case 4, 6: truths
    default: documents
    }
  }

  /// What may come seldom, beside the usual contents.
  static func oddContent(of place: Int) -> Value? { place == 2 || place == 3 ? oddTexts.first : nil }

  /// Content too long to be kept.
  static let huge = Value.fingerprint(Fingerprint(length: 70_000, digest: SIMD8(repeating: 7)))

  private static let numbers = (0..<9).map { Value.number(Double($0) / 2) }
  private static let texts = ["a", "b", "c"].map { Value.text(Array($0.utf8)) }
  private static let truths = [Value.bool(false), .bool(true)]
  private static let documents = ["[1]", "[2]", "\"a\""].map { Value.json(Array($0.utf8)) }
  private static let oddTexts = [Value.text(Array(repeating: UInt8(ascii: "a"), count: 130) + [UInt8(ascii: "!")])]

  /// Expressions of which each finds some contents of most values.
  /// The costly one counts twice, because few contents make it too costly.
  static let patterns = ["a", "^[bc1]", "[1-3]$", "\\.5", "^t|2|c", "^(a|aa)+$", "^(a|aa)+$"]
    .compactMap { try? Pattern($0) }
}
