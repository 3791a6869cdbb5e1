import SoundTrigger
import Testing

@testable import soundd

/// Until when a play that no device has taken may still be heard.
@Suite struct UnheardPlaysTests {
  private func voices(_ count: Int) throws -> [VoiceID] {
    let control = MixerControl(voiceLimit: count, rate: 48_000)
    let clip = Clip(stereo: [0, 0], rate: 48_000)
    return try (0..<count).map { _ in try #require(control.start(clip)) }
  }

  @Test func `each is given up at its own time, and only once`() throws {
    let voices = try voices(3)
    var plays = UnheardPlays()
    #expect(plays.nextDeadline == nil)
    for (voice, deadline) in zip(voices, [300, 100, 200] as [Int64]) {
      plays.add(voice, until: Instant(nanoseconds: deadline))
    }
    #expect(plays.nextDeadline == Instant(nanoseconds: 100))
    var taken: [Set<VoiceID>] = []
    for time in [99, 200, 300, .max] as [Int64] { taken.append(Set(plays.take(until: Instant(nanoseconds: time)))) }
    #expect(taken == [[], [voices[1], voices[2]], [voices[0]], []])
    #expect(plays.nextDeadline == nil)
  }

  @Test func `what is heard or has ended is not given up`() throws {
    let voices = try voices(2)
    var plays = UnheardPlays()
    for voice in voices { plays.add(voice, until: Instant(nanoseconds: 100)) }
    let wasWaitedFor = [plays.remove(voices[0]), plays.remove(voices[0])]
    #expect(wasWaitedFor == [true, false])
    let taken = plays.take(until: Instant(nanoseconds: 100))
    #expect(taken == [voices[1]])
  }

  @Test func `when there is a device everything is heard`() throws {
    var plays = UnheardPlays()
    plays.add(try voices(1)[0], until: Instant(nanoseconds: 100))
    plays.removeAll()
    #expect(plays.nextDeadline == nil)
    let taken = plays.take(until: Instant(nanoseconds: 100))
    #expect(taken == [])
  }
}
