import Glibc

/// The gains of the two channels for a pan, with constant power.
package struct Balance: Equatable, Sendable {
  package let left: Float
  package let right: Float

  /// `pan` goes from -1 (only the left channel) to 1 (only the right one) and is clamped to that range. At 0 both gains are
  /// exactly 1. At an end the remaining channel is 3 dB louder.
  package init(pan: Float) {
    switch pan {
    case 0: (left, right) = (1, 1)
    case ...(-1): (left, right) = (Float(2).squareRoot(), 0)
    case 1...: (left, right) = (0, Float(2).squareRoot())
    default:
      let angle = (Double(pan) + 1) * .pi / 4
      left = Float(2.0.squareRoot() * cos(angle))
      right = Float(2.0.squareRoot() * sin(angle))
    }
  }
}
