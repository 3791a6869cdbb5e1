import Foundation
import Testing

struct ShippedSoundsLoudnessMeterTests {
  /// Annex 1 of BS.1770 calibrates the meter with 997 Hz; the other two follow from the response of its two filters, worked
  /// out with scipy.signal.freqz.
  @Test(arguments: [(60.0, -6.60), (997.0, -3.01), (10_000.0, 0.34)])
  func `a full-scale sine in one channel reads as the recommendation says`(frequency: Double, loudness: Double) {
    let sine = sine(frequency, seconds: 1)
    #expect(abs(KWeightedLoudness.ofLoudestTenth(sine) - loudness) < 0.02)
  }

  @Test func `half the level reads 6 dB less`() {
    let sine = sine(997, seconds: 0.5).map { $0 / 2 }
    #expect(abs(KWeightedLoudness.ofLoudestTenth(sine) + 9.03) < 0.02)
  }

  @Test func `a sound of half the window counts with the silence around it`() {
    #expect(abs(KWeightedLoudness.ofLoudestTenth(sine(997, seconds: 0.05)) + 6.02) < 0.05)
  }

  @Test func `the loudest part counts, wherever it is`() {
    let quiet = sine(997, seconds: 0.3).map { $0 / 100 }
    #expect(abs(KWeightedLoudness.ofLoudestTenth(quiet + sine(997, seconds: 0.2) + quiet) + 3.01) < 0.02)
  }

  @Test func `silence has no loudness`() {
    #expect(KWeightedLoudness.ofLoudestTenth([Double](repeating: 0, count: 9_600)) == -.infinity)
    #expect(KWeightedLoudness.ofLoudestTenth([]) == -.infinity)
  }

  private func sine(_ frequency: Double, seconds: Double) -> [Double] {
    (0..<Int(seconds * 48_000)).map { sin(2 * .pi * frequency * Double($0) / 48_000) }
  }
}
