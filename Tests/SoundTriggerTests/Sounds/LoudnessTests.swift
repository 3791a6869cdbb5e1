import Foundation
import TestSupport
import Testing

@testable import SoundTrigger

struct LoudnessTests {
  private func loudness(_ samples: [Float], rate: Int) -> Double {
    samples.withUnsafeBufferPointer { Loudness.ofLoudestPart($0, rate: rate) }
  }

  /// Stereo, one second.
  private func sine(_ frequency: Double, left: Double, right: Double, rate: Int) -> [Float] {
    (0..<rate).flatMap { frame in
      let value = sin(2 * .pi * frequency * Double(frame) / Double(rate))
      return [Float(left * value), Float(right * value)]
    }
  }

  // The recommendation itself says it: "-3.01 LKFS" for a full-scale sine of 997 Hz in one channel.
  @Test(arguments: [44_100, 48_000, 96_000, 192_000]) func `a sine in one channel has the loudness of BS 1770`(
    rate: Int
  ) {
    #expect(abs(loudness(sine(997, left: 1, right: 0, rate: rate), rate: rate) - -3.01) < 0.05)
    #expect(abs(loudness(sine(997, left: 0.1, right: 0.1, rate: rate), rate: rate) - -20) < 0.05)
  }

  @Test func `silence has no loudness and stays silent`() throws {
    #expect(loudness([0, 0, 0, 0], rate: 48_000) == -.infinity)
    let silence = try Clip([0, 0, 0, 0], rate: 48_000)
    #expect(try silence.normalized() === silence)
  }

  /// The largest momentary loudness that FFmpeg 5.1 finds (its filter ebur128), both channels alike, silence around.
  @Test(arguments: [
    "success": -24.5, "warning": -23.5, "error": -23.0, "message": -24.2, "increase": -26.0, "start": -25.5,
    "alarm": -15.6, "tick": -32.0,
  ]) func `shipped sounds are as loud as FFmpeg finds them`(name: String, expected: Double) throws {
    let clip = try ClipLoader(rate: 48_000).load(path: ShippedSound.file(name).path)
    let samples = UnsafeBufferPointer(start: clip.frames, count: 2 * clip.frameCount)
    #expect(abs(Loudness.ofLoudestPart(samples, rate: clip.rate) - expected) < 0.5)
  }

  @Test func `a loud sound and a quiet one get the loudness of the shipped ones`() throws {
    for level in [0.9, 0.02] {
      let clip = try Clip(sine(997, left: level, right: level, rate: 48_000), rate: 48_000).normalized()
      let samples = UnsafeBufferPointer(start: clip.frames, count: 2 * clip.frameCount)
      #expect(abs(Loudness.ofLoudestPart(samples, rate: 48_000) - Loudness.shipped) < 0.1)
    }
  }

  @Test func `a very quiet sound gets 20 dB more, and no sound goes beyond full scale`() throws {
    let quiet = try Clip(sine(997, left: 0.0001, right: 0.0001, rate: 48_000), rate: 48_000).normalized()
    #expect(abs(quiet.frames[2 * 12] / Float(0.0001 * sin(2 * .pi * 997 * 12 / 48_000)) - 10) < 0.001)
    // A click is short, so its peak would be far beyond full scale.
    let click = try Clip([0.5, 0.5], rate: 48_000).normalized()
    #expect(abs(click.frames[0] - 1) < 1e-6)
  }
}
