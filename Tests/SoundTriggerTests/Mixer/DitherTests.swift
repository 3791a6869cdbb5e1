import CMixer
import Foundation
import SoundTrigger
import TestSupport
import Testing

/// What a device of 16 bits gets of sounds that are finer than that.
@Suite struct DitherTests {
  /// What a stereo sound is on a 16-bit device, in units of its last bit.
  private func rendered(_ samples: [Float], level: Int? = nil) -> [Double] {
    var harness = MixerHarness(level: level)
    _ = harness.control.start(Clip(stereo: samples, rate: 48_000))
    var result: [Double] = []
    for _ in 0..<samples.count / 128 {
      for word in harness.bytes(64, format: .int16, channels: 2) {
        result.append(Double(Int16(truncatingIfNeeded: word)))
        result.append(Double(Int16(truncatingIfNeeded: word >> 16)))
      }
    }
    return result
  }

  private func sine(_ frequency: Double, decibels: Double, frames: Int) -> [Float] {
    let peak = pow(10, decibels / 20)
    return (0..<2 * frames).map { Float(peak * sin(2 * .pi * frequency * Double($0 / 2) / 48_000)) }
  }

  @Test(arguments: MixerTests.levels) func `the error has the mean and the variance of triangular dither`(level: Int) {
    let samples = sine(997, decibels: -20, frames: 1 << 16)
    let errors = zip(rendered(samples, level: level), samples).map { $0 - 32_768 * Double($1) }
    let mean = errors.reduce(0, +) / Double(errors.count)
    let variance = errors.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(errors.count)
    // 1/12 of the rounding and 1/6 of the noise, whatever the signal is (Lipshitz, Wannamaker, Vanderkooy 1992).
    #expect(abs(mean) < 0.01)
    #expect(abs(variance - 0.25) < 0.005)
    #expect((errors.map(abs).max() ?? 0) <= 1.5)
    // The channels' noises are independent.
    let pairs = stride(from: 0, to: errors.count, by: 2).reduce(0) { $0 + errors[$1] * errors[$1 + 1] }
    #expect(abs(pairs / Double(errors.count / 2)) < 0.005)
  }

  @Test func `a sine of -90 dB has no harmonics, and would have some without dither`() {
    let frames = 1 << 17
    // 1000.12 Hz: as many whole periods as there are in so many frames.
    let frequency = (1000 * Double(frames) / 48_000).rounded() * 48_000 / Double(frames)
    let samples = sine(frequency, decibels: -90, frames: frames)
    func harmonics(_ output: [Double]) -> (loudest: Double, noise: Double) {
      let left = stride(from: 0, to: output.count, by: 2).map { output[$0] }
      let spectrum = PowerSpectrum(left, rate: 48_000, size: frames)
      func decibels(_ around: Double) -> Double {
        10 * log10(spectrum.power(in: around - 2..<around + 2) / spectrum.power(in: frequency - 2..<frequency + 2))
      }
      let harmonics = (2...20).map { decibels(frequency * Double($0)) }
      let between = (2...20).map { decibels(frequency * (Double($0) + 0.37)) }
      return (harmonics.max() ?? 0, between.max() ?? 0)
    }
    let dithered = harmonics(rendered(samples))
    let plain = harmonics(samples.map { (32_768 * Double($0)).rounded() })
    #expect(dithered.loudest < dithered.noise + 3)
    #expect(dithered.loudest < -35)
    #expect(plain.loudest > -20)
  }

  @Test func `what is finer than the last bit is kept on average`() {
    let output = rendered([Float](repeating: 0.25 / 32_768, count: 1 << 17))
    #expect(abs(output.reduce(0, +) / Double(output.count) - 0.25) < 0.01)
  }

  @Test func `silence is silent, within a sound and after it`() {
    let silence = [Float](repeating: 0, count: 256)
    var harness = MixerHarness()
    _ = harness.control.start(Clip(stereo: sine(440, decibels: -6, frames: 64) + silence, rate: 48_000))
    #expect(harness.bytes(64, format: .int16, channels: 2).contains { $0 != 0 })
    #expect(harness.bytes(128, format: .int16, channels: 2).allSatisfy { $0 == 0 })
    #expect(harness.bytes(64, format: .int16, channels: 2).allSatisfy { $0 == 0 })
  }

  @Test(arguments: MixerTests.levels) func `full scale saturates and does not wrap around`(level: Int) {
    let output = rendered((0..<512).map { [1, -1, 0.99999, -0.99999][$0 % 4] }, level: level)
    let isRight = output.indices.allSatisfy { (output[$0] > 0) == ($0 % 2 == 0) && abs(output[$0]) > 32_764 }
    #expect(isRight)
  }

  @Test func `every level of the kernel makes the same noise`() {
    let samples = sine(997, decibels: -40, frames: 6400)
    let expected = rendered(samples, level: 0)
    for level in MixerTests.levels {
      let isSame = rendered(samples, level: level) == expected
      #expect(isSame)
    }
  }
}
