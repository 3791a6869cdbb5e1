import SoundTrigger
import Testing

@Suite struct DeviceBackoffTests {
  private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

  @Test func `a pause is a quarter of the time without the device, at most half a minute`() {
    var backoff = DeviceBackoff()
    var now = at(100)
    var pauses: [Duration] = []
    for _ in 0..<40 {
      let next = backoff.failed(at: now)
      pauses.append(now.duration(to: next))
      now = next
    }
    #expect(Array(pauses[..<6]) == [250, 250, 250, 250, 250, 312.5].map { .milliseconds($0) })
    #expect(Array(pauses[35...]) == [30, 30, 30, 30, 30].map { .seconds($0) })
  }

  @Test func `a device that was good is tried at once when it goes away`() {
    var backoff = DeviceBackoff()
    backoff.opened(at: at(0))
    #expect(backoff.failed(at: at(1.5)) == at(1.5))
    #expect(backoff.failed(at: at(1.5)) == at(1.75))
  }

  @Test func `one that breaks as soon as it is opened is tried ever less often`() {
    var backoff = DeviceBackoff()
    #expect(backoff.failed(at: at(0)) == at(0.25))
    backoff.opened(at: at(39))
    #expect(backoff.failed(at: at(39.2)) == at(39.2 + 39.2 / 4))
  }

  @Test func `a sound server that appears has it tried at once, and often again`() {
    var backoff = DeviceBackoff()
    _ = backoff.failed(at: at(0))
    #expect(backoff.failed(at: at(100)) == at(125))
    #expect(backoff.restart(at: at(101)) == at(101))
    #expect(backoff.failed(at: at(101)) == at(101.25))
    #expect(backoff.failed(at: at(105)) == at(106))
  }

  @Test func `something that is to be heard may try at once, but not all the time`() {
    var backoff = DeviceBackoff()
    #expect(backoff.mayTry(at: at(0)))
    _ = backoff.failed(at: at(0))
    #expect(!backoff.mayTry(at: at(0.2)))
    #expect(backoff.mayTry(at: at(0.25)))
  }
}
