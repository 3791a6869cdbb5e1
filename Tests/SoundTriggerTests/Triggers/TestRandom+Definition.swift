import SoundTrigger

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
      if chance(30) { definition.debounce = .milliseconds(1 + below(12)) }
    }
    if chance(25) { definition.to = some(values, percent: 50) }
    if chance(10) { definition.matches = pick(RandomValue.patterns) }
    if chance(30) { definition.delay = .milliseconds(1 + below(12)) }
    if chance(30) { definition.throttle = .milliseconds(1 + below(25)) }
    if chance(20) { definition.cancel = pick(RandomValue.names.filter { !definition.values.contains($0) }) }
    let hasState = !definition.to.isEmpty || definition.threshold != nil || definition.matches != nil
    if hasState || definition.when == .stale, chance(40) {
      definition.loop = loop()
    } else {
      definition.overlap = pick([.mix, .restart, .ignore, .queue])
    }
    definition.settings.importance = pick([.low, .normal, .high, .critical, .critical])
    return definition
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
    TriggerDefinition.Loop(
      every: chance(50) ? .milliseconds(1 + below(15)) : nil, limit: chance(40) ? .milliseconds(1 + below(40)) : nil)
  }

  /// What may become of a play, mostly that it is heard.
  mutating func answers() -> [Verdict] {
    (0..<61).map { _ in chance(80) ? .played : pick([.muted, .muted, .broken, .crowded, .noDevice, .ending]) }
  }
}
