import Glibc

/// A level relative to full scale: 0 dB is a factor of 1, −6.02 dB one half, minus infinity silence.
package struct Decibels: Hashable, Sendable {
  package var value: Double

  package init(_ value: Double) { self.value = value }

  /// The level of an amplitude factor; a factor of 0 or less is minus infinity.
  package init(gain: Double) { value = gain > 0 ? 20 * log10(gain) : -.infinity }

  /// The amplitude factor.
  package var gain: Float { Float(pow(10, value / 20)) }
}
