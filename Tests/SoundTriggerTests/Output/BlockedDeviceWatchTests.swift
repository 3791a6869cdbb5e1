import Testing

@testable import SoundTrigger

/// When the audio thread counts as stuck in its device.
struct BlockedDeviceWatchTests {
  private func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }

  @Test func `a thread that stops turning while it plays is stuck within a second`() {
    var watch = BlockedDeviceWatch()
    watch.begin(at: at(0))
    #expect(watch.nextLook == at(250))
    #expect(watch.look(turns: 5, isResting: false, at: at(250)) == .fine)
    #expect(watch.look(turns: 5, isResting: false, at: at(500)) == .silent)
    #expect(watch.nextLook == at(1000))
    #expect(watch.look(turns: 5, isResting: false, at: at(1000)) == .stuck)
  }

  @Test func `a thread that turns when it is woken is not`() {
    var watch = BlockedDeviceWatch()
    watch.begin(at: at(0))
    _ = watch.look(turns: 5, isResting: false, at: at(250))
    #expect(watch.look(turns: 5, isResting: false, at: at(9000)) == .silent)
    #expect(watch.look(turns: 6, isResting: false, at: at(9500)) == .fine)
    #expect(watch.look(turns: 6, isResting: false, at: at(9750)) == .silent)
  }

  @Test func `at rest nobody looks`() {
    var watch = BlockedDeviceWatch()
    #expect(watch.nextLook == nil)
    watch.begin(at: at(0))
    #expect(watch.look(turns: 5, isResting: true, at: at(250)) == .fine)
    #expect(watch.nextLook == nil)
  }
}
