import SoundTrigger
import TestSupport
import Testing

/// Three mixers that are told the same at the same frames: one goes frame by frame, one in blocks of any length, and one
/// renders ahead and goes back.
@Suite struct RandomBlocksTests {
  /// One of them, and the voices that it was asked for.
  private struct Contender: ~Copyable {
    var harness = MixerHarness(voiceLimit: 6)
    var voices: [VoiceID?] = []
    var output: [Float] = []

    /// A mixer, on a timeline or not.
    init(isAhead: Bool = false) { if isAhead { harness.mixer.beginTimeline(at: 0) } }

    mutating func take(_ wish: Wish, _ clips: [Clip]) {
      switch wish {
      case .start(let clip, let loops, let offset, let fadeIn, let importance, let sparesEquals):
        voices.append(
          harness.control.start(
            clips[clip], gain: 1 / 64, importance: importance, loops: loops,
            sparesEquals: sparesEquals, offset: offset, fadeIn: fadeIn))
      case .stop(let index, let frames):
        if let voice = voices[index] { harness.control.stop(voice, fadeFrames: frames) }
      case .gain(let index, let gain, let importance, let frames):
        if let voice = voices[index] {
          harness.control.setGain(voice, gain: gain, importance: importance, fadeFrames: frames)
        }
      case .master(let gain, let frames): harness.control.setMasterGain(gain, fadeFrames: frames)
      case .stopAll(let frames): harness.control.stopAll(fadeFrames: frames)
      }
    }

    /// Renders so many frames ahead.
    mutating func renderAhead(_ frames: Int) {
      var block = [Float](repeating: 0, count: 2 * frames)
      block.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        harness.mixer.renderAhead(into: base, frames: frames, format: .float32, channels: 2)
      }
      output += block
    }
  }

  private enum Wish {
    case start(clip: Int, loops: Bool, offset: Int, fadeIn: Int, importance: UInt8, sparesEquals: Bool)
    case stop(Int, Int)
    case gain(Int, Float, UInt8, Int)
    case master(Float, Int)
    case stopAll(Int)

    static func any<Generator: RandomNumberGenerator>(
      clips: Int, started: Int, _ generator: inout Generator
    ) -> Self {
      let frames = Bool.random(using: &generator) ? 0 : Int.random(in: 1...700, using: &generator)
      switch Int.random(in: 0..<20, using: &generator) {
      case 0..<4 where started > 0: return .stop(Int.random(in: 0..<started, using: &generator), frames)
      case 4..<8 where started > 0:
        return .gain(
          Int.random(in: 0..<started, using: &generator), Float.random(in: 0...1 / 32, using: &generator),
          UInt8.random(in: 0...3, using: &generator), frames)
      case 8: return .master(Bool.random(using: &generator) ? 1 : 0.5, frames)
      case 9: return .stopAll(frames)
      default:
        return .start(
          clip: Int.random(in: 0..<clips, using: &generator), loops: Bool.random(using: &generator),
          offset: Bool.random(using: &generator) ? 0 : Int.random(in: 0...1500, using: &generator), fadeIn: frames,
          importance: UInt8.random(in: 0...3, using: &generator), sparesEquals: Bool.random(using: &generator))
      }
    }
  }

  @Test func `blocks of any length, and going back, sound as frame by frame`() {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SplitMix64(seed: seed)
    let clips = [1, 2, 7, 8, 63, 500, 1024, 3001].map {
      Clip(stereo: noise(frames: $0, seed: UInt64($0)), rate: 48_000)
    }
    for round in 0..<(isQuick ? 5 : 20) {
      var plain = Contender()
      var blocks = Contender()
      var ahead = Contender(isAhead: true)
      var frame = 0
      for _ in 0..<60 {
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
          let wish = Wish.any(clips: clips.count, started: plain.voices.count, &generator)
          plain.take(wish, clips)
          blocks.take(wish, clips)
          ahead.take(wish, clips)
        }
        let taken = ahead.harness.mixer.applyCommands(at: frame)
        ahead.harness.mixer.reportStarts(at: 0, delay: 0)
        #expect(taken == frame)
        ahead.output.removeSubrange((2 * frame)...)
        let step = Int.random(in: 1...900, using: &generator)
        frame += step
        plain.output += plain.harness.render(step, block: 1)
        blocks.output += blocks.harness.render(step, block: Int.random(in: 1...1024, using: &generator))
        ahead.renderAhead(step + Int.random(in: 0...2000, using: &generator))
        let heard = frame - Int.random(in: 0...step, using: &generator)
        if Bool.random(using: &generator) { ahead.harness.mixer.moveCheckpoint(to: heard) }
        plain.harness.control.collect()
        blocks.harness.control.collect()
        ahead.harness.control.collect()
      }
      var worst: Float = 0
      for index in 0..<2 * frame {
        let wanted = plain.output[index]
        worst = max(worst, abs(blocks.output[index] - wanted), abs(ahead.output[index] - wanted))
      }
      #expect(worst < 1e-5, "round \(round), seed \(seed)")
    }
  }
}
