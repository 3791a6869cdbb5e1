import SoundTrigger
import Testing

/// The engine against `NaiveTrigger`, on random definitions, changes, times and reloads.
@Suite struct TriggerEnginePropertyTests {
  private static let stepsPerEpisode = 50

  @Test(arguments: [0x5EED, UInt64.random(in: .min ... .max)])
  func `agrees with the naive model over 200,000 random steps`(seed: UInt64) {
    print("trigger engine property test: seed \(seed)")
    var played = 0
    for episode in 0..<(200_000 / Self.stepsPerEpisode) {
      var run = Episode(random: SplitMix(state: seed &+ UInt64(episode)))
      for _ in 0..<Self.stepsPerEpisode { run.step() }
      run.finish()
      played += run.rig.plays.count
      if let disagreement = run.disagreement {
        Issue.record("seed \(seed), episode \(episode): \(disagreement)")
        return
      }
    }
    // Agreement on silence alone would prove little.
    #expect(played > 20_000)
  }
}

/// One engine from start to end, and for each trigger that ever was what it should have played.
private struct Episode {
  private struct Incarnation {
    var model: NaiveTrigger
    /// When it was removed; `nil`: it still runs.
    var end: Int64?
  }

  private static let names = ["v0", "v1", "v2", "e0"].map(ValueName.name)

  private(set) var rig = TriggerRig([])
  private(set) var disagreement: String?
  private var random: SplitMix
  private var incarnations: [Incarnation] = []
  private var retired: [TriggerDefinition] = []
  private var contents: [ValueName: Value] = [:]
  private var time: Int64 = 0
  private var nextName = 0

  init(random: SplitMix) {
    self.random = random
    rig.advance(to: 0)
    reload()
  }

  mutating func step() {
    // Now and then time jumps, and seldom it is told wrongly.
    let told = random.chance(20) ? time - random.below(5) : time + random.below(random.chance(10) ? 40 : 4)
    switch random.below(100) {
    case 0..<3: reload()
    case 3..<15:
      time = max(time, told)
      rig.advance(to: told)
    default:
      time = max(time, told)
      change(told)
    }
    if let deadline = rig.engine.nextDeadline, deadline <= Instant(time) {
      disagreement = disagreement ?? "at \(time) ms the next deadline is in the past"
    }
  }

  mutating func finish() {
    time += 1_000
    rig.advance(to: time)
    if rig.engine.nextDeadline != nil { disagreement = disagreement ?? "a deadline is left over" }
    if rig.times != rig.times.sorted() { disagreement = disagreement ?? "plays are not in the order of time" }
    // The model's plays of all incarnations of a trigger follow one another: no two of them live at once.
    for (name, incarnations) in Dictionary(grouping: incarnations, by: { $0.model.definition.name }) {
      let expected = incarnations.flatMap { incarnation in
        incarnation.model.plays(until: incarnation.end ?? time)
          .map { TriggerRig.Play(trigger: name, sound: $0.sound, at: $0.time) }
      }
      let actual = rig.plays.filter { $0.trigger == name }
      guard actual != expected else { continue }
      let histories = incarnations.map { incarnation in
        incarnation.model.history.map { "\($0.time): \($0.change)" }.joined(separator: "\n")
      }
      disagreement =
        disagreement
        ?? "\(incarnations[0].model.definition)\n\(histories)\nplayed \(actual)\nexpected \(expected)"
    }
  }

  private mutating func change(_ told: Int64) {
    let name = random.pick(Self.names)
    let isEvent = name == .e0
    let new: Value =
      name.description < "v2" && !isEvent ? .number(Double(random.below(9)) / 2) : .utf8(random.pick(["a", "b", "c"]))
    // Seldom a value begins anew, as if its source had been replaced.
    let old = random.chance(2) ? nil : contents[name]
    contents[name] = new
    if old == new, !isEvent { return rig.advance(to: told) }
    let change = Change(value: TriggerRig.id(name), old: old ?? new, new: new, isAppearance: old == nil)
    for index in incarnations.indices
    where incarnations[index].end == nil && incarnations[index].model.definition.value == name {
      incarnations[index].model.history.append(.init(time: time, change: change))
    }
    rig.process(change, at: told)
  }

  /// Keeps some of the triggers, brings back some that were there before, and adds some.
  private mutating func reload() {
    var definitions = rig.engine.definitions
    var removed: [TriggerDefinition] = []
    for index in incarnations.indices where incarnations[index].end == nil && random.chance(30) {
      incarnations[index].end = time
      let definition = incarnations[index].model.definition
      definitions.removeAll { $0 == definition }
      removed.append(definition)
    }
    while definitions.count < 5 {
      let definition = !retired.isEmpty && random.chance(30) ? retired.removeLast() : randomDefinition()
      definitions.append(definition)
      let isEvent = TriggerRig.isEvent(TriggerRig.id(definition.value))
      incarnations.append(Incarnation(model: NaiveTrigger(definition: definition, isEvent: isEvent)))
    }
    retired += removed
    rig.reload(definitions.shuffled(using: &random))
  }

  private mutating func randomDefinition() -> TriggerDefinition {
    nextName += 1
    let name = random.pick(Self.names)
    let isNumber = name.description == "v0" || name.description == "v1"
    let values: [Value] = isNumber ? (0..<9).map { .number(Double($0) / 2) } : ["a", "b", "c"].map { .utf8($0) }
    var definition = TriggerDefinition.test(name: "t\(nextName)", value: name)
    if random.chance(40) {
      let sounds = values.filter { _ in random.chance(70) }.map { ($0, "s\(random.below(3))") }
      definition.sound = .table(Dictionary(uniqueKeysWithValues: sounds), otherwise: random.chance(50) ? "o" : nil)
    }
    if random.chance(25) { definition.when = random.pick([.increase, .decrease]) }
    if random.chance(25) { definition.from = values.filter { _ in random.chance(60) } }
    if random.chance(25) { definition.to = values.filter { _ in random.chance(60) } }
    if isNumber ? random.chance(60) : random.chance(5) {
      let line = Double(random.below(7)) / 2
      let hysteresis = Double(random.below(4)) / 2
      let width = Double(1 + random.below(4)) / 2
      definition.threshold = random.pick([
        Threshold(above: line, hysteresis: hysteresis), Threshold(below: line, hysteresis: hysteresis),
        Threshold(above: line + width, below: line, hysteresis: hysteresis),
      ])
    }
    definition.initial = random.chance(30)
    if random.chance(50) { definition.debounce = .milliseconds(1 + random.below(12)) }
    if random.chance(40) { definition.throttle = .milliseconds(1 + random.below(25)) }
    return definition
  }
}

/// SplitMix64: a small generator that gives the same numbers for the same seed everywhere.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ limit: Int64) -> Int64 { Int64.random(in: 0..<limit, using: &self) }

  mutating func chance(_ percent: Int64) -> Bool { below(100) < percent }

  mutating func pick<T>(_ choices: [T]) -> T { choices[Int(below(Int64(choices.count)))] }
}
