/// Everything that must hold for a change to play, save for its timing.
struct TriggerCondition: Hashable, Sendable {
  private let when: TriggerDefinition.Direction
  private let from: [Value]
  private let to: [Value]
  private var gate: ThresholdGate?

  init(_ definition: TriggerDefinition) {
    when = definition.when
    from = definition.from
    to = definition.to
    gate = definition.threshold.map { ThresholdGate($0) }
  }

  /// Begins at a value without judging it.
  mutating func begin(at value: Value) {
    gate?.begin(at: value)
  }

  /// Remembers what another condition of the same definition remembered.
  mutating func inherit(from other: TriggerCondition) {
    gate = other.gate
  }

  /// What stands in the way of a change, or `nil` if everything holds.
  ///
  /// The threshold sees every change, also those that something else refuses.
  mutating func obstacle(old: Value, new: Value, isAppearance: Bool) -> Verdict? {
    let thresholdObstacle = gate?.move(from: old, to: new, isAppearance: isAppearance)
    if let obstacle = directionObstacle(old: old, new: new) { return obstacle }
    if !from.isEmpty, !from.contains(old) { return .notFrom }
    if !to.isEmpty, !to.contains(new) { return .notTo }
    return thresholdObstacle
  }

  private func directionObstacle(old: Value, new: Value) -> Verdict? {
    guard when != .change else { return nil }
    guard case .number(let old) = old, case .number(let new) = new else { return .notANumber }
    switch when {
    case .change: return nil
    case .increase: return new > old ? nil : .notIncreased
    case .decrease: return new < old ? nil : .notDecreased
    }
  }
}
