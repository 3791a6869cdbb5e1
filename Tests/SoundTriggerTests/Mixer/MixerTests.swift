import CMixer
import SoundTrigger
import TestSupport
import Testing

@Suite struct MixerTests {
  static let levels = Array(0..<Int(cmixer_levels()))

  @Test(arguments: levels) func `every kernel level agrees with a reference in double precision`(level: Int) {
    let voices = 11
    let clips = (0..<voices).map { noise(frames: 700 + 37 * $0, seed: UInt64($0)) }
    var harness = MixerHarness(level: level)
    for (index, clip) in clips.enumerated() {
      // Starts inside a block, beyond it, a fade-in, and loops.
      _ = harness.control.start(
        Clip(stereo: clip, rate: 48_000), gain: 0.01 * Float(index + 1), loops: index % 3 == 0, offset: 29 * index,
        fadeIn: index % 4 == 1 ? 100 : 0)
    }
    // An odd block length runs through the kernel's whole chunks and its remainder.
    let output = harness.render(2000, block: 75)
    var worst = 0.0
    for frame in 0..<2000 {
      for channel in 0..<2 {
        var sum = 0.0
        for (index, clip) in clips.enumerated() {
          var at = frame - 29 * index
          let length = clip.count / 2
          guard at >= 0, at < length || index % 3 == 0 else { continue }
          var gain = 0.01 * Double(index + 1)
          if index % 4 == 1 { gain *= min(1, Double(at) / 100) }
          at %= length
          sum += gain * Double(clip[2 * at + channel])
        }
        worst = max(worst, abs(sum - Double(output[2 * frame + channel])))
      }
    }
    #expect(worst < 2e-7)
  }

  @Test(arguments: levels) func `a single voice at full gain comes out bit for bit`(level: Int) {
    var samples = noise(frames: 1000, seed: 7, peak: 1)
    samples[10] = 1
    samples[11] = -1
    var harness = MixerHarness(level: level)
    _ = harness.control.start(Clip(stereo: samples, rate: 48_000))
    let isExact = harness.render(1000) == samples
    let isSilentAfter = harness.render(64).allSatisfy { $0 == 0 }
    #expect(isExact)
    #expect(isSilentAfter)
  }

  @Test(arguments: levels) func `the limiter sees every sample of a block of any length`(level: Int) {
    for frames in [1, 7, 8, 16, 31, 64, 75] {
      var unseen: [Int] = []
      for index in 0..<2 * frames {
        var samples = [Float](repeating: 0.25, count: 2 * frames)
        samples[index] = index % 3 == 0 ? -0.75 : 0.75
        var harness = MixerHarness(level: level)
        for _ in 0..<2 { _ = harness.control.start(Clip(stereo: samples, rate: 48_000)) }
        if harness.render(frames, block: frames).contains(where: { abs($0) > 1 }) { unseen.append(index) }
      }
      #expect(unseen == [])
    }
  }

  @Test func `a voice is retired when it ends and its clip is let go`() {
    var harness = MixerHarness()
    weak var clip: Clip?
    do {
      let made = Clip(stereo: noise(frames: 100, seed: 1), rate: 48_000)
      clip = made
      _ = harness.control.start(made)
    }
    _ = harness.render(64)
    harness.control.collect()
    #expect(clip != nil)
    #expect(harness.control.activeCount == 1)
    _ = harness.render(64)
    let ended = harness.control.collectEnds().ended.count
    #expect(ended == 1)
    #expect(clip == nil)
    #expect(harness.control.activeCount == 0)
  }

  @Test func `a stopped voice fades along a straight line and makes no step`() {
    var harness = MixerHarness()
    let clip = Clip(stereo: [Float](repeating: 0.5, count: 2 * 4800), rate: 48_000)
    let voice = harness.control.start(clip)
    _ = harness.render(128)
    if let voice { harness.control.stop(voice, fadeFrames: 480) }
    let output = harness.render(640)
    for frame in 0..<480 { #expect(abs(output[2 * frame] - 0.5 * (1 - Float(frame) / 480)) < 1e-6) }
    #expect(output[(2 * 480)...].allSatisfy { $0 == 0 })
  }

  @Test func `beyond the voice limit the least important and then the oldest gives way`() {
    var harness = MixerHarness(voiceLimit: 2)
    func constant(_ level: Float) -> Clip { Clip(stereo: [Float](repeating: level, count: 96_000), rate: 48_000) }
    _ = harness.control.start(constant(0.1), importance: 2)
    _ = harness.control.start(constant(0.02), importance: 1)
    _ = harness.render(64)
    _ = harness.control.start(constant(0.003), importance: 1)
    // 5 ms later the second voice has faded out.
    let output = harness.render(512)
    #expect(abs(output[1000] - 0.103) < 1e-6)
    #expect(harness.control.statistics.stolen == 1)
    _ = harness.control.start(constant(0.0004), importance: 1)
    #expect(abs(harness.render(512)[1000] - 0.1004) < 1e-6)
  }

  @Test func `more starts than any queue holds are refused and nothing is lost`() {
    var harness = MixerHarness(voiceLimit: 4)
    let clip = Clip(stereo: noise(frames: 10, seed: 1), rate: 48_000)
    var started = 0
    for _ in 0..<5000 where harness.control.start(clip) != nil { started += 1 }
    #expect(started == 1024)
    _ = harness.render(2000)
    let ended = harness.control.collectEnds().ended.count
    #expect(ended == started)
    #expect(harness.control.activeCount == 0)
    #expect(harness.control.start(clip) != nil)
  }

  @Test func `the limiter keeps a loud sum within full scale and lets go again`() {
    var harness = MixerHarness()
    for seed in 0..<8 {
      _ = harness.control.start(Clip(stereo: noise(frames: 4800, seed: UInt64(seed), peak: 0.9), rate: 48_000))
    }
    let peak = harness.render(4800).map(abs).max() ?? 0
    #expect(peak <= 1)
    #expect(peak > 0.99)
    // A second later it is transparent again, to the bit.
    _ = harness.control.start(Clip(stereo: [Float](repeating: 0, count: 96_000), rate: 48_000))
    _ = harness.render(48_000)
    let samples = noise(frames: 640, seed: 3)
    _ = harness.control.start(Clip(stereo: samples, rate: 48_000))
    let isExact = harness.render(640) == samples
    #expect(isExact)
  }

  @Test func `the sum of very many full-scale voices stays within full scale`() {
    var harness = MixerHarness(voiceLimit: 256)
    for seed in 0..<256 {
      let clip = Clip(stereo: noise(frames: 2000, seed: UInt64(seed), peak: 1).map { $0 < 0 ? -1 : 1 }, rate: 48_000)
      _ = harness.control.start(clip)
    }
    let loud = Clip(stereo: [Float](repeating: 1, count: 4000), rate: 48_000)
    for _ in 0..<255 { _ = harness.control.start(loud) }
    let peak = harness.render(2000).map(abs).max() ?? 0
    #expect(peak <= 1)
    #expect(peak > 0.999)
  }

  @Test func `silence ends what a loud sound did to the limiter`() {
    var harness = MixerHarness()
    let loud = Clip(stereo: [Float](repeating: 0.9, count: 256), rate: 48_000)
    for _ in 0..<8 { _ = harness.control.start(loud) }
    _ = harness.render(192)
    let samples = noise(frames: 640, seed: 3)
    _ = harness.control.start(Clip(stereo: samples, rate: 48_000))
    let isExact = harness.render(640) == samples
    #expect(isExact)
  }

  @Test func `a newcomer that is less important than all that sound is refused`() {
    var harness = MixerHarness(voiceLimit: 2)
    let clip = Clip(stereo: [Float](repeating: 0.1, count: 9600), rate: 48_000)
    for importance: UInt8 in [3, 3, 1] { _ = harness.control.start(clip, importance: importance) }
    #expect(abs(harness.render(512)[1000] - 0.2) < 1e-6)
    #expect(harness.control.statistics.refused == 1)
    #expect(harness.control.statistics.stolen == 0)
    let ended = harness.control.collectEnds().ended.count
    #expect(ended == 1)
  }

  @Test func `what was faded out and what came to its end are told apart`() {
    var harness = MixerHarness(voiceLimit: 3)
    let clips = [300, 9600, 9600, 9600].map { Clip(stereo: [Float](repeating: 0.1, count: 2 * $0), rate: 48_000) }
    let voices = clips.prefix(3).map { harness.control.start($0) }
    _ = harness.render(64)
    if let second = voices[1] { harness.control.stop(second, fadeFrames: 10) }
    _ = harness.render(400)
    let fourth = harness.control.start(clips[3], importance: 3)
    let fifth = harness.control.start(clips[3], importance: 3)
    _ = harness.render(64)
    // The third one gives way to the last.
    let sixth = harness.control.start(clips[3], importance: 3)
    _ = harness.render(400)
    let (ended, fadedOut) = harness.control.collectEnds()
    #expect(fourth != nil && fifth != nil && sixth != nil)
    #expect(Set(ended) == Set(voices.compactMap { $0 }))
    #expect(fadedOut == [voices[1], voices[2]])
  }

  @Test func `a burst of starts beyond all room leaves as many voices as may sound`() {
    var harness = MixerHarness(voiceLimit: 4)
    let clip = Clip(stereo: [Float](repeating: 0.1, count: 9600), rate: 48_000)
    for _ in 0..<12 { _ = harness.control.start(clip) }
    #expect(abs(harness.render(512)[1000] - 0.4) < 1e-6)
    #expect(harness.control.statistics.refused == 8)
  }

  @Test func `the master gain moves along a ramp`() {
    var harness = MixerHarness()
    _ = harness.control.start(Clip(stereo: [Float](repeating: 0.5, count: 9600), rate: 48_000))
    _ = harness.render(64)
    harness.control.setMasterGain(0, fadeFrames: 100)
    let output = harness.render(200)
    for frame in 0..<100 { #expect(abs(output[2 * frame] - 0.5 * (1 - Float(frame) / 100)) < 1e-6) }
    #expect(output[200...].allSatisfy { $0 == 0 })
    harness.control.setMasterGain(1, fadeFrames: 0)
    #expect(harness.render(10).allSatisfy { $0 == 0.5 })
  }

  @Test(arguments: levels) func `16-bit sounds leave a 16-bit device as they were`(level: Int) {
    let samples: [Int16] = [0, 1, -1, 32_767, -32_768, 12_345, -12_345, 257, 2, -2]
    var harness = MixerHarness(level: level)
    _ = harness.control.start(Clip(stereo: samples.map { Float($0) / 32_768 }, rate: 48_000))
    let words = harness.bytes(8, format: .int16, channels: 2)
    let output = words.flatMap { [Int16(truncatingIfNeeded: $0), Int16(truncatingIfNeeded: $0 >> 16)] }
    #expect(output == samples + [Int16](repeating: 0, count: 6))
  }

  @Test(arguments: levels) func `integers of 24 and 32 bits round to nearest and saturate`(level: Int) {
    let samples: [Float] = [0, 1, -1, 0.5, -0.5, 0x1p-23, -0x1p-23, 0x1.8p-23, 0.75, 0x1p-24]
    for format in [SampleFormat.int24, .int32] {
      var harness = MixerHarness(level: level)
      _ = harness.control.start(Clip(stereo: samples, rate: 48_000))
      let output = harness.bytes(8, format: format, channels: 2).map { Int32(bitPattern: $0) }
      let expected: [Int32] =
        format == .int24
        ? [0, 0x7FFFFF, -0x800000, 0x400000, -0x400000, 1, -1, 2, 0x600000, 1]
        : [0, 0x7FFF_FF80, .min, 0x4000_0000, -0x4000_0000, 256, -256, 384, 0x6000_0000, 128]
      #expect(Array(output[..<10]) == expected)
    }
  }

  @Test func `devices of one and of six channels get the mix where they expect it`() {
    let samples: [Float] = [0.5, 0.25, -0.5, -0.25, 1, 0, 0, 1]
    var mono = MixerHarness()
    _ = mono.control.start(Clip(stereo: samples, rate: 48_000))
    #expect(mono.bytes(4, format: .float32, channels: 1).map { Float(bitPattern: $0) } == [0.375, -0.375, 0.5, 0.5])
    var six = MixerHarness()
    _ = six.control.start(Clip(stereo: samples, rate: 48_000))
    let output = six.bytes(4, format: .float32, channels: 6).map { Float(bitPattern: $0) }
    #expect(Array(output[..<12]) == [0.5, 0.25, 0, 0, 0, 0, -0.5, -0.25, 0, 0, 0, 0])
    var packed = MixerHarness()
    _ = packed.control.start(Clip(stereo: [0.5, -0x1p-23], rate: 48_000))
    #expect(packed.bytes(4, format: .int24Packed, channels: 2)[..<2] == [0xFF40_0000, 0x0000_FFFF])
  }
}
