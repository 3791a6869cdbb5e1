/// Tells when a number comes to lie beyond one line, and not again before it has gone back far enough.
struct ThresholdLine: Hashable, Sendable {
  /// On which side of the line "beyond" is.
  enum Side: Hashable, Sendable { case above, below }

  /// What the line remembers between two numbers.
  private enum State: Hashable, Sendable {
    /// No number has come yet.
    case unknown
    /// The next number beyond the line is a crossing.
    case armed
    /// A number has been beyond the line, and none has gone back far enough since.
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

  /// Begins at a number without a crossing; `nil`: the next one is where it begins.
  mutating func begin(at number: Double?) {
    state = number.map { isBeyond($0) ? .crossed : .armed } ?? .unknown
  }

  /// Moves from the old to the new number, and tells whether that is a crossing.
  ///
  /// An appearance beyond the line is a crossing: call `begin(at:)` where that is not wanted. A line that knows nothing
  /// yet begins at the old number, or at the new one if there is none.
  mutating func move(from old: Double?, to new: Double, isAppearance: Bool) -> Bool {
    if isAppearance {
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

  /// Whether the last number was beyond the line, or has not gone back far enough since one was.
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

  /// The line moved by the hysteresis, a few units in the last place too far towards it, so that decimals meet as they
  /// do on paper: above 0.3 with a hysteresis of 0.1 arms again at 0.2, though 0.3 - 0.1 is a little less.
  private static func line(_ line: Double, moved distance: Double) -> Double {
    if distance == 0 { return line }
    let slack = 4 * max(line.magnitude, distance.magnitude).ulp
    return line + distance + (distance < 0 ? slack : -slack)
  }
}
