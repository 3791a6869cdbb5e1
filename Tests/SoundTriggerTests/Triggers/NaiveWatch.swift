import SoundTrigger

/// What the naive model remembers of one value that a trigger watches.
struct NaiveWatch {
  /// A debounced burst; the record is that of its latest arrival.
  struct Burst {
    /// `nil` if the value began at nothing.
    var old: Value?
    var new: Value
    var isAppearance: Bool
    var isEvent: Bool
    var deadline: Int64
    var record: NaiveRecords.Entry
    /// What the value held in the last run, if the burst began there.
    var saved: SavedContent?
    /// Whether an alarm would begin if it ended now.
    var wouldBegin = false

    var hasReturned: Bool {
      if isAppearance || isEvent { return false }
      if let saved { return SavedContent(new, as: new.kind(isEvent: false)).digest == saved.digest }
      return old == new
    }
  }

  /// A change that waits for the end of `delay`.
  struct Wait {
    var deadline: Int64
    var record: NaiveRecords.Entry
  }

  /// A crossing that a gate silenced, with its latest change.
  struct Owed {
    var new: Value?
    var record: NaiveRecords.Entry
  }

  let value: Int
  let isEvent: Bool
  var owed: Owed?
  /// The last number that was judged, or at which the watch began.
  private var number: Double?
  /// The content now.
  var content: Value?
  var burst: Burst?
  var wait: Wait?
  /// Whether the state condition held for the last content that was judged.
  var holds = false
  /// Whether it met the condition since the alarm began, and still does.
  var keepsAlarm = false
  /// Whether `keepsAlarm` is what was saved: the first content decides.
  var awaitsContent = false
  private var lines: [Line]

  init(value: Int, isEvent: Bool, threshold: Threshold?) {
    self.value = value
    self.isEvent = isEvent
    lines = []
    guard let threshold else { return }
    for (line, sign) in [(threshold.above, 1.0), (threshold.below, -1.0)] {
      if let line { lines.append(Line(line: line, sign: sign, hysteresis: threshold.hysteresis)) }
    }
  }

  /// Whether an alarm waits for its time.
  var isPending: Bool { wait != nil || burst?.wouldBegin == true }

  /// Whether the last number is beyond the threshold.
  var isBeyond: Bool { number.map { number in lines.contains { $0.isBeyond(number) } } ?? false }

  /// The content of a value that has met the condition: within the hysteresis it still does.
  mutating func resume(_ definition: TriggerDefinition, at value: Value) {
    number = Self.number(value)
    for index in lines.indices { lines[index].isCrossed = number.map { !lines[index].hasGoneBack(to: $0) } }
    holds = definition.when != .stale && stateHolds(definition, value)
  }

  /// The first content of a trigger that does not ask for it.
  mutating func begin(_ definition: TriggerDefinition, at value: Value) {
    number = Self.number(value)
    for index in lines.indices { lines[index].isCrossed = number.map { lines[index].isBeyond($0) } }
    holds = definition.when != .stale && stateHolds(definition, value)
  }

  /// Judges a content: moves the lines, finds out whether the state holds, and what stands in the way of a play.
  mutating func obstacle(
    _ definition: TriggerDefinition, old: Value?, new: Value, isAppearance: Bool
  ) -> Verdict? {
    var threshold: Verdict?
    number = Self.number(new)
    if !lines.isEmpty {
      if let number = Self.number(new) {
        var hasCrossed = false
        var isBeyond = false
        for index in lines.indices {
          let crosses = lines[index].move(
            from: old.flatMap(Self.number), to: number, isFirst: isAppearance || old == nil)
          hasCrossed = hasCrossed || crosses
          isBeyond = isBeyond || lines[index].isBeyond(number)
        }
        if !hasCrossed { threshold = isBeyond ? .notArmed : .outside }
      } else {
        threshold = .notANumber
      }
    }
    holds = false
    if definition.when == .stale { return .notStale }
    holds = stateHolds(definition, new)
    switch definition.when {
    case .change, .stale: break
    case .increase, .decrease:
      guard let new = Self.number(new), let old = old.map(Self.number) ?? new else { return .notANumber }
      if definition.when == .increase, old >= new { return .notIncreased }
      if definition.when == .decrease, old <= new { return .notDecreased }
    }
    if !definition.from.isEmpty, !definition.from.contains(where: { $0 == old }) { return .notFrom }
    return contentObstacle(definition, new) ?? threshold
  }

  /// Judges staleness; `last` is `nil` if there never was a content.
  mutating func staleObstacle(_ definition: TriggerDefinition, last: Value?) -> Verdict? {
    let obstacle: Verdict?
    if let last {
      obstacle = contentObstacle(definition, last)
    } else {
      obstacle = !definition.to.isEmpty ? .notTo : definition.matches != nil ? .notMatching : nil
    }
    holds = obstacle == nil
    return obstacle
  }

  private func stateHolds(_ definition: TriggerDefinition, _ value: Value) -> Bool {
    contentObstacle(definition, value) == nil && (lines.isEmpty || lines.contains { $0.isCrossed == true })
  }

  private func contentObstacle(_ definition: TriggerDefinition, _ value: Value) -> Verdict? {
    if !definition.to.isEmpty, !definition.to.contains(value) { return .notTo }
    guard let pattern = definition.matches else { return nil }
    guard let text = Self.text(value) else { return .tooLongToMatch }
    return switch pattern.search(text.span) {
    case .found: nil
    case .nothing: .notMatching
    case .tooCostly, .overBudget: .tooCostlyToMatch
    }
  }

  private static func number(_ value: Value) -> Double? {
    if case .number(let number) = value { number } else { nil }
  }

  private static func text(_ value: Value) -> [UInt8]? {
    switch value {
    case .text(let bytes), .json(let bytes): bytes.array
    case .number(let number): Array((number == number.rounded() ? "\(Int(number))" : "\(number)").utf8)
    case .bool(let isTrue): Array((isTrue ? "true" : "false").utf8)
    case .fingerprint: nil
    }
  }

  /// One line of a threshold, on numbers whose differences are exact.
  private struct Line {
    let line: Double
    /// 1: beyond is above; -1: below.
    let sign: Double
    let hysteresis: Double
    /// `nil`: no number has come yet.
    var isCrossed: Bool?

    func isBeyond(_ number: Double) -> Bool { (number - line) * sign > 0 }

    func hasGoneBack(to number: Double) -> Bool { !isBeyond(number) && (line - number) * sign >= hysteresis }

    mutating func move(from old: Double?, to new: Double, isFirst: Bool) -> Bool {
      let wasCrossed = isFirst ? false : isCrossed ?? isBeyond(old ?? new)
      isCrossed = isBeyond(new) || (wasCrossed && !hasGoneBack(to: new))
      return isBeyond(new) && !wasCrossed
    }
  }
}
