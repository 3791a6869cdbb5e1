import SoundTrigger
import TestSupport
import Testing

/// Gain and place of single voices: at their start, and while they play.
@Suite struct VoiceGainTests {
  private func constant(_ level: Float, frames: Int = 48_000) -> Clip {
    Clip(stereo: [Float](repeating: level, count: 2 * frames), rate: 48_000)
  }

  private func largestStep(_ output: [Float]) -> Float {
    (2..<output.count).map { abs(output[$0] - output[$0 - 2]) }.max() ?? 0
  }

  @Test func `a voice's gain goes to another along a straight line`() throws {
    var harness = MixerHarness()
    let voice = try #require(harness.control.start(constant(0.5)))
    _ = harness.render(100)
    harness.control.setGain(voice, gain: 0.5, fadeFrames: 400)
    let output = harness.render(800)
    for frame in 0..<400 { #expect(abs(output[2 * frame] - 0.5 * (1 - 0.5 * Float(frame) / 400)) < 1e-6) }
    #expect(output[800...].allSatisfy { $0 == 0.25 })
  }

  @Test func `a gain that changes again and again on its way never steps`() throws {
    var harness = MixerHarness()
    let voice = try #require(harness.control.start(constant(0.5), fadeIn: 480))
    var output: [Float] = []
    var generator = SplitMix64(seed: 11)
    for _ in 0..<200 {
      harness.control.setGain(
        voice, gain: .random(in: 0...1, using: &generator), pan: .random(in: -1...1, using: &generator), fadeFrames: 480
      )
      output += harness.render(Int.random(in: 1...150, using: &generator))
    }
    // A whole swing, 3 dB included, takes 480 frames.
    #expect(largestStep(output) <= 0.5 * 1.4143 / 480 * 1.01)
    #expect((output.max() ?? 0) > 0.2)
  }

  @Test func `a voice that fades out is not brought back`() throws {
    var harness = MixerHarness()
    let voice = try #require(harness.control.start(constant(0.5)))
    _ = harness.render(64)
    harness.control.stop(voice, fadeFrames: 100)
    harness.control.setGain(voice, gain: 1, fadeFrames: 10)
    let output = harness.render(200)
    #expect(abs(output[2 * 50] - 0.25) < 1e-6)
    #expect(output[200...].allSatisfy { $0 == 0 })
  }

  @Test func `what is told to a voice before it begins holds when it begins`() throws {
    // A fade-in ahead goes to the new gain; a stop ahead leaves nothing to be heard.
    var harness = MixerHarness()
    let kept = try #require(harness.control.start(constant(0.5), offset: 1000, fadeIn: 100))
    _ = harness.render(64)
    harness.control.setGain(kept, gain: 0.5, fadeFrames: 10)
    let output = harness.render(1200)
    for frame in 0..<100 { #expect(abs(output[2 * (936 + frame)] - 0.25 * Float(frame) / 100) < 1e-6) }
    #expect(output[(2 * 1036)...].allSatisfy { $0 == 0.25 })
    var other = MixerHarness()
    let stopped = try #require(other.control.start(constant(0.5), offset: 100, fadeIn: 100))
    _ = other.render(64)
    other.control.stop(stopped, fadeFrames: 400)
    #expect(other.render(600).allSatisfy { $0 == 0 })
  }

  @Test func `what is stopped before its first frame is not heard, and its end says so`() throws {
    var harness = MixerHarness()
    // As a trigger that restarts its sound does it, for twenty changes that come at once.
    let voices = try (0..<20).map { _ in
      let voice = try #require(harness.control.start(constant(0.5)))
      harness.control.stop(voice, fadeFrames: 480)
      return voice
    }
    _ = harness.control.start(constant(0.25))
    #expect(harness.render(64).allSatisfy { $0 == 0.25 })
    var reports: [VoiceReport] = []
    harness.control.collect { reports.append($0) }
    #expect(reports.prefix(20) == voices.map { .ended($0, .unheard) }[...])
    var other = MixerHarness()
    for _ in 0..<3 { _ = other.control.start(constant(0.5)) }
    other.control.stopAll(fadeFrames: 480)
    #expect(other.render(64).allSatisfy { $0 == 0 })
    #expect(other.control.collectEnds().fadedOut.count == 3)
    #expect(other.control.activeCount == 0)
  }

  @Test func `a gain that is set before the first frame holds from there on`() throws {
    var harness = MixerHarness()
    let voice = try #require(harness.control.start(constant(0.5)))
    harness.control.setGain(voice, gain: 0.5, fadeFrames: 960)
    #expect(harness.render(64).allSatisfy { $0 == 0.25 })
    var other = MixerHarness()
    _ = other.control.start(constant(0.5))
    other.control.setMasterGain(0.5, fadeFrames: 960)
    #expect(other.render(64).allSatisfy { $0 == 0.25 })
  }

  @Test func `a fade-in keeps its time if its goal changes, and gets quieter at once`() throws {
    var harness = MixerHarness()
    let voice = try #require(harness.control.start(constant(1), fadeIn: 10_000))
    _ = harness.render(1000)
    harness.control.setGain(voice, gain: 0.55, fadeFrames: 100)
    // From 0.1 to 0.55 in the 9000 frames that are left.
    let output = harness.render(9100)
    for frame in stride(from: 0, to: 9000, by: 100) {
      #expect(abs(output[2 * frame] - (0.1 + 0.45 * Float(frame) / 9000)) < 1e-5)
    }
    #expect(output[(2 * 9000)...].allSatisfy { $0 == 0.55 })
    var other = MixerHarness()
    let muted = try #require(other.control.start(constant(1), fadeIn: 10_000))
    _ = other.render(1000)
    other.control.setGain(muted, gain: 0, fadeFrames: 100)
    #expect(other.render(200)[200...].allSatisfy { $0 == 0 })
  }

  @Test func `in the middle a voice stays as it is, to the bit`() {
    let samples = noise(frames: 640, seed: 3)
    var harness = MixerHarness()
    _ = harness.control.start(Clip(stereo: samples, rate: 48_000), pan: 0)
    let isExact = harness.render(640) == samples
    #expect(isExact)
  }

  @Test(arguments: [
    // cos and sin of (pan + 1) * 45°, times the square root of 2.
    (Float(-1), Float(1.4142135), Float(0)), (-0.5, 1.3065630, 0.5411961), (0.25, 0.7856950, 1.1758756),
    (1, 0, 1.4142135), (-7, 1.4142135, 0),
  ])
  func `a voice at the side has the power of one in the middle`(pan: Float, left: Float, right: Float) {
    var harness = MixerHarness()
    _ = harness.control.start(constant(0.5), gain: 0.5, pan: pan)
    let output = harness.render(64)
    #expect(abs(output[0] - 0.25 * left) < 1e-6)
    #expect(abs(output[1] - 0.25 * right) < 1e-6)
    let balance = Balance(pan: pan)
    #expect(abs(balance.left * balance.left + balance.right * balance.right - 2) < 1e-6)
  }
}
