import SoundTrigger
import TestSupport
import Testing

/// A device's ring, rendered ahead and rewound; beside it a mixer that carries out each command at its frame.
private struct Rehearsal: ~Copyable {
  var ahead = MixerHarness()
  var plain = MixerHarness()
  /// What was rendered ahead, as a device would play it.
  var heard: [Float] = []
  var expected: [Float] = []

  init() { ahead.mixer.beginTimeline(at: 0) }

  /// Renders ahead until so many frames are rendered.
  mutating func renderAhead(to frame: Int) {
    let count = frame - ahead.mixer.nextFrame()
    if count <= 0 { return }
    heard.removeSubrange(min(heard.count, 2 * ahead.mixer.nextFrame())...)
    var block = [Float](repeating: 0, count: 2 * count)
    block.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      ahead.mixer.renderAhead(into: base, frames: count, format: .float32, channels: 2)
    }
    heard += block
  }

  /// Carries out in both mixers, at a frame, what `body` asks of a control side.
  mutating func command(at frame: Int, _ body: (MixerControl) -> Void) -> Int {
    body(ahead.control)
    let taken = ahead.mixer.applyCommands(at: frame)
    ahead.mixer.reportStarts(at: 0, delay: 0)
    expected += plain.render(taken - expected.count / 2)
    body(plain.control)
    return taken
  }

  /// The largest difference between what is heard and what should be.
  mutating func worst(upTo frame: Int) -> Float {
    renderAhead(to: frame)
    expected += plain.render(frame - expected.count / 2)
    return zip(heard, expected).reduce(0) { max($0, abs($1.0 - $1.1)) }
  }
}

@Suite struct TimelineTests {
  @Test func `a sound started after a rewind is heard at the frame gone back to`() {
    var rehearsal = Rehearsal()
    let clip = Clip(stereo: noise(frames: 500, seed: 1), rate: 48_000)
    rehearsal.renderAhead(to: 3000)
    let taken = rehearsal.command(at: 1234) { _ = $0.start(clip) }
    #expect(taken == 1234)
    let settled = rehearsal.ahead.mixer.checkpointFrame()
    #expect(settled == 1234)
    let worst = rehearsal.worst(upTo: 3000)
    #expect(worst == 0)
  }

  @Test func `what was settled cannot be taken back, and what was not rendered needs no going back`() {
    var rehearsal = Rehearsal()
    rehearsal.renderAhead(to: 1000)
    rehearsal.ahead.mixer.moveCheckpoint(to: 640)
    let settled = rehearsal.ahead.mixer.applyCommands(at: 100)
    #expect(settled == 640)
    rehearsal.renderAhead(to: 1000)
    let last = rehearsal.ahead.mixer.applyCommands(at: 5000)
    #expect(last == 1000)
  }

  @Test func `a voice rendered to its end is retired when the end was heard`() {
    var rehearsal = Rehearsal()
    let clip = Clip(stereo: noise(frames: 300, seed: 1), rate: 48_000)
    _ = rehearsal.command(at: 0) { _ = $0.start(clip) }
    rehearsal.renderAhead(to: 2000)
    let end = rehearsal.ahead.mixer.nextEnd()
    let isIdle = rehearsal.ahead.mixer.isIdle()
    #expect(end == 300)
    #expect(isIdle)
    rehearsal.ahead.mixer.moveCheckpoint(to: 299)
    rehearsal.ahead.control.collect()
    #expect(rehearsal.ahead.control.activeCount == 1)
    rehearsal.ahead.mixer.moveCheckpoint(to: 320)
    #expect(rehearsal.ahead.control.collectEnds().fadedOut.isEmpty)
    #expect(rehearsal.ahead.control.activeCount == 0)
    let endless = rehearsal.ahead.mixer.nextEnd()
    #expect(endless == Int.max)
  }

  @Test func `a sound that was rendered to its end sounds on when it is rendered again`() {
    var rehearsal = Rehearsal()
    let clips = [3, 4].map { Clip(stereo: noise(frames: 700, seed: $0), rate: 48_000) }
    _ = rehearsal.command(at: 0) { _ = $0.start(clips[0]) }
    rehearsal.renderAhead(to: 2000)
    _ = rehearsal.command(at: 500) { _ = $0.start(clips[1]) }
    let worst = rehearsal.worst(upTo: 2000)
    #expect(worst < 1e-6)
  }

  @Test func `a timeline that ends retires what ended on it, once`() {
    var rehearsal = Rehearsal()
    let clip = Clip(stereo: noise(frames: 300, seed: 1), rate: 48_000)
    _ = rehearsal.command(at: 0) { _ = $0.start(clip) }
    rehearsal.renderAhead(to: 400)
    rehearsal.ahead.mixer.endTimeline()
    rehearsal.ahead.mixer.beginTimeline(at: 0)
    rehearsal.ahead.mixer.endTimeline()
    #expect(rehearsal.ahead.control.collectEnds().ended.count == 1)
  }

  @Test(arguments: [UInt64](1...(isQuick ? 3 : 12)))
  func `any commands at any frames sound as if nothing had been taken back`(
    seed: UInt64
  ) {
    var random = SplitMix64(seed: seed)
    var rehearsal = Rehearsal()
    // Loud enough that the limiter works, and some shorter than a block.
    let clips = (0..<8).map { index in
      Clip(
        stereo: noise(frames: 20 + Int.random(in: 0..<4000, using: &random), seed: seed + UInt64(index), peak: 0.9),
        rate: 48_000)
    }
    let ahead = rehearsal.ahead.control
    var now = 0
    var started: [(ahead: VoiceID, plain: VoiceID)] = []
    for _ in 0..<200 {
      now += Int.random(in: 0..<900, using: &random)
      rehearsal.renderAhead(to: now + Int.random(in: 0..<3000, using: &random))
      rehearsal.ahead.mixer.moveCheckpoint(to: now)
      var voices: [VoiceID] = []
      let kind = Int.random(in: 0..<8, using: &random)
      let number = Int.random(in: 0..<8, using: &random)
      _ = rehearsal.command(at: now + Int.random(in: 0..<300, using: &random)) { control in
        switch kind {
        case 0...4:
          if let voice = control.start(
            clips[number], gain: 0.5, importance: UInt8(number % 3), loops: number % 3 == 0, offset: number * 40,
            fadeIn: number * 100)
          {
            voices.append(voice)
          }
        case 5: control.stopAll(fadeFrames: 10 + number * 200)
        case 6: control.setMasterGain(Float(number) / 8, fadeFrames: number * 50)
        default:
          guard let last = started.last else { return }
          control.stop(control === ahead ? last.ahead : last.plain, fadeFrames: 100)
        }
      }
      if voices.count == 2 { started.append((voices[0], voices[1])) }
      rehearsal.ahead.control.collect()
      rehearsal.plain.control.collect()
    }
    let worst = rehearsal.worst(upTo: now + 3000)
    #expect(worst < 2e-6)
    rehearsal.ahead.mixer.endTimeline()
    rehearsal.ahead.control.collect()
    rehearsal.plain.control.collect()
    #expect(rehearsal.ahead.control.activeCount == rehearsal.plain.control.activeCount)
  }
}
