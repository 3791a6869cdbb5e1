import TestSupport
import Testing

@testable import SoundTrigger

/// Who gives way when voices run out. Each clip is a constant of its own, so that a sum tells which of them sound.
@Suite struct StealingTests {
  private func constant(_ level: Float) -> Clip { Clip(stereo: [Float](repeating: level, count: 96_000), rate: 48_000) }

  /// The level right now and 5 ms later, when what was stolen has faded out.
  private func settled(_ harness: inout MixerHarness) -> Float { harness.render(512)[1022] }

  @Test func `among equals one that fades gives way first, the quietest of them`() {
    var harness = MixerHarness(voiceLimit: 3)
    let voices = [0.1, 0.02, 0.003].map { harness.control.start(constant($0)) }
    _ = harness.render(64)
    // The second one is much quieter by now than the third.
    if let second = voices[1] { harness.control.stop(second, fadeFrames: 10_000) }
    _ = harness.render(5_000)
    if let third = voices[2] { harness.control.stop(third, fadeFrames: 1_000_000) }
    _ = harness.render(64)
    _ = harness.control.start(constant(0.0004))
    #expect(abs(settled(&harness) - 0.1034) < 1e-4)
    _ = harness.control.start(constant(0.00005))
    #expect(abs(settled(&harness) - 0.10045) < 1e-4)
    #expect(harness.control.statistics.stolen == 2)
  }

  @Test func `one that fades and is more important stays`() {
    var harness = MixerHarness(voiceLimit: 2)
    let high = harness.control.start(constant(0.1), importance: 2)
    _ = harness.control.start(constant(0.02), importance: 1)
    _ = harness.render(64)
    if let high { harness.control.stop(high, fadeFrames: 1_000_000) }
    _ = harness.control.start(constant(0.003), importance: 1)
    #expect(abs(settled(&harness) - 0.103) < 1e-3)
  }

  @Test func `what was not rendered yet gives way at once, and is refused`() throws {
    var harness = MixerHarness(voiceLimit: 2)
    let voices = try (0..<5).map { _ in try #require(harness.control.start(constant(0.1))) }
    #expect(abs(harness.render(1)[0] - 0.2) < 1e-6)
    var reports: [VoiceReport] = []
    harness.control.collect { reports.append($0) }
    #expect(
      reports == voices[..<3].map { .refused($0) } + voices[3...].map { .heard($0, nil) })
  }

  @Test func `one that spares equals takes a free voice or that of a less important one`() {
    var harness = MixerHarness(voiceLimit: 2)
    _ = harness.control.start(constant(0.1), importance: 1, sparesEquals: true)
    _ = harness.control.start(constant(0.02), importance: 1)
    _ = harness.render(64)
    _ = harness.control.start(constant(0.003), importance: 1, sparesEquals: true)
    #expect(abs(settled(&harness) - 0.12) < 1e-6)
    #expect(harness.control.statistics.refused == 1)
    _ = harness.control.start(constant(0.003), importance: 2, sparesEquals: true)
    #expect(abs(settled(&harness) - 0.023) < 1e-6)
  }

  @Test func `an equal that only fades is not spared`() throws {
    var harness = MixerHarness(voiceLimit: 1)
    let old = try #require(harness.control.start(constant(0.1)))
    _ = harness.render(64)
    harness.control.stop(old, fadeFrames: 1_000_000)
    _ = harness.control.start(constant(0.02), sparesEquals: true)
    #expect(abs(settled(&harness) - 0.02) < 1e-6)
  }

  @Test func `a voice that became more important is kept`() throws {
    var harness = MixerHarness(voiceLimit: 2)
    let first = try #require(harness.control.start(constant(0.1), importance: 1))
    _ = harness.control.start(constant(0.02), importance: 1)
    harness.control.setGain(first, gain: 1, importance: 2, fadeFrames: 0)
    _ = harness.render(64)
    _ = harness.control.start(constant(0.003), importance: 1)
    #expect(abs(settled(&harness) - 0.103) < 1e-6)
  }

  @Test func `while every slot fades, a newcomer still sounds, and a fade ends at once`() {
    var harness = MixerHarness(voiceLimit: 4)
    let quiet = constant(0.0001)
    for _ in 0..<1000 {
      _ = harness.control.start(quiet, importance: 1)
      _ = harness.render(1)
    }
    _ = harness.control.start(constant(0.1), importance: 3)
    #expect(abs(settled(&harness) - 0.1003) < 1e-5)
    harness.control.collect()
    #expect(harness.control.statistics.refused == 0)
    #expect(harness.control.activeCount == 4)
  }

  @Test func `of too many that fade, those end at once that are hardly heard yet`() {
    var harness = MixerHarness(voiceLimit: 16)
    // Rises from silence to 0.02 in 100 ms, so its fades end where nobody hears it.
    let rising = Clip(stereo: (0..<9_600).map { 0.02 * Float($0 / 2) / 4_800 }, rate: 48_000)
    for _ in 0..<16 { _ = harness.control.start(constant(0.02)) }
    var heard = harness.render(64)
    // Sixteen fade for the first sixteen; a moment later there is no room for sixteen more fades.
    for _ in 0..<3 {
      for _ in 0..<16 { _ = harness.control.start(rising) }
      heard += harness.render(16)
    }
    heard += harness.render(240)
    let left = stride(from: 0, to: heard.count, by: 2).map { heard[$0] }
    // All sixteen fade from 0.32 to nothing in 240 frames, and one that ends at once has reached 0.00007.
    let largest = zip(left, left.dropFirst()).map { abs($0 - $1) }.max() ?? 0
    #expect(largest < 0.32 / 240 + 16 * 0.000_07)
    #expect(harness.control.statistics.stolen == 48)
  }

  @Test func `the mixer says how each voice ended`() throws {
    var harness = MixerHarness(voiceLimit: 4)
    func start(_ frames: Int = 48_000, importance: UInt8 = 1) throws -> VoiceID {
      let clip = Clip(stereo: [Float](repeating: 0.1, count: 2 * frames), rate: 48_000)
      return try #require(harness.control.start(clip, importance: importance))
    }
    let (short, stopped, both, old) = (try start(100), try start(), try start(), try start(importance: 0))
    _ = harness.render(64)
    harness.control.stop(stopped, fadeFrames: 100)
    harness.control.stop(both, fadeFrames: 48_000)
    _ = harness.render(192)
    // Two are free. Of the others, the less important one gives way, then the one that fades already.
    for _ in 0..<4 { _ = try start(importance: 2) }
    _ = harness.render(512)
    var endings: [VoiceID: VoiceEnding] = [:]
    harness.control.collect { if case .ended(let voice, let ending) = $0 { endings[voice] = ending } }
    #expect(endings == [short: .finished, stopped: .stopped, both: .stopped, old: .stolen])
  }

  @Test func `a mixer that is left behind still says what it has reported, and loses the rest`() throws {
    var harness = MixerHarness(voiceLimit: 4)
    let clip = Clip(stereo: [Float](repeating: 0.1, count: 200), rate: 48_000)
    let short = try #require(harness.control.start(clip))
    let loop = try #require(harness.control.start(clip, loops: true))
    _ = harness.render(256)
    let successor = harness.control.makeSuccessor()
    harness.control.replaceMixer(successor.queues)
    // It begins on the new mixer, before anything of the old one is collected.
    let next = try #require(harness.control.start(clip))
    var reports: [VoiceReport] = []
    harness.control.collect { reports.append($0) }
    let ends = reports.filter { if case .ended = $0 { true } else { false } }
    #expect(ends == [.ended(short, .finished), .ended(loop, .lost)])
    #expect(reports.contains { if case .heard(loop, _) = $0 { true } else { false } })
    #expect(harness.control.activeCount == 1 && next != short && next != loop)
  }

  @Test func `every voice ends once, whatever happens in one block`() {
    var harness = MixerHarness(voiceLimit: 4)
    var random = SplitMix64(seed: 7)
    let clip = Clip(stereo: [Float](repeating: 0.01, count: 3000), rate: 48_000)
    var open: Set<VoiceID> = []
    for _ in 0..<2000 {
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        let importance = UInt8.random(in: 0...3, using: &random)
        guard
          let voice = harness.control.start(
            clip, importance: importance, sparesEquals: Bool.random(using: &random))
        else { continue }
        open.insert(voice)
        if Bool.random(using: &random) {
          harness.control.stop(voice, fadeFrames: Int.random(in: 0...5000, using: &random))
        }
      }
      _ = harness.render(Int.random(in: 1...100, using: &random))
      harness.control.collect {
        switch $0 {
        case .heard(let voice, _): #expect(open.contains(voice))
        case .refused(let voice), .ended(let voice, _): #expect(open.remove(voice) != nil)
        }
      }
    }
    harness.control.stopAll(fadeFrames: 1)
    _ = harness.render(10)
    harness.control.collect { if case .ended(let voice, _) = $0 { open.remove(voice) } }
    #expect(open.isEmpty)
    #expect(harness.control.activeCount == 0)
  }
}
