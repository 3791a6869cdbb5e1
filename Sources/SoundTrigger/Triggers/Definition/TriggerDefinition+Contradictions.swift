/// Finds conditions that each make sense, but never hold together.
extension TriggerDefinition {
  func contradictions(_ watched: [WatchedValue]) -> [TriggerProblem] {
    var problems: [TriggerProblem] = []
    let mayRepeat = watched.contains { $0.kind == .event }
    if !mayRepeat, initial == .no, let only = from.first, !to.isEmpty, (from + to).allSatisfy({ $0 == only }) {
      let message = "is the same value as from, and a value that stays the same has not changed"
      problems.append(TriggerProblem(key: "to", message: message))
    }
    problems += directionContradictions()
    if let threshold { problems += thresholdContradictions(threshold) }
    if let matches, !to.isEmpty, !to.contains(where: { $0.mayMatch(matches) }) {
      problems.append(TriggerProblem(key: "matches", message: "matches none of the values in to"))
    }
    return problems
  }

  private func directionContradictions() -> [TriggerProblem] {
    guard when == .increase || when == .decrease else { return [] }
    var problems: [TriggerProblem] = []
    let (rises, word) = (when == .increase, when.rawValue)
    if let threshold, threshold.above == nil || threshold.below == nil {
      let impossible = rises ? threshold.below : threshold.above
      if let line = impossible?.shortestText {
        let message = "a number that gets \(rises ? "below" : "above") \(line) does not \(word)"
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
    // With two lines a number may jump from beyond one of them to beyond the other.
    let isOneLine = threshold.above == nil || threshold.below == nil
    if isOneLine, initial == .no, !from.isEmpty, from.compactMap(\.number).allSatisfy(threshold.contains) {
      let message = "every value here is \(threshold.place) already, so a change from one of them crosses nothing"
      problems.append(TriggerProblem(key: "from", message: message))
    }
    return problems
  }
}

extension Value {
  fileprivate var number: Double? {
    if case .number(let number) = self { number } else { nil }
  }

  /// Whether an expression may match the content; true for a content that is no text.
  fileprivate func mayMatch(_ pattern: Pattern) -> Bool {
    switch self {
    case .text(let bytes), .json(let bytes): bytes.withSpan { pattern.search($0) } != .nothing
    case .number, .bool, .fingerprint: true
    }
  }
}
