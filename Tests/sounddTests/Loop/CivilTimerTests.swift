import SoundTrigger
import SoundWire
import Testing

@testable import soundd

struct CivilTimerTests {
  @Test(arguments: [Int64.min + 1, -1, 0, 1_700_000_000])
  func `a time that is past fires at once, and once`(second: Int64) throws {
    let loop = try EventLoop()
    var calls = 0
    let timer = try CivilTimer(on: loop) { calls += 1 }
    #expect(try timer.set(second))
    try loop.turn { calls == 1 }
    #expect(try !loop.runOnce(timeout: .zero))
    withExtendedLifetime(timer) {}
  }

  @Test func `a time to come waits, none never comes, and each takes the place of the one before`() throws {
    let loop = try EventLoop()
    var calls = 0
    let timer = try CivilTimer(on: loop) { calls += 1 }
    for second in [Timestamp.now().seconds + 3600, .max, nil] {
      #expect(try timer.set(0))
      #expect(try timer.set(second))
      #expect(try !loop.runOnce(timeout: .zero))
    }
    #expect(calls == 0)
  }
}
