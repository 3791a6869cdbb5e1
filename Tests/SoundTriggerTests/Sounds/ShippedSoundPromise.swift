import Testing

/// What SPEC and `sounds/README.md` promise of one shipped sound.
struct ShippedSoundPromise: Sendable, CustomTestStringConvertible {
  let name: String
  let seconds: ClosedRange<Double>
  let tier: Tier
  let direction: Direction

  var testDescription: String { name }

  /// How loud a sound is meant to be.
  enum Tier: CaseIterable, Sendable {
    /// Outcomes, news and impacts.
    case notification
    /// What comes often: ticks of the finger.
    case tick
    /// What must be heard over music.
    case alarm

    /// In LKFS.
    var loudness: Double {
      switch self {
      case .notification: -23
      case .tick: -29
      case .alarm: -17
      }
    }
    /// How far a sound may be off, in dB.
    var tolerance: Double {
      switch self {
      case .notification: 1.5
      case .tick: 1
      case .alarm: 0.5
      }
    }
    /// The greatest difference between two sounds of the tier, in dB.
    var spread: Double { 2 }
  }

  /// Where the melody goes.
  enum Direction: Sendable { case up, down, neither }

  private init(
    _ name: String, _ seconds: ClosedRange<Double>, _ tier: Tier = .notification, _ direction: Direction = .neither
  ) {
    self.name = name
    self.seconds = seconds
    self.tier = tier
    self.direction = direction
  }

  private static let outcome = 0.3...0.7
  private static let feedback = 0.05...0.25
  private static let touch = 0.03...0.15

  static let all = [
    Self("success", outcome, .notification, .up),
    Self("warning", outcome, .notification, .down),
    Self("error", outcome),
    Self("message", outcome, .notification, .up),
    Self("alarm", 1...2, .alarm),
    Self("increase", feedback, .notification, .up),
    Self("decrease", feedback, .notification, .down),
    Self("start", feedback, .notification, .up),
    Self("stop", feedback, .notification, .down),
    Self("path-complete", feedback, .notification, .up),
    Self("impact", feedback),
    Self("impact-light", feedback),
    Self("impact-medium", feedback),
    Self("impact-heavy", feedback),
    Self("impact-rigid", feedback),
    Self("impact-solid", feedback),
    Self("impact-soft", feedback),
    Self("press", touch, .tick),
    Self("release", touch, .tick),
    Self("selection-on", touch, .tick, .up),
    Self("selection-off", touch, .tick, .down),
    Self("selection", touch, .tick),
    Self("alignment", touch, .tick),
    Self("level-change", touch, .tick),
    Self("tick", touch, .tick),
  ]
}
