extension TriggerDefinition {
  /// The shortest interval of a loop. A shorter one is inaudible, and its wake-ups keep a core busy.
  package static let shortestRepetition = Duration.milliseconds(1)
  /// The longest `debounce`, `delay`, `throttle`, `fresh` and intervals of a loop.
  package static let longestInterval = Duration.seconds(365 * 86_400)

  /// Every reason why this trigger cannot work; empty if it can.
  ///
  /// `watched`: each of `values`, in any order.
  package func problems(watching watched: [WatchedValue]) -> [TriggerProblem] {
    var problems = directionProblems(watched) + staleProblems(watched) + (threshold?.problems(watched) ?? [])
    problems += contentProblems("from", from, watched) + contentProblems("to", to, watched)
    // Contradictions are reported only if each condition is valid by itself.
    if problems.isEmpty { problems += contradictions(watched) }
    return problems + soundProblems(watched) + timingProblems + loopProblems + cancelProblems + settings.problems
  }

  /// Whether there is a condition that holds for a while, besides changes that fire.
  private var hasState: Bool {
    !to.isEmpty || threshold?.hasLine == true || matches != nil || when == .stale || hasPartialTable
  }

  /// Whether a table of sounds leaves some values silent.
  private var hasPartialTable: Bool {
    if case .table(_, otherwise: nil) = sound { true } else { false }
  }

  private func directionProblems(_ watched: [WatchedValue]) -> [TriggerProblem] {
    guard when == .increase || when == .decrease, let other = watched.first(where: { $0.kind != .number }) else {
      return []
    }
    let message = "\"\(when.rawValue)\" compares numbers, and \(other.name) is of type \"\(other.kind.rawValue)\""
    return [TriggerProblem(key: "when", message: message)]
  }

  private func staleProblems(_ watched: [WatchedValue]) -> [TriggerProblem] {
    guard when == .stale else { return [] }
    var problems: [TriggerProblem] = []
    for value in watched where !value.isExpected {
      let message = "\"stale\" needs an expect_every of each value, and \(value.name) has none"
      problems.append(TriggerProblem(key: "when", message: message))
    }
    let senseless = [
      ("from", !from.isEmpty), ("above", threshold?.above != nil), ("below", threshold?.below != nil),
      ("hysteresis", threshold.map { $0.hysteresis != 0 } ?? false), ("debounce", debounce != nil),
      ("initial", initial != .no),
    ]
    for (key, isGiven) in senseless where isGiven {
      let message = "makes no sense with when = \"stale\": nothing changes when a value becomes stale"
      problems.append(TriggerProblem(key: key, message: message))
    }
    return problems
  }

  /// The problems of contents that the values are compared with. Each content must fit one of the values; if `all`, each
  /// value must fit one of the contents.
  func contentProblems(
    _ key: String, _ contents: [Value], _ watched: [WatchedValue], all: Bool = true
  ) -> [TriggerProblem] {
    if contents.isEmpty { return [] }
    let misfit = watched.first { value in all && !contents.contains { value.kind.admits($0) } }
    let isForeign = !contents.allSatisfy { content in watched.contains { $0.kind.admits(content) } }
    guard let value = misfit ?? (isForeign ? watched.first : nil) else { return [] }
    let message = "\(value.name) is of type \"\(value.kind.rawValue)\" and can never equal this"
    return [TriggerProblem(key: key, message: message)]
  }

  private var timingProblems: [TriggerProblem] {
    let intervals = [("debounce", debounce), ("delay", delay), ("throttle", throttle)]
    var problems = intervals.flatMap { Self.intervalProblem($0, $1) }
    if !(.zero...Self.longestInterval).contains(fresh) {
      problems.append(TriggerProblem(key: "fresh", message: "must be 0 to 365 days"))
    }
    return problems
  }

  private static func intervalProblem(_ key: String, _ interval: Duration?) -> [TriggerProblem] {
    guard let interval else { return [] }
    if interval <= .zero { return [TriggerProblem(key: key, message: "must be longer than 0")] }
    if interval > longestInterval { return [TriggerProblem(key: key, message: "must be at most 365 days")] }
    return []
  }

  private var loopProblems: [TriggerProblem] {
    guard let loop else { return [] }
    var problems: [TriggerProblem] = []
    if !hasState {
      let message =
        "needs a condition that ends: to, above, below, matches, when = \"stale\", or sounds without \"*\""
      problems.append(TriggerProblem(key: "loop", message: message))
    }
    if case .table = sound, values.count > 1 {
      let message = "excludes sounds if the trigger has several values: none of them alone chooses the sound"
      problems.append(TriggerProblem(key: "loop", message: message))
    }
    if overlap != .mix {
      let message = "\"\(overlap.rawValue)\" has no effect on a loop: it sounds once, until its condition ends"
      problems.append(TriggerProblem(key: "overlap", message: message))
    }
    var intervals = Self.intervalProblem("loop_every", loop.every)
    if intervals.isEmpty, let every = loop.every, every < Self.shortestRepetition {
      intervals = [TriggerProblem(key: "loop_every", message: "must be at least 1 ms")]
    }
    intervals += Self.intervalProblem("loop_limit", loop.limit)
    problems += intervals
    if intervals.isEmpty, let every = loop.every, let limit = loop.limit, limit <= every {
      problems.append(
        TriggerProblem(key: "loop_limit", message: "must be longer than loop_every: nothing would be repeated"))
    }
    return problems
  }

  private var cancelProblems: [TriggerProblem] {
    guard let cancel, values.contains(cancel) else { return [] }
    let message = "\(cancel) is the value that is watched: each change would call off what it begins"
    return [TriggerProblem(key: "cancel", message: message)]
  }
}

extension ValueKind {
  /// Whether a value of this kind can equal that content.
  func admits(_ value: Value) -> Bool {
    switch (self, value) {
    case (.text, .text), (.event, .text), (.bool, .bool), (.json, .json): true
    case (.number, .number(let number)): !number.isNaN
    case (.text, .fingerprint), (.event, .fingerprint), (.json, .fingerprint): true
    default: false
    }
  }
}
