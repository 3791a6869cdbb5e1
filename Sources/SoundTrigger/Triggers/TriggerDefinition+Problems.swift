extension TriggerDefinition {
  /// The longest `debounce` and `throttle`.
  package static let longestInterval = Duration.seconds(365 * 86_400)

  /// All reasons why this trigger cannot work on a value of a kind; empty if it can.
  package func problems(kind: ValueKind) -> [TriggerProblem] {
    var problems = directionProblems(kind) + (threshold?.problems(kind) ?? [])
    problems += listProblems("from", from, kind) + listProblems("to", to, kind)
    // What contradicts itself is only worth saying of parts that are sound in themselves.
    if problems.isEmpty { problems += contradictions(kind) }
    return problems + soundProblems(kind) + intervalProblem("debounce", debounce)
      + intervalProblem("throttle", throttle) + settings.problems
  }

  private func directionProblems(_ kind: ValueKind) -> [TriggerProblem] {
    guard when != .change, kind != .number else { return [] }
    let message = "\"\(when.rawValue)\" compares numbers, and \(value) is of type \"\(kind.rawValue)\""
    return [TriggerProblem(key: "when", message: message)]
  }

  private func listProblems(_ key: String, _ values: [Value], _ kind: ValueKind) -> [TriggerProblem] {
    guard !values.allSatisfy({ kind.admits($0) }) else { return [] }
    let message = "\(value) is of type \"\(kind.rawValue)\" and can never equal this"
    return [TriggerProblem(key: key, message: message)]
  }

  private func soundProblems(_ kind: ValueKind) -> [TriggerProblem] {
    switch sound {
    case .sound(""): return [TriggerProblem(key: "sound", message: "names no sound")]
    case .sound: return []
    case .table(let sounds, let otherwise):
      if sounds.isEmpty, otherwise == nil {
        return [TriggerProblem(key: "sounds", message: "the table is empty: add a value and its sound, or \"*\"")]
      }
      if sounds.values.contains("") || otherwise == "" {
        return [
          TriggerProblem(key: "sounds", message: "an entry names no sound; leave out a value that is to be silent")
        ]
      }
      let mismatch = listProblems("sounds", Array(sounds.keys), kind)
      if mismatch.isEmpty, otherwise == nil, !to.isEmpty, to.allSatisfy({ sounds[$0] == nil }) {
        return [TriggerProblem(key: "sounds", message: "has a sound for none of the values in to")]
      }
      return mismatch
    }
  }

  private func intervalProblem(_ key: String, _ interval: Duration?) -> [TriggerProblem] {
    guard let interval else { return [] }
    if interval <= .zero { return [TriggerProblem(key: key, message: "must be longer than 0")] }
    if interval > Self.longestInterval { return [TriggerProblem(key: key, message: "must be at most 365 days")] }
    return []
  }

  /// Conditions that each make sense, but never hold together.
  private func contradictions(_ kind: ValueKind) -> [TriggerProblem] {
    var problems: [TriggerProblem] = []
    if kind != .event, !initial, let only = from.first, !to.isEmpty, (from + to).allSatisfy({ $0 == only }) {
      let message = "is the same value as from, and a value that stays the same has not changed"
      problems.append(TriggerProblem(key: "to", message: message))
    }
    problems += directionContradictions()
    if let threshold { problems += thresholdContradictions(threshold) }
    return problems
  }

  private func directionContradictions() -> [TriggerProblem] {
    guard when != .change else { return [] }
    var problems: [TriggerProblem] = []
    let (rises, word) = (when == .increase, when.rawValue)
    if let threshold, threshold.above == nil || threshold.below == nil {
      let impossible = rises ? threshold.below : threshold.above
      if let line = impossible.map(Threshold.text) {
        let message = "a number that comes to lie \(rises ? "below" : "above") \(line) cannot do so by \"\(word)\""
        problems.append(TriggerProblem(key: "when", message: message))
      }
    }
    if let lowest = from.compactMap(\.number).min(), let highest = from.compactMap(\.number).max(),
      !to.isEmpty, to.compactMap(\.number).allSatisfy({ rises ? $0 <= lowest : $0 >= highest })
    {
      let message = "\"\(word)\" cannot lead from any value in from to one in to"
      problems.append(TriggerProblem(key: "when", message: message))
    }
    return problems
  }

  private func thresholdContradictions(_ threshold: Threshold) -> [TriggerProblem] {
    var problems: [TriggerProblem] = []
    if !to.isEmpty, !to.compactMap(\.number).contains(where: threshold.contains) {
      problems.append(TriggerProblem(key: "to", message: "no value here lies \(threshold.place)"))
    }
    // With two lines a number may come from beyond one of them to beyond the other.
    let isOneLine = threshold.above == nil || threshold.below == nil
    if isOneLine, !initial, !from.isEmpty, from.compactMap(\.number).allSatisfy(threshold.contains) {
      let message = "every value here lies \(threshold.place), so that it cannot come there from one of them"
      problems.append(TriggerProblem(key: "from", message: message))
    }
    return problems
  }
}

extension Value {
  fileprivate var number: Double? {
    if case .number(let number) = self { number } else { nil }
  }
}

extension ValueKind {
  /// Whether a value of this kind can equal that content.
  fileprivate func admits(_ value: Value) -> Bool {
    switch (self, value) {
    case (.text, .text), (.event, .text), (.bool, .bool), (.json, .json): true
    case (.number, .number(let number)): !number.isNaN
    case (.text, .fingerprint), (.event, .fingerprint), (.json, .fingerprint): true
    default: false
    }
  }
}

extension Threshold {
  fileprivate func problems(_ kind: ValueKind) -> [TriggerProblem] {
    let lines = [("above", above), ("below", below)].compactMap { key, line in line.map { (key, $0) } }
    let keys = lines.map(\.0) + (hysteresis == 0 ? [] : ["hysteresis"])
    if kind != .number, let key = keys.first {
      let message = "is a condition on numbers; the value is of type \"\(kind.rawValue)\" (type = \"number\"?)"
      return [TriggerProblem(key: key, message: message)]
    }
    var problems: [TriggerProblem] = []
    for (key, line) in lines where !line.isFinite {
      problems.append(TriggerProblem(key: key, message: "must be a finite number"))
    }
    if lines.isEmpty {
      problems.append(TriggerProblem(key: "hysteresis", message: "needs above or below: the line to go back past"))
    } else if !hysteresis.isFinite || hysteresis < 0 {
      problems.append(TriggerProblem(key: "hysteresis", message: "must be a finite number, 0 or more"))
    }
    if let above, let below, below >= above {
      let message =
        "\(Self.text(below)) must be less than above (\(Self.text(above))): the numbers between them are left alone"
      problems.append(TriggerProblem(key: "below", message: message))
    }
    return problems
  }

  /// Whether a number lies beyond either line.
  fileprivate func contains(_ number: Double) -> Bool {
    number > above ?? .infinity || number < below ?? -.infinity
  }

  /// Where the numbers are that lie beyond either line, in words.
  fileprivate var place: String {
    [above.map { "above \(Self.text($0))" }, below.map { "below \(Self.text($0))" }]
      .compactMap(\.self).joined(separator: " or ")
  }

  /// A number as people write it: without a fraction if it has none.
  fileprivate static func text(_ number: Double) -> String {
    Int64(exactly: number).map { "\($0)" } ?? "\(number)"
  }
}
