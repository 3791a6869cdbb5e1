extension TriggerDefinition {
  /// The shortest interval of a loop. A shorter one is inaudible, and its wake-ups keep a core busy.
  package static let shortestRepetition = Duration.milliseconds(1)
  /// The longest `debounce`, `delay`, `throttle`, `fresh` and intervals of a loop.
  package static let longestInterval = Duration.seconds(365 * 86_400)

  /// Every reason why this trigger cannot work; empty if it can.
  ///
  /// `watched`: each of `values`, in any order.
  package func problems(watching watched: [WatchedValue]) -> [TriggerProblem] {
    var problems: [TriggerProblem] = []
    checkDirection(watched, &problems)
    threshold?.check(watched, &problems)
    checkContents("from", from, watched, &problems)
    checkContents("to", to, watched, &problems)
    // Contradictions are reported only if each condition is valid by itself.
    if problems.isEmpty { checkContradictions(watched, &problems) }
    checkSounds(watched, &problems)
    checkTiming(&problems)
    if let loop { check(loop, &problems) }
    if let cancel {
      problems.add(
        "cancel", "\(cancel) is the value that is watched: each change would call off what it begins",
        if: watches(cancel))
    }
    if let gate = unless.first(where: watches) {
      problems.add("unless", "\(gate) is a value that is watched: it would silence what it begins")
    }
    problems.add(
      "spread", "needs a pattern, such as value = \"agent/*\": a single value has no members to spread",
      if: settings.spread && !isRule)
    settings.check(&problems)
    for mapping in mappings { mapping.check(watched, &problems) }
    return problems
  }

  /// Whether the trigger watches a value, by its name or by a pattern.
  package func watches(_ name: ValueName) -> Bool { values.contains(name) || patterns.contains { $0.matches(name) } }

  private func checkDirection(_ watched: [WatchedValue], _ problems: inout [TriggerProblem]) {
    switch when {
    case .change: break
    case .increase, .decrease:
      guard let other = watched.first(where: { $0.kind != .number }) else { return }
      problems.add(
        "when", "\"\(when.rawValue)\" compares numbers, and \(other.name) is of type \"\(other.kind.rawValue)\"")
    case .stale:
      for value in watched where !value.isExpected {
        problems.add("when", "\"stale\" needs an `expect_every` of each value, and \(value.name) has none")
      }
      let senseless = [
        ("from", !from.isEmpty), ("above", threshold?.above != nil), ("below", threshold?.below != nil),
        ("hysteresis", threshold.map { $0.hysteresis != 0 } ?? false), ("debounce", timing.debounce != nil),
        ("initial", initial != .no),
      ]
      for (key, isGiven) in senseless {
        problems.add(
          key, "makes no sense with `when` = \"stale\": nothing changes when a value becomes stale", if: isGiven)
      }
    }
  }

  /// Checks contents that the values are compared with. Each content must fit one of the values; if `all`, each value must
  /// fit one of the contents. Returns whether they do.
  @discardableResult
  private func checkContents(
    _ key: String, _ contents: [Value], _ watched: [WatchedValue], all: Bool = true, _ problems: inout [TriggerProblem]
  ) -> Bool {
    if contents.isEmpty { return true }
    let unequalled = watched.first { value in all && !contents.contains { value.kind.admits($0) } }
    let isForeign = !contents.allSatisfy { content in watched.contains { $0.kind.admits(content) } }
    guard let value = unequalled ?? (isForeign ? watched.first : nil) else { return true }
    problems.add(key, "\(value.name) is of type \"\(value.kind.rawValue)\" and can never equal this")
    return false
  }

  // MARK: Conditions that each make sense, but never hold together

  private func checkContradictions(_ watched: [WatchedValue], _ problems: inout [TriggerProblem]) {
    let mayRepeat = watched.contains { $0.kind == .event }
    if !mayRepeat, initial == .no, let only = from.first, !to.isEmpty, (from + to).allSatisfy({ $0 == only }) {
      problems.add("to", "is the same value as `from`, and a value that stays the same has not changed")
    }
    if when == .increase || when == .decrease { checkDirectionContradictions(&problems) }
    if let threshold {
      problems.add(
        "to", "no value here lies \(threshold.region)",
        if: !to.isEmpty && !to.compactMap(\.number).contains(where: threshold.contains))
      // With two lines a number may jump from beyond one of them to beyond the other.
      let isOneLine = threshold.above == nil || threshold.below == nil
      problems.add(
        "from", "every value here is \(threshold.region) already, so a change from one of them crosses nothing",
        if: isOneLine && initial == .no && !from.isEmpty && from.compactMap(\.number).allSatisfy(threshold.contains))
    }
    if let matches {
      problems.add(
        "matches", "matches none of the values in `to`", if: !to.isEmpty && !to.contains { $0.mayMatch(matches) })
    }
  }

  private func checkDirectionContradictions(_ problems: inout [TriggerProblem]) {
    let (rises, word) = (when == .increase, when.rawValue)
    if let threshold, threshold.above == nil || threshold.below == nil,
      let line = rises ? threshold.below : threshold.above
    {
      problems.add("when", "a number that gets \(rises ? "below" : "above") \(line.shortestText) does not \(word)")
    }
    if let lowest = from.compactMap(\.number).min(), let highest = from.compactMap(\.number).max(), !to.isEmpty {
      problems.add(
        "when", "\"\(word)\" cannot lead from any value in `from` to one in `to`",
        if: to.compactMap(\.number).allSatisfy { rises ? $0 <= lowest : $0 >= highest })
    }
  }

  // MARK: Sounds

  private func checkSounds(_ watched: [WatchedValue], _ problems: inout [TriggerProblem]) {
    switch sound {
    case .sound(let name): problems.add("sound", "names no sound", if: name.isEmpty)
    case .list(let names, _):
      problems.add("sound", "the list is empty: add a sound", if: names.isEmpty)
      problems.add("sound", "an entry of the list names no sound", if: names.contains(""))
    case .table(let table, let otherwise):
      if table.isEmpty, otherwise == nil {
        problems.add("sounds", "the table is empty: add a value and its sound, or \"*\"")
      } else if table.values.contains("") || otherwise == "" {
        problems.add("sounds", "an entry names no sound; leave out a silent value")
      } else if checkContents("sounds", Array(table.keys), watched, all: otherwise == nil, &problems) {
        let isSilent = otherwise == nil && !to.isEmpty && to.allSatisfy { table[$0] == nil }
        problems.add("sounds", "has a sound for none of the values in `to`", if: isSilent)
      }
    }
  }

  // MARK: Times

  private func checkTiming(_ problems: inout [TriggerProblem]) {
    check("debounce", timing.debounce, &problems)
    check("delay", timing.delay, &problems)
    check("throttle", timing.throttle, &problems)
    problems.add("fresh", "must be 0 to 365 days", if: !(.zero...Self.longestInterval).contains(timing.fresh))
  }

  private func check(_ key: String, _ interval: Duration?, _ problems: inout [TriggerProblem]) {
    guard let interval else { return }
    problems.add(key, "must be longer than 0", if: interval <= .zero)
    problems.add(key, "must be at most 365 days", if: interval > Self.longestInterval)
  }

  private func check(_ loop: Loop, _ problems: inout [TriggerProblem]) {
    let (isTable, isPartial) =
      if case .table(_, let otherwise) = sound { (true, otherwise == nil) } else { (false, false) }
    let hasLine = threshold.map { $0.above != nil || $0.below != nil } ?? false
    problems.add(
      "loop",
      "needs a condition that ends: `to`, `above`, `below`, `matches`, `when` = \"stale\", or `sounds` without \"*\"",
      if: to.isEmpty && !hasLine && matches == nil && when != .stale && !isPartial)
    problems.add(
      "loop", "excludes `sounds` if the trigger has several values: none of them alone chooses the sound",
      if: isTable && values.count > 1 && !isRule)
    problems.add(
      "overlap", "\"\(timing.overlap.rawValue)\" has no effect on a loop: it sounds once, until its condition ends",
      if: timing.overlap != .mix)
    let count = problems.count
    for every in loop.every {
      check("loop_every", every, &problems)
      problems.add("loop_every", "must be at least 1 ms", if: every > .zero && every < Self.shortestRepetition)
    }
    check("loop_limit", loop.limit, &problems)
    if problems.count == count, let every = loop.every.first, let limit = loop.limit {
      problems.add("loop_limit", "must be longer than `loop_every`: nothing would be repeated", if: limit <= every)
    }
    check("off_delay", loop.offDelay, &problems)
    check("realarm", loop.realarm, &problems)
    var last = Duration.zero
    for step in loop.escalation {
      check("escalate", step.after, &problems)
      problems.add(
        "escalate", "`after` must be longer than that of the step before", if: step.after <= last && last > .zero)
      problems.add("escalate", "each step changes `volume`, `sound` or `importance`", if: step.changesNothing)
      problems.add("escalate", "names no sound", if: step.sound == "")
      problems.add("escalate", "`volume` must be a factor of 0 to 1", if: !(0...1).contains(step.volume ?? 1))
      last = step.after
    }
  }
}

extension Threshold {
  fileprivate func check(_ watched: [WatchedValue], _ problems: inout [TriggerProblem]) {
    let lines = [("above", above), ("below", below)].compactMap { key, line in line.map { (key, $0) } }
    let keys = lines.map(\.0) + (hysteresis == 0 ? [] : ["hysteresis"])
    if let other = watched.first(where: { $0.kind != .number }), let key = keys.first {
      let value = watched.count == 1 ? "the value" : "\(other.name)"
      problems.add(
        key, "is a condition on numbers; \(value) is of type \"\(other.kind.rawValue)\" (`type` = \"number\"?)")
      return
    }
    for (key, line) in lines { problems.add(key, "must be a finite number", if: !line.isFinite) }
    if lines.isEmpty {
      problems.add("hysteresis", "needs `above` or `below`: the line to go back past")
    } else {
      problems.add(
        "hysteresis", "must be a finite number, 0 or more", if: !hysteresis.isFinite || hysteresis < 0)
    }
    if let above, let below {
      problems.add(
        "below",
        "\(below.shortestText) must be less than `above` (\(above.shortestText)): the numbers between them are left alone",
        if: below >= above)
    }
  }

  /// Whether a number is beyond either line.
  fileprivate func contains(_ number: Double) -> Bool {
    number > above ?? .infinity || number < below ?? -.infinity
  }

  /// The region beyond the lines, in words.
  fileprivate var region: String {
    [above.map { "above \($0.shortestText)" }, below.map { "below \($0.shortestText)" }]
      .compactMap(\.self).joined(separator: " or ")
  }
}

extension TriggerDefinition.Escalation {
  fileprivate var changesNothing: Bool { volume == nil && sound == nil && importance == nil }
}

extension PlaySettings {
  fileprivate func check(_ problems: inout [TriggerProblem]) {
    problems.add(
      "volume", volume > 1 ? "must be at most 0 dB, that is, a factor of 1" : "must be a factor of 0 to 1",
      if: !(0...1).contains(volume))
    problems.add("pan", "must be -1 (left) to 1 (right)", if: !(-1...1).contains(pan))
    for (key, fade) in [("fade_in", fadeIn), ("fade_out", fadeOut)] {
      problems.add(key, "must be at most 60 s", if: !(.zero...Self.longestFade).contains(fade))
    }
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

extension Value {
  /// Whether an expression may match the content; true for a content that is not text.
  fileprivate func mayMatch(_ pattern: Pattern) -> Bool {
    switch self {
    case .text(let bytes), .json(let bytes): bytes.withSpan { pattern.search($0) } != .nothing
    case .number, .bool, .fingerprint: true
    }
  }
}
