import TestSupport
import Testing

@testable import SoundTrigger

struct PitchedClipsTests {
  private static let clip = Clip(stereo: [Float](repeating: 0.1, count: 9600), rate: 48_000)

  private static func play(_ pitch: Float, loops: Bool = false) -> Play {
    var settings = PlaySettings()
    settings.pitch = pitch
    return Play(id: PlayID(1), trigger: "t", sound: "s", settings: settings, loops: loops, at: Instant(0))
  }

  @Test func `pitches that differ by less than a quarter of a semitone share a copy`() throws {
    var clips = PitchedClips()
    let made = clips.makeClip(Self.clip, for: Self.play(1), room: .max)
    let one = try #require(made)
    #expect(one !== Self.clip && one.frameCount < Self.clip.frameCount)
    #expect(clips.clip(Self.clip, for: Self.play(1.1)) === one)
    #expect(clips.clip(Self.clip, for: Self.play(1.25)) == nil)
    #expect(clips.clip(Self.clip, for: Self.play(1, loops: true)) == nil)
    #expect(clips.clip(Self.clip, for: Self.play(0.1)) === Self.clip)
  }

  @Test func `a copy lives only while a play uses it`() {
    var clips = PitchedClips()
    var one: Clip? = clips.makeClip(Self.clip, for: Self.play(1), room: .max)
    #expect(one != nil)
    one = nil
    #expect(clips.clip(Self.clip, for: Self.play(1)) == nil)
  }

  @Test func `without room there is no copy`() {
    var clips = PitchedClips()
    #expect(clips.makeClip(Self.clip, for: Self.play(1), room: 1000) == nil)
  }

  @Test func `thousands of members share the few copies that there can be`() throws {
    let output = OfflineOutput(writer: nil, rate: 48_000, voiceLimit: 4096, acceptsAtOnce: true)
    var player = Player(output)
    player.sounds.set("s", .success(Self.clip))
    for number in 0..<3500 {
      var settings = PlaySettings()
      settings.pitch = -2 + 4 * Float(number) / 3500
      player.play(
        Play(id: PlayID(UInt64(number + 1)), trigger: "t", sound: "s", settings: settings, at: Instant(0)), nil,
        arrival: Instant(0))
    }
    // Sixteen copies, at most a quarter longer than the sound, beside the sound itself.
    #expect(player.clipBytes <= Self.clip.byteCount * 21)
  }
}
