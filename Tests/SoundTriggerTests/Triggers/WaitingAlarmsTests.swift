import Testing

@testable import SoundTrigger

struct WaitingAlarmsTests {
  @Test func `random insertions, moves and removals leave the order of a plain list`() {
    var random = SplitMix64(seed: 3)
    var waiting = WaitingAlarms()
    var plain: [Int: Int] = [:]
    for _ in 0..<5000 {
      let alarm = Int.random(in: 0..<200, using: &random)
      if Bool.random(using: &random) {
        let rank = Int.random(in: 0..<4, using: &random)
        waiting.insert(alarm, rank: rank)
        plain[alarm] = rank
      } else {
        waiting.remove(alarm)
        plain[alarm] = nil
      }
      #expect(waiting.isEmpty == plain.isEmpty)
    }
    #expect(waiting.all == plain.sorted { (-$0.value, $0.key) < (-$1.value, $1.key) }.map(\.key))
  }
}
