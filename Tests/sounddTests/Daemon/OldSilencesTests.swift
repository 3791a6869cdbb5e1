import SoundTrigger
import Testing

@testable import soundd

struct OldSilencesTests {
  @Test func `a silence is named once, as soon as its alarm is a day old`() {
    let day = Duration.seconds(86_400)
    let start = Instant(nanoseconds: 0)
    let later = start.advanced(by: .seconds(60))
    let silent = ["a": start, "b": later]
    var silences = OldSilences()
    #expect(silences.update(silent, at: later) == ([], start.advanced(by: day)))
    #expect(silences.update(silent, at: start.advanced(by: day)) == (["a"], later.advanced(by: day)))
    #expect(silences.update(silent, at: start.advanced(by: day)) == ([], later.advanced(by: day)))
    #expect(silences.update(["a": start], at: later.advanced(by: day)) == ([], nil))
    // It sounds, and is silenced again.
    #expect(silences.update([:], at: later.advanced(by: day)) == ([], nil))
    #expect(silences.update(["a": start], at: later.advanced(by: day)) == (["a"], nil))
  }
}
