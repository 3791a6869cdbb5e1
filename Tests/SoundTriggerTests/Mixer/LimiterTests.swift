import Foundation
import SoundTrigger
import TestSupport
import Testing

/// What the limiter does to what is heard.
@Suite struct LimiterTests {
  private let rate = 32_768

  /// Sines of an amplitude, as stereo sounds of `seconds`.
  private func sines(_ frequencies: [Double], _ amplitude: Float, seconds: Int) -> [Clip] {
    frequencies.map { frequency in
      Clip(
        stereo: (0..<2 * seconds * rate).map {
          amplitude * Float(sin(2 * .pi * frequency * Double($0 / 2) / Double(rate)))
        }, rate: rate)
    }
  }

  /// Everything beside the tones in the last second of four, in dB below them.
  private func distortion(_ frequencies: [Double], _ amplitude: Float) -> Double {
    var harness = MixerHarness(rate: rate)
    for clip in sines(frequencies, amplitude, seconds: 4) { _ = harness.control.start(clip) }
    let output = harness.render(4 * rate)
    let left = (3 * rate..<4 * rate).map { Double(output[2 * $0]) }
    let spectrum = PowerSpectrum(left, rate: Double(rate), size: rate)
    let tones = frequencies.reduce(0) { $0 + spectrum.power(in: $1 - 5..<$1 + 5) }
    let rest = spectrum.power(in: 5..<Double(rate) / 2) - tones
    return 10 * log10(max(rest, 1e-30) / tones)
  }

  @Test(
    arguments: ([
      ([440.0], 1.5), ([60.0, 3000.0], 0.8), ([100.0], 1.5), ([40.0], 1.5), ([440.0, 550.0], 0.8),
      ([440.0, 550.0, 660.0], 0.6),
    ] as [([Double], Float)]).prefix(isQuick ? 2 : 6))
  func `a steady sound over full scale keeps its form: the gain stands still from crest to crest`(
    frequencies: [Double], amplitude: Float
  ) {
    #expect(distortion(frequencies, amplitude) < -90)
  }

  @Test func `after a peak the gain holds for 15 ms and then gets back half of what is missing in 40 ms`() throws {
    var harness = MixerHarness(rate: 48_000)
    var loud = [Float](repeating: 0.25, count: 2 * 24_000)
    for frame in 0..<480 { (loud[2 * frame], loud[2 * frame + 1]) = (1, 1) }
    for _ in 0..<2 { _ = harness.control.start(Clip(stereo: loud, rate: 48_000)) }
    let output = harness.render(24_000)
    func gain(_ milliseconds: Int) -> Float { output[2 * 48 * milliseconds] / 0.5 }
    #expect(abs(gain(11) - 0.5) < 0.001)
    #expect(abs(gain(24) - 0.5) < 0.001)
    #expect(abs(gain(25 + 40) - 0.75) < 0.002)
    #expect(abs(gain(25 + 80) - 0.875) < 0.002)
    // It is transparent again before long.
    #expect(output[2 * 23_999] / 0.5 > 0.999)
  }

  @Test func `the gain never steps up: from one frame to the next it grows by less than a thousandth`() {
    var harness = MixerHarness(rate: 48_000)
    var burst = [Float](repeating: 0.1, count: 2 * 9600)
    for index in 0..<96 { burst[index] = 2 }
    _ = harness.control.start(Clip(stereo: burst, rate: 48_000))
    let output = harness.render(9600)
    let steps = (49..<9600).map { frame in abs(output[2 * frame] - output[2 * frame - 2]) }
    #expect((steps.max() ?? 1) < 0.0001)
  }
}
