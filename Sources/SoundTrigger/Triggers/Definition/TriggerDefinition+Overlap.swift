extension TriggerDefinition {
  /// Whether there is a change of one value for which both play. `false` if their conditions cannot be compared: two different
  /// thresholds, or two different expressions.
  package func overlaps(_ other: TriggerDefinition) -> Bool {
    if (when == .stale) != (other.when == .stale) { return false }
    if when != other.when, when != .change, other.when != .change { return false }
    if !from.isEmpty, !other.from.isEmpty, Set(from).isDisjoint(with: other.from) { return false }
    if let threshold, let others = other.threshold, threshold != others { return false }
    if let matches, let others = other.matches, matches != others { return false }
    let (own, others) = (contents, other.contents)
    guard let common = own.flatMap({ own in others.map(own.intersection) ?? own }) ?? others else { return true }
    return common.contains { admits($0) && other.admits($0) }
  }

  /// The only new values for which it plays; `nil` if there are others.
  private var contents: Set<Value>? {
    let table: Set<Value>? = if case .table(let table, nil) = sound { Set(table.keys) } else { nil }
    return to.isEmpty ? table : table.map { $0.intersection(to) } ?? Set(to)
  }

  /// Whether expression and threshold allow a new value.
  private func admits(_ value: Value) -> Bool {
    if let threshold, case .number(let number) = value {
      let isBeyond = threshold.above.map { number > $0 } ?? false || threshold.below.map { number < $0 } ?? false
      if !isBeyond { return false }
    }
    guard let matches else { return true }
    let isFound = value.withText { if case .found = matches.search($0) { true } else { false } }
    return isFound ?? false
  }
}
