import TestSupport

/// Random choices, the same for the same seed.
struct TestRandom: RandomNumberGenerator {
  private var generator: SeededGenerator

  init(state: UInt64) { generator = SeededGenerator(seed: state) }

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
