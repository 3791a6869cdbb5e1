import SoundTrigger
import Testing

@Suite struct DeviceBackoffTests {
  private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

  @Test func `a missing device is tried after pauses that double up to half a minute`() {
    var backoff = DeviceBackoff()
    var now = at(100)
    var pauses: [Duration] = []
    for _ in 0..<8 {
      let next = backoff.failed(at: now)
      pauses.append(now.duration(to: next))
      now = next
    }
    #expect(pauses == [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
  }

  @Test func `a device that was good is tried at once when it goes away`() {
    var backoff = DeviceBackoff()
    backoff.opened(at: at(0))
    #expect(backoff.failed(at: at(60)) == at(60))
    #expect(backoff.failed(at: at(60)) == at(61))
  }

  @Test func `one that breaks as soon as it is opened is tried ever less often`() {
    var backoff = DeviceBackoff()
    backoff.opened(at: at(0))
    #expect(backoff.failed(at: at(1)) == at(2))
    backoff.opened(at: at(2))
    #expect(backoff.failed(at: at(3)) == at(5))
  }

  @Test func `something that is to be heard may try at once, but not all the time`() {
    var backoff = DeviceBackoff()
    #expect(backoff.mayTry(at: at(0)))
    _ = backoff.failed(at: at(0))
    #expect(!backoff.mayTry(at: at(0.9)))
    #expect(backoff.mayTry(at: at(1)))
  }
}
