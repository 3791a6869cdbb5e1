/// Decides whether a number crosses a line of a threshold.
///
/// `above` and `below` are two lines, and each is armed by itself. The number crosses if it gets beyond either line, also
/// in one jump from beyond the other. A crossing counts whether or not the trigger then plays: if `from`, `to` or
/// `throttle` refuses it, nothing is made up for later. (If a gate silences it, the trigger holds it.)
struct ThresholdGate: Hashable, Sendable {
  private var lines: [ThresholdLine] = []
  /// Whether the last number was beyond a line.
  private(set) var isBeyond = false

  init(_ threshold: Threshold) {
    if let line = threshold.above { lines.append(ThresholdLine(at: line, sign: 1, hysteresis: threshold.hysteresis)) }
    if let line = threshold.below { lines.append(ThresholdLine(at: line, sign: -1, hysteresis: threshold.hysteresis)) }
  }

  /// Starts at a number without a crossing.
  mutating func begin(at value: Value) {
    noteNumber(of: value)
    for index in lines.indices { lines[index].begin(at: value.number) }
  }

  /// Starts at a number that has been beyond a line and may be on the way back.
  mutating func resume(at value: Value) {
    noteNumber(of: value)
    for index in lines.indices { lines[index].resume(at: value.number) }
  }

  /// Moves from the old number to the new one. Returns `nil` for a crossing, otherwise the reason why there is none.
  ///
  /// `isFirst`: there was no number before, so a number beyond a line crosses it. A gate that has seen no number yet
  /// starts at the old one.
  mutating func move(from old: Value?, to new: Value, isFirst: Bool) -> Verdict? {
    noteNumber(of: new)
    guard let number = new.number else { return .notANumber }
    var crosses = false
    // Both lines see every number, whatever the other makes of it.
    for index in lines.indices where lines[index].move(from: old?.number, to: number, isFirst: isFirst) {
      crosses = true
    }
    if crosses { return nil }
    return isBeyond ? .notArmed : .outside
  }

  private mutating func noteNumber(of value: Value) {
    isBeyond = value.number.map { number in lines.contains { $0.isBeyond(number) } } ?? false
  }

  /// Whether a number got beyond a line, and none has gone back far enough since.
  var isCrossed: Bool { lines.contains(where: \.isCrossed) }
}

/// One line of a threshold, with its hysteresis.
struct ThresholdLine: Hashable, Sendable {
  private enum State: Hashable, Sendable {
    /// No number has come yet.
    case unknown
    /// The next number beyond the line crosses it.
    case armed
    /// A number was beyond the line, and none has gone back far enough since.
    case crossed
  }

  private var state = State.unknown
  /// 1 if "beyond" is above the line, -1 if it is below. Times this sign, every number beyond the line is greater than it.
  private let sign: Double
  /// The line, times the sign.
  private let line: Double
  /// A number here or farther back arms the line again. Times the sign.
  private let armsAt: Double

  init(at line: Double, sign: Double, hysteresis: Double) {
    self.sign = sign
    self.line = line * sign
    // Less a few units in the last place, so that decimals meet as they do on paper: above 0.3 with a hysteresis of 0.1 arms
    // again at 0.2, although 0.3 - 0.1 is a little less.
    let slack = hysteresis == 0 ? 0 : 4 * max(line.magnitude, hysteresis.magnitude).ulp
    armsAt = line * sign - hysteresis + slack
  }

  /// Starts at a number without a crossing; with `nil` at the next number.
  mutating func begin(at number: Double?) {
    state = number.map { isBeyond($0) ? .crossed : .armed } ?? .unknown
  }

  /// Starts at a number as if one beyond the line had come before; with `nil` at the next number.
  mutating func resume(at number: Double?) {
    state = number.map { $0 * sign <= armsAt ? .armed : .crossed } ?? .unknown
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
      if new * sign <= armsAt { state = .armed }
      return false
    }
    defer { state = .crossed }
    return state == .armed
  }

  var isCrossed: Bool { state == .crossed }

  func isBeyond(_ number: Double) -> Bool { number * sign > line }
}
