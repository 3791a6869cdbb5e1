import SoundTrigger
import TestSupport
import Testing

/// While no voice begins, ramps or ends the mixer does not look at its voices: what comes then must find them in their places.
@Suite struct QuietStretchTests {
  /// The expected sample of a clip that began so many frames ago.
  private func sample(_ clip: [Float], at frame: Int, loops: Bool, channel: Int) -> Double {
    let length = clip.count / 2
    guard frame >= 0, loops || frame < length else { return 0 }
    return Double(clip[2 * (frame % length) + channel])
  }

  @Test(arguments: isQuick ? [96] : [1, 7, 64, 96, 1024])
  func `commands after long quiet find every voice at its frame`(block: Int) throws {
    // More voices than the kernel leaves to the processor's own prefetching; every third ends on its way, the others loop.
    let voices = 40
    let clips = (0..<voices).map { noise(frames: 5000 + 311 * $0, seed: UInt64($0)) }
    var harness = MixerHarness()
    let ids = try clips.enumerated().map { index, clip in
      try #require(
        harness.control.start(
          Clip(stereo: clip, rate: 48_000), gain: 1 / 64, loops: index % 3 != 0, offset: index % 50)
      )
    }
    let before = 4200
    let length = 9000
    var output = harness.render(before, block: block)
    // One begins, one goes to another gain, and one stops at once.
    let late = noise(frames: 3000, seed: 99)
    _ = harness.control.start(Clip(stereo: late, rate: 48_000), gain: 1 / 64)
    harness.control.setGain(ids[1], gain: 1 / 32, fadeFrames: 0)
    harness.control.stop(ids[2], fadeFrames: 1)
    output += harness.render(length - before, block: block)

    var worst = 0.0
    for frame in 0..<length {
      for channel in 0..<2 {
        var sum = sample(late, at: frame - before, loops: false, channel: channel) / 64
        for (index, clip) in clips.enumerated() where index != 2 || frame <= before {
          let gain = index == 1 && frame >= before ? 2.0 : 1
          sum += gain / 64 * sample(clip, at: frame - index % 50, loops: index % 3 != 0, channel: channel)
        }
        worst = max(worst, abs(sum - Double(output[2 * frame + channel])))
      }
    }
    #expect(worst < 1e-6)
  }

  @Test func `a voice that ends with the last frame of a block ends there, and none of it is heard again`() {
    for blocks in [1, 2, 3, 40] {
      let clip = noise(frames: 64 * blocks, seed: UInt64(blocks))
      var harness = MixerHarness()
      _ = harness.control.start(Clip(stereo: clip, rate: 48_000))
      let isExact = harness.render(64 * blocks) == clip
      let isIdle = harness.mixer.isIdle()
      #expect(isExact)
      #expect(isIdle)
    }
  }
}
