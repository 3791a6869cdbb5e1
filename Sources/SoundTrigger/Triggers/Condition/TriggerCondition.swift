/// Everything that must hold before a change plays, apart from timing.
struct TriggerCondition: Sendable {
  /// The result of judging a change.
  struct Judgement {
    /// The first condition that does not admit a play; `nil` if all do.
    var obstacle: Verdict?
    /// Whether the conditions on the present value (`to`, `matches`, the threshold, the table of sounds of a loop) hold, so
    /// that a delay or a loop continues. Always true without such conditions.
    var holds: Bool
  }

  private let when: TriggerDefinition.Direction
  private let from: [Value]
  private let to: [Value]
  private let matches: Pattern?
  private var gate: ThresholdGate?

  init(_ definition: TriggerDefinition) {
    when = definition.when
    from = definition.from
    to = definition.to
    matches = definition.matches
    gate = definition.threshold.map { ThresholdGate($0) }
  }

  /// Starts at a value without judging it.
  mutating func begin(at value: Value) {
    gate?.begin(at: value)
  }

  /// Judges a change. `old` is `nil` if the value had no content before.
  ///
  /// The threshold sees every change, also one that another condition refuses.
  mutating func judge(
    old: Value?, new: Value, isAppearance: Bool, within budget: inout SearchBudget
  ) -> Judgement {
    let thresholdObstacle = gate?.move(from: old, to: new, isFirst: isAppearance || old == nil)
    let stateObstacle = stateObstacle(new, &budget)
    let holds = stateObstacle == nil && when != .stale && gate?.isCrossed ?? true
    if let obstacle = directionObstacle(old: old, new: new) { return Judgement(obstacle: obstacle, holds: holds) }
    if !from.isEmpty, !(old.map(from.contains) ?? false) { return Judgement(obstacle: .notFrom, holds: holds) }
    return Judgement(obstacle: stateObstacle ?? thresholdObstacle, holds: holds)
  }

  /// Judges that a value became stale. `last` is `nil` if the value never had any content.
  func judgeStale(last: Value?, within budget: inout SearchBudget) -> Judgement {
    let obstacle: Verdict? =
      if let last { stateObstacle(last, &budget) } else if !to.isEmpty { .notTo } else if matches != nil {
        .notMatching
      } else {
        nil
      }
    return Judgement(obstacle: obstacle, holds: obstacle == nil)
  }

  /// Whether the conditions on a value hold, after the condition began at it.
  func holds(_ value: Value, within budget: inout SearchBudget) -> Bool {
    when != .stale && stateObstacle(value, &budget) == nil && gate?.isCrossed ?? true
  }

  /// The first of `to` and `matches` that does not hold for a value.
  private func stateObstacle(_ value: Value, _ budget: inout SearchBudget) -> Verdict? {
    if !to.isEmpty, !to.contains(value) { return .notTo }
    guard let matches else { return nil }
    return switch value.search(for: matches, within: &budget) {
    case .found?: nil
    case .nothing?: .notMatching
    case .tooCostly?: .tooCostlyToMatch
    case .overBudget?: .overBudget
    case nil: .tooLongToMatch
    }
  }

  private func directionObstacle(old: Value?, new: Value) -> Verdict? {
    switch when {
    case .change: return nil
    case .stale: return .notStale
    case .increase, .decrease: break
    }
    guard let new = new.number else { return .notANumber }
    guard let old else { return when == .increase ? .notIncreased : .notDecreased }
    guard let old = old.number else { return .notANumber }
    return when == .increase ? (new > old ? nil : .notIncreased) : (new < old ? nil : .notDecreased)
  }
}

extension Value {
  /// The content of a number; `nil` for any other kind.
  var number: Double? {
    if case .number(let number) = self { number } else { nil }
  }

  /// Searches the content as it is written; `nil` if the content is too long to be kept.
  fileprivate func search(for pattern: Pattern, within budget: inout SearchBudget) -> Pattern.Finding? {
    switch self {
    case .text(let bytes), .json(let bytes): bytes.withSpan { pattern.search($0, within: &budget) }
    case .number(let number): pattern.search(number.shortestText.utf8Span.span, within: &budget)
    case .bool(let bool): pattern.search((bool ? "true" : "false").utf8Span.span, within: &budget)
    case .fingerprint: nil
    }
  }
}
