import Foundation

/// Loudness by ITU-R BS.1770-5 for one channel at 48 kHz: the measure of the shipped sounds.
enum KWeightedLoudness {
  /// The loudest 100 ms in LKFS; -infinity for silence.
  ///
  /// A sound that is shorter counts with the silence around it.
  static func ofLoudestTenth(_ samples: [Double]) -> Double {
    let window = 4_800
    // The weighting rings on for a moment after the last sample.
    let weighted = weight(samples + [Double](repeating: 0, count: window))
    var energy = 0.0
    var greatest = 0.0
    for index in weighted.indices {
      energy += weighted[index] * weighted[index]
      if index >= window { energy -= weighted[index - window] * weighted[index - window] }
      greatest = max(greatest, energy)
    }
    return -0.691 + 10 * log10(greatest / Double(window))
  }

  /// The two filters of annex 1: the head's high shelf, then the high-pass "RLB" curve.
  private static func weight(_ samples: [Double]) -> [Double] {
    var shelf = Biquad(
      feedForward: (1.53512485958697, -2.69169618940638, 1.19839281085285),
      feedBack: (-1.69065929318241, 0.73248077421585))
    var highPass = Biquad(feedForward: (1, -2, 1), feedBack: (-1.99004745483398, 0.99007225036621))
    return samples.map { highPass.process(shelf.process($0)) }
  }

  /// A second-order section in transposed direct form II.
  private struct Biquad {
    let feedForward: (Double, Double, Double)
    let feedBack: (Double, Double)
    private var state = (0.0, 0.0)

    init(feedForward: (Double, Double, Double), feedBack: (Double, Double)) {
      self.feedForward = feedForward
      self.feedBack = feedBack
    }

    mutating func process(_ input: Double) -> Double {
      let output = feedForward.0 * input + state.0
      state.0 = feedForward.1 * input - feedBack.0 * output + state.1
      state.1 = feedForward.2 * input - feedBack.1 * output
      return output
    }
  }
}
