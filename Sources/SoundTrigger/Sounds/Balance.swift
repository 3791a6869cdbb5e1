import Glibc

/// How loud the two channels are for a place between left and right: always with the same power.
package struct Balance: Equatable, Sendable {
  package let left: Float
  package let right: Float

  /// `pan` is -1 (only the left channel) to 1 (only the right one); what lies outside counts as the end. In the middle both
  /// channels stay exactly as they are; at an end the one that is left is 3 dB louder.
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
