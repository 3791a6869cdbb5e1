import Glibc
import Peers
import SoundTrigger

/// What all candidates mix: voices of equal length, each of its own noise and its own gain below 1.
///
/// So quiet that no sum reaches full scale: no mixer has to limit or clip.
struct Material {
  /// A tenth of a second, as the shorter of the shipped sounds; a multiple of the block. The 64 voices of one candidate
  /// exceed its second-level cache, and those of all candidates fit the third.
  static let shortClip = 4800
  /// Half a second: together the candidates exceed the caches, and memory sets the pace.
  static let longClip = 24_000
  let clipFrames: Int
  let voices: Int
  /// In 128ths, the steps that SDL2_mixer has.
  let gains: [Int32]
  private let noise: [[Float]]

  init(voices: Int, clipFrames: Int) {
    self.clipFrames = clipFrames
    self.voices = voices
    gains = (0..<voices).map { Int32(32 + $0 * 37 % 89) }
    noise = (0..<voices).map { voice in
      var state = UInt32(truncatingIfNeeded: 0x9E37_79B9 &* (voice + 1)) | 1
      return (0..<2 * clipFrames).map { _ in
        state ^= state << 13
        state ^= state >> 17
        state ^= state << 5
        return Float(Int32(bitPattern: state)) / 0x1p31 / 128
      }
    }
  }

  /// The voices playing in a mixer of ours.
  func mixer(level: Int?) throws -> (UnsafeMutablePointer<Float>) -> Void {
    let player = Player(voices: voices, level: level)
    for (samples, gain) in zip(noise, gains) {
      _ = player.control.start(try Clip(samples, rate: 48_000), gain: Float(gain) / 128, loops: true)
    }
    return { player.render(into: $0) }
  }

  /// The voices for a peer, in memory of its own that is never freed: as `malloc` gives it to the peer's users, or with
  /// starts that differ modulo a page, the best that a kernel can have.
  func copy(isStaggered: Bool) -> UnsafePointer<peer_voices> {
    let clips = UnsafeMutablePointer<UnsafePointer<Float>?>.allocate(capacity: voices)
    for (voice, samples) in noise.enumerated() {
      let bytes = 4 * samples.count
      let stagger = voice * 13 * 64 & 4095
      let memory =
        isStaggered
        ? UnsafeMutableRawPointer.allocate(byteCount: bytes + stagger, alignment: 4096) + stagger
        : UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
      let start = memory.initializeMemory(as: Float.self, repeating: 0, count: samples.count)
      start.update(from: samples, count: samples.count)
      clips[voice] = UnsafePointer(start)
    }
    let gains = UnsafeMutablePointer<Int32>.allocate(capacity: voices)
    gains.initialize(from: self.gains, count: voices)
    let copy = UnsafeMutablePointer<peer_voices>.allocate(capacity: 1)
    copy.initialize(to: peer_voices(clips: clips, frames: clipFrames, gains: gains, voices: voices))
    return UnsafePointer(copy)
  }
}

/// A mixer of ours with the control side that keeps its clips.
private final class Player {
  let control: MixerControl
  private var mixer: Mixer

  init(voices: Int, level: Int?) {
    control = MixerControl(voiceLimit: max(64, voices), rate: 48_000)
    mixer = control.makeMixer(level: level)
  }

  func render(into out: UnsafeMutablePointer<Float>) {
    mixer.render(into: out, frames: Bench.frames, format: .float32, channels: 2)
  }
}
