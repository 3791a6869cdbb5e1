import Glibc

/// How loud a sound is heard: K-weighted, after ITU-R BS.1770-5.
enum Loudness {
  /// That of the shipped sounds which say what has happened, in LKFS.
  static let shipped = -24.0
  /// A sound is made louder by this factor at most (20 dB), because the rest of it is noise.
  static let mostGain = 10.0
  /// The loudness is that of so many blocks in a row: 400 ms.
  private static let blocks = 40
  /// Blocks in a second.
  private static let blockRate = 100

  /// The loudest 400 ms of a stereo sound in LKFS, with silence around it; -infinity for silence.
  static func ofLoudestPart(_ samples: UnsafeBufferPointer<Float>, rate: Int) -> Double {
    var left = KWeighting(rate: rate), right = left
    let blockFrames = max(1, rate / blockRate)
    var energies = [Double](repeating: 0, count: blocks)
    var (sum, greatest) = (0.0, 0.0)
    let frames = samples.count / 2
    // The weighting rings on for a moment after the last sample.
    for block in 0..<(frames + blockFrames - 1) / blockFrames + blocks / 4 {
      var energy = 0.0
      for frame in block * blockFrames..<(block + 1) * blockFrames {
        let isInside = frame < frames
        let (one, other) = (
          left.weigh(isInside ? samples[2 * frame] : 0), right.weigh(isInside ? samples[2 * frame + 1] : 0)
        )
        energy += one * one + other * other
      }
      sum += energy - energies[block % blocks]
      energies[block % blocks] = energy
      greatest = max(greatest, sum)
    }
    return -0.691 + 10 * log10(greatest / Double(blocks * blockFrames))
  }

  /// The factor that brings a sound to `shipped`, without going beyond full scale; 1 for silence.
  static func gain(_ samples: UnsafeBufferPointer<Float>, rate: Int) -> Float {
    let loudness = ofLoudestPart(samples, rate: rate)
    let peak = samples.reduce(Float(0)) { max($0, abs($1)) }
    if peak == 0 { return 1 }
    return min(Float(min(mostGain, pow(10, (shipped - loudness) / 20))), 1 / peak)
  }
}

/// The two filters of annex 1, for any rate: a shelf for the head, then a high-pass. A bilinear transform of the analogue filters
/// that give the coefficients of the annex at 48 kHz.
private struct KWeighting {
  private var shelf: Section
  private var highPass: Section

  init(rate: Int) {
    func tangent(_ frequency: Double) -> Double { tan(.pi * frequency / Double(rate)) }
    let (k, quality) = (tangent(1681.974450955533), 0.7071752369554196)
    let gain = pow(10, 3.999843853973347 / 20)
    let middle = pow(gain, 0.4996667741545416)
    let scale = 1 + k / quality + k * k
    shelf = Section(
      (
        (gain + middle * k / quality + k * k) / scale, 2 * (k * k - gain) / scale,
        (gain - middle * k / quality + k * k) / scale
      ), (2 * (k * k - 1) / scale, (1 - k / quality + k * k) / scale))
    let (low, lowQuality) = (tangent(38.13547087602444), 0.5003270373238773)
    let lowScale = 1 + low / lowQuality + low * low
    highPass = Section((1, -2, 1), (2 * (low * low - 1) / lowScale, (1 - low / lowQuality + low * low) / lowScale))
  }

  mutating func weigh(_ sample: Float) -> Double { highPass.filter(shelf.filter(Double(sample))) }

  /// A filter of second order.
  private struct Section {
    let forward: (Double, Double, Double), back: (Double, Double)
    var state = (0.0, 0.0)

    init(_ forward: (Double, Double, Double), _ back: (Double, Double)) { (self.forward, self.back) = (forward, back) }

    mutating func filter(_ input: Double) -> Double {
      let output = forward.0 * input + state.0
      state.0 = forward.1 * input - back.0 * output + state.1
      state.1 = forward.2 * input - back.1 * output
      return output
    }
  }
}
