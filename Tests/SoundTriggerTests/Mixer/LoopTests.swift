import SoundTrigger
import TestSupport
import Testing

/// Loops without a seam, whatever their length and that of the blocks.
@Suite struct LoopTests {
  @Test(arguments: [1, 2, 3, 7, 63, 64, 65, 700, 1023, 1024, 1025], [1, 48, 64, 1024])
  func `a loop goes on to the sample, even when it is far shorter than a block`(length: Int, block: Int) {
    let samples = noise(frames: length, seed: UInt64(length))
    for offset in [0, 5, 100] {
      var harness = MixerHarness()
      _ = harness.control.start(Clip(stereo: samples, rate: 48_000), loops: true, offset: offset)
      let output = harness.render(4096, block: block)
      let expected = (0..<2 * 4096).map { index in
        index < 2 * offset ? 0 : samples[(index - 2 * offset) % (2 * length)]
      }
      let isExact = output == expected
      #expect(isExact)
    }
  }

  @Test(arguments: [1, 64, 700])
  func `a loop that is let go of sounds to its end`(block: Int) throws {
    let samples = noise(frames: 100, seed: 5)
    var harness = MixerHarness()
    let voice = try #require(harness.control.start(Clip(stereo: samples, rate: 48_000), loops: true))
    var output = harness.render(block, block: block)
    harness.control.endLoop(voice)
    output += harness.render(2000, block: block)
    let end = (block / 100 + 1) * 100
    let expected = (0..<output.count).map { $0 < 2 * end ? samples[$0 % 200] : 0 }
    let isExact = output == expected
    #expect(isExact)
    let isIdle = harness.mixer.isIdle()
    #expect(isIdle)
  }

  @Test func `a loop that ramps wraps around as well`() throws {
    var harness = MixerHarness()
    let clip = Clip(stereo: (0..<14).map { Float($0 / 2) / 8 }, rate: 48_000)
    let voice = try #require(harness.control.start(clip, loops: true, fadeIn: 1000))
    let output = harness.render(3000, block: 100)
    for frame in 0..<3000 {
      #expect(abs(output[2 * frame] - Float(frame % 7) / 8 * min(1, Float(frame) / 1000)) < 1e-6)
    }
    harness.control.stop(voice, fadeFrames: 500)
    let end = harness.render(1000, block: 100)
    for frame in 0..<500 {
      #expect(abs(end[2 * frame] - Float((3000 + frame) % 7) / 8 * (1 - Float(frame) / 500)) < 1e-6)
    }
    #expect(end[1000...].allSatisfy { $0 == 0 })
  }
}
