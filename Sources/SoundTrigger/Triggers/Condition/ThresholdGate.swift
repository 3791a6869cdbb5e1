/// Decides whether a number crosses a line of a threshold.
///
/// `above` and `below` are two lines, and each is armed by itself. The number crosses if it gets beyond either line, also
/// in one jump from beyond the other. A crossing counts whether or not the trigger then plays: if `from`, `to` or
/// `throttle` refuses it, nothing is made up for later.
struct ThresholdGate: Hashable, Sendable {
  private var above: ThresholdLine?
  private var below: ThresholdLine?

  init(_ threshold: Threshold) {
    above = threshold.above.map { ThresholdLine(.above, $0, hysteresis: threshold.hysteresis) }
    below = threshold.below.map { ThresholdLine(.below, $0, hysteresis: threshold.hysteresis) }
  }

  /// Starts at a number without a crossing.
  mutating func begin(at value: Value) {
    let number = Self.number(value)
    above?.begin(at: number)
    below?.begin(at: number)
  }

  /// Moves from the old number to the new one. Returns `nil` for a crossing, otherwise the reason why there is none.
  ///
  /// `isFirst`: there was no number before, so a number beyond a line crosses it. A gate that has seen no number yet
  /// starts at the old one.
  mutating func move(from old: Value?, to new: Value, isFirst: Bool) -> Verdict? {
    guard let number = Self.number(new) else { return .notANumber }
    let old = old.flatMap(Self.number)
    // Both lines see every number, whatever the other makes of it.
    let crossesAbove = above?.move(from: old, to: number, isFirst: isFirst) ?? false
    let crossesBelow = below?.move(from: old, to: number, isFirst: isFirst) ?? false
    if crossesAbove || crossesBelow { return nil }
    return isBeyond(number) ? .notArmed : .outside
  }

  /// Whether a number got beyond a line, and none has gone back far enough since.
  var isCrossed: Bool { above?.isCrossed ?? false || below?.isCrossed ?? false }

  private func isBeyond(_ number: Double) -> Bool {
    above?.isBeyond(number) ?? false || below?.isBeyond(number) ?? false
  }

  private static func number(_ value: Value) -> Double? {
    if case .number(let number) = value { number } else { nil }
  }
}

/// One line of a threshold, with its hysteresis.
struct ThresholdLine: Hashable, Sendable {
  /// On which side of the line "beyond" is.
  enum Side: Hashable, Sendable { case above, below }

  private enum State: Hashable, Sendable {
    /// No number has come yet.
    case unknown
    /// The next number beyond the line crosses it.
    case armed
    /// A number was beyond the line, and none has gone back far enough since.
    case crossed
  }

  private var state = State.unknown
  private let side: Side
  private let line: Double
  /// A number here or farther back arms the line again.
  private let armsAt: Double

  init(_ side: Side, _ line: Double, hysteresis: Double) {
    self.side = side
    self.line = line
    armsAt = Self.line(line, moved: side == .above ? -hysteresis : hysteresis)
  }

  /// Starts at a number without a crossing; with `nil` at the next number.
  mutating func begin(at number: Double?) {
    state = number.map { isBeyond($0) ? .crossed : .armed } ?? .unknown
  }

  /// Moves to the new number and returns whether that crosses the line.
  ///
  /// A line that has seen no number yet starts at the old one, or at the new one if there is none.
  mutating func move(from old: Double?, to new: Double, isFirst: Bool) -> Bool {
    if isFirst {
      state = .armed
    } else if state == .unknown {
      begin(at: old ?? new)
    }
    guard isBeyond(new) else {
      if hasGoneBack(new) { state = .armed }
      return false
    }
    defer { state = .crossed }
    return state == .armed
  }

  var isCrossed: Bool { state == .crossed }

  func isBeyond(_ number: Double) -> Bool {
    switch side {
    case .above: number > line
    case .below: number < line
    }
  }

  private func hasGoneBack(_ number: Double) -> Bool {
    switch side {
    case .above: number <= armsAt
    case .below: number >= armsAt
    }
  }

  /// Moves a line by the hysteresis, less a few units in the last place, so that decimals meet as they do on paper:
  /// above 0.3 with a hysteresis of 0.1 arms again at 0.2, although 0.3 - 0.1 is a little less.
  private static func line(_ line: Double, moved distance: Double) -> Double {
    if distance == 0 { return line }
    let slack = 4 * max(line.magnitude, distance.magnitude).ulp
    return line + distance + (distance < 0 ? slack : -slack)
  }
}
