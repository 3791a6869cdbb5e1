/// Tells when a number crosses a line of a threshold.
///
/// With `above` and `below` both set these are two lines, each armed by itself: the number crosses when it comes to lie
/// beyond either, also in one jump from beyond the other. A crossing counts whether or not the trigger then plays: what
/// `from`, `to` or `throttle` refused is over, and nothing is made up for later.
struct ThresholdGate: Hashable, Sendable {
  private var above: ThresholdLine?
  private var below: ThresholdLine?

  init(_ threshold: Threshold) {
    above = threshold.above.map { ThresholdLine(.above, $0, hysteresis: threshold.hysteresis) }
    below = threshold.below.map { ThresholdLine(.below, $0, hysteresis: threshold.hysteresis) }
  }

  /// Begins at a number without a crossing.
  mutating func begin(at value: Value) {
    let number = Self.number(value)
    above?.begin(at: number)
    below?.begin(at: number)
  }

  /// Moves from the old to the new number; `nil` is a crossing, anything else the reason why it is none.
  ///
  /// An appearance beyond a line is a crossing: call `begin(at:)` where that is not wanted. A gate that knows nothing
  /// yet begins at the old number.
  mutating func move(from old: Value, to new: Value, isAppearance: Bool) -> Verdict? {
    guard let number = Self.number(new) else { return .notANumber }
    let old = Self.number(old)
    // Both lines see every number, whatever the other makes of it.
    let crossesAbove = above?.move(from: old, to: number, isAppearance: isAppearance) ?? false
    let crossesBelow = below?.move(from: old, to: number, isAppearance: isAppearance) ?? false
    if crossesAbove || crossesBelow { return nil }
    return isBeyond(number) ? .notArmed : .outside
  }

  /// Whether a number has come to lie beyond a line, and has not gone back far enough since.
  var isCrossed: Bool { above?.isCrossed ?? false || below?.isCrossed ?? false }

  private func isBeyond(_ number: Double) -> Bool {
    above?.isBeyond(number) ?? false || below?.isBeyond(number) ?? false
  }

  private static func number(_ value: Value) -> Double? {
    if case .number(let number) = value { number } else { nil }
  }
}
