import SoundTrigger
import Testing

@testable import soundd

struct RunningSoundsTests {
  @Test func `a sound belongs to its trigger until it has ended`() throws {
    let control = MixerControl(voiceLimit: 8, rate: 48_000)
    let clip = Clip(stereo: [0, 0], rate: 48_000)
    let voices = try (0..<3).map { _ in try #require(control.start(clip)) }
    var running = RunningSounds()
    running.add(voices[0], "tick", trigger: "a", fadeFrames: 480)
    running.add(voices[1], "tick", trigger: "b", fadeFrames: 1)
    running.add(voices[2], "tick", trigger: nil, fadeFrames: 2)
    #expect(
      running.sounds(of: "a") == [RunningSounds.Sound(voice: voices[0], name: "tick", trigger: "a", fadeFrames: 480)])
    #expect(Set(running.all.map(\.voice)) == Set(voices))
    running.remove(voices[0])
    #expect(running.sounds(of: "a").isEmpty)
    #expect(running.all.count == 2)
    // One that is not known is no concern.
    running.remove(voices[0])
    #expect(running.all.count == 2)
  }
}
