import Testing

@testable import SoundTrigger

/// When the audio thread counts as dead.
struct AudioHeartbeatTests {
  private func lives(_ looks: (turns: Int, isResting: Bool)...) -> [Bool] {
    var heartbeat = AudioHeartbeat()
    return looks.map { heartbeat.isAlive(turns: $0.turns, isResting: $0.isResting) }
  }

  @Test func `a thread that was awake at two looks and made no turn between them hangs`() {
    #expect(lives((7, false), (7, false), (7, false), (8, false)) == [true, false, false, true])
  }

  @Test func `a thread at rest makes no turns, and one that has just been woken had no time for any`() {
    #expect(lives((7, true), (7, true), (7, false), (7, true), (7, false)) == [true, true, true, true, true])
  }
}
