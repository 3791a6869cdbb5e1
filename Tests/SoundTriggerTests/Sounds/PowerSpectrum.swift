import Foundation

/// The power spectrum of a piece of sound under a Hann window, padded with silence to a power of two.
struct PowerSpectrum {
  /// From 0 Hz to half the rate.
  let power: [Double]
  /// Hz from one bin to the next.
  let binWidth: Double

  /// Transforms `size` points: a power of two, at least as many as there are samples.
  init(_ samples: some Collection<Double>, rate: Double, size: Int) {
    precondition(size.nonzeroBitCount == 1 && samples.count <= size, "\(samples.count) samples in \(size) points")
    var real = [Double](repeating: 0, count: size)
    var imaginary = real
    let span = Double(max(samples.count, 1))
    for (index, sample) in samples.enumerated() {
      real[index] = sample * (0.5 - 0.5 * cos(2 * .pi * (Double(index) + 0.5) / span))
    }
    Self.transform(&real, &imaginary)
    power = (0...size / 2).map { real[$0] * real[$0] + imaginary[$0] * imaginary[$0] }
    binWidth = rate / Double(size)
  }

  /// The frequency with the most power, in Hz.
  var dominantFrequency: Double {
    let loudest = power.indices.max { power[$0] < power[$1] } ?? 0
    return Double(loudest) * binWidth
  }

  /// The mean frequency, weighted by power, in Hz: how bright it is.
  var centroid: Double {
    var moment = 0.0
    var total = 0.0
    for (bin, power) in power.enumerated() {
      moment += power * Double(bin) * binWidth
      total += power
    }
    return total > 0 ? moment / total : 0
  }

  /// The power in a band of frequencies, in Hz.
  func power(in band: Range<Double>) -> Double {
    let first = Int((band.lowerBound / binWidth).rounded(.up))
    let end = min(Int((band.upperBound / binWidth).rounded(.up)), power.count)
    return first < end ? power[first..<end].reduce(0, +) : 0
  }

  /// The discrete Fourier transform in place, radix 2.
  private static func transform(_ real: inout [Double], _ imaginary: inout [Double]) {
    let size = real.count
    var target = 0
    for index in 0..<size {
      if index < target {
        real.swapAt(index, target)
        imaginary.swapAt(index, target)
      }
      var bit = size >> 1
      while bit > 0, target & bit != 0 {
        target ^= bit
        bit >>= 1
      }
      target |= bit
    }

    var half = 1
    while half < size {
      for offset in 0..<half {
        let angle = -.pi * Double(offset) / Double(half)
        let (cosine, sine) = (cos(angle), sin(angle))
        for upper in stride(from: offset, to: size, by: 2 * half) {
          let lower = upper + half
          let turnedReal = real[lower] * cosine - imaginary[lower] * sine
          let turnedImaginary = real[lower] * sine + imaginary[lower] * cosine
          real[lower] = real[upper] - turnedReal
          imaginary[lower] = imaginary[upper] - turnedImaginary
          real[upper] += turnedReal
          imaginary[upper] += turnedImaginary
        }
      }
      half *= 2
    }
  }
}
