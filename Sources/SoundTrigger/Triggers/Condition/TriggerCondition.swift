/// Everything that must hold before a change plays, apart from timing.
struct TriggerCondition: Sendable {
  /// The result of judging a change.
  struct Judgement {
    /// The verdict of the first condition that does not admit a play; `nil` if all do.
    var verdict: Verdict?
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

  /// Starts at a value that has met the conditions since an earlier one: a number that has not gone back far enough meets them
  /// still.
  mutating func resume(at value: Value) {
    gate?.resume(at: value)
  }

  /// Judges a change. `old` is `nil` if the value had no content before.
  ///
  /// The threshold sees every change, also one that another condition refuses.
  mutating func judge(
    old: Value?, new: Value, isAppearance: Bool, within budget: inout SearchBudget
  ) -> Judgement {
    let thresholdVerdict = gate?.move(from: old, to: new, isFirst: isAppearance || old == nil)
    let stateVerdict = stateVerdict(new, &budget)
    let holds = stateVerdict == nil && when != .stale && gate?.isCrossed ?? true
    if let verdict = directionVerdict(old: old, new: new) { return Judgement(verdict: verdict, holds: holds) }
    if !from.isEmpty, !(old.map(from.contains) ?? false) { return Judgement(verdict: .notFrom, holds: holds) }
    return Judgement(verdict: stateVerdict ?? thresholdVerdict, holds: holds)
  }

  /// Judges that a value became stale. `last` is `nil` if the value never had any content.
  func judgeStale(last: Value?, within budget: inout SearchBudget) -> Judgement {
    let verdict: Verdict? =
      if let last { stateVerdict(last, &budget) } else if !to.isEmpty { .notTo } else if matches != nil {
        .notMatching
      } else {
        nil
      }
    return Judgement(verdict: verdict, holds: verdict == nil)
  }

  /// Whether the conditions on a value hold, after the condition began at it.
  func holds(_ value: Value, within budget: inout SearchBudget) -> Bool {
    when != .stale && stateVerdict(value, &budget) == nil && gate?.isCrossed ?? true
  }

  /// Whether the last number was beyond the threshold.
  var isBeyond: Bool { gate?.isBeyond ?? false }

  /// The first of `to` and `matches` that does not hold for a value.
  private func stateVerdict(_ value: Value, _ budget: inout SearchBudget) -> Verdict? {
    if !to.isEmpty, !to.contains(value) { return .notTo }
    guard let matches else { return nil }
    return switch value.withText({ matches.search($0, within: &budget) }) {
    case .found?: nil
    case .nothing?: .notMatching
    case .tooCostly?: .tooCostlyToMatch
    case .overBudget?: .overBudget
    case nil: .tooLongToMatch
    }
  }

  private func directionVerdict(old: Value?, new: Value) -> Verdict? {
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
}
