import Glibc
import SoundTrigger

/// The argument of `volume`: a level, or a step up or down from the present level.
package enum VolumeChange: Equatable {
  /// A factor of 0 to 1.
  case level(Double)
  case up(decibels: Double)
  case down(decibels: Double)

  /// The step of `volume up` and `volume down` if the user gives none, in decibels.
  package static let step = 3.0
  /// The lowest level above silence, in decibels. `volume up` from silence starts here; `volume down` below it is silence.
  package static let lowest = -40.0

  /// Reads `LEVEL`, `up [STEP]` or `down [STEP]`.
  package init(_ text: String) throws(RequestRefusal) {
    let words = text.split(separator: " ", maxSplits: 1)
    let rest = words.count > 1 ? String(words[1].drop { $0 == " " }) : nil
    switch words.first {
    case "up": self = .up(decibels: try Self.step(rest))
    case "down": self = .down(decibels: try Self.step(rest))
    default:
      guard let factor = VolumeText.factor(text) else { throw .badLevel(text) }
      guard factor <= 1 else { throw .tooLoud(text) }
      self = .level(factor)
    }
  }

  private static func step(_ text: String?) throws(RequestRefusal) -> Double {
    guard let text else { return step }
    // The largest step leads from silence to 0 dB.
    guard let step = VolumeText.decibels(text), step > 0, step <= -lowest else { throw .badStep(text) }
    return step
  }

  /// Suggests what the user meant by a level above 0 dB: `up 3 dB` for `+3`, `0.5` for `50`; `nil` if nothing is likely.
  package static func suggestion(for text: String) -> String? {
    // A number above 1 with a fraction is hardly a percentage.
    guard text.first == "+" else { return Int(text) == nil ? nil : VolumeText.suggestion(for: text + "%") }
    let step = text.dropFirst() + (text.lowercased().hasSuffix("db") ? "" : " dB")
    return (try? VolumeChange("up \(step)")).map { _ in "up \(step)" }
  }

  /// The factor that replaces the present one.
  package func applied(to factor: Double) -> Double {
    switch self {
    case .level(let level): level
    case .up(let step): Self.factor(factor > 0 ? max(Self.level(factor) + step, Self.lowest) : Self.lowest)
    case .down(let step):
      factor > 0 && Self.level(factor) - step >= Self.lowest ? Self.factor(Self.level(factor) - step) : 0
    }
  }

  /// The level of a factor in decibels, rounded to a thousandth, so that equal steps up and down return to the same level.
  private static func level(_ factor: Double) -> Double { (20_000 * log10(factor)).rounded() / 1000 }

  private static func factor(_ level: Double) -> Double { level >= 0 ? 1 : pow(10, level / 20) }
}
