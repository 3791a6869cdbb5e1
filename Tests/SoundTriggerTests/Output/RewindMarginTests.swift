import Testing

@testable import SoundTrigger

@Suite struct RewindMarginTests {
  private let second: Int64 = 1_000_000_000

  @Test func `a margin begins with the device's step and 1,33 ms, and at least with twice that`() {
    #expect(RewindMargin(rate: 48_000, step: 0).frames == 128)
    #expect(RewindMargin(rate: 48_000, step: 120).frames == 184)
    #expect(RewindMargin(rate: 192_000, step: 0).frames == 512)
  }

  @Test func `a margin doubles when it was too small, but not for ever`() {
    var margin = RewindMargin(rate: 48_000, step: 0)
    margin.missed(at: 0)
    #expect(margin.frames == 256)
    for _ in 0..<20 { margin.missed(at: 0) }
    // 40 ms.
    #expect(margin.frames == 1920)
  }

  @Test func `a margin grows by a quarter when it was nearly too small`() {
    var margin = RewindMargin(rate: 48_000, step: 0)
    margin.strained(at: 0)
    #expect(margin.frames == 160)
    for _ in 0..<40 { margin.strained(at: 0) }
    #expect(margin.frames == 1920)
  }

  @Test func `a margin is back a minute after it grew, however little was played meanwhile`() {
    var margin = RewindMargin(rate: 48_000, step: 0)
    for _ in 0..<20 { margin.missed(at: 5 * second) }
    margin.relax(at: 35 * second)
    #expect(margin.frames == 1024)
    // Nothing plays for the rest of the minute, and the next sound begins at once.
    margin.relax(at: 65 * second)
    #expect(margin.frames == 128)
  }

  @Test func `a busy minute costs a minute of quiet`() {
    var margin = RewindMargin(rate: 48_000, step: 0)
    for time in 0..<60 {
      margin.relax(at: Int64(time) * second)
      margin.missed(at: Int64(time) * second)
    }
    #expect(margin.frames == 1920)
    // A sound of 0.3 s every ten seconds: 1.8 s of sound in all.
    for time in stride(from: Int64(69), through: 119, by: 10) {
      margin.relax(at: time * second)
      margin.relax(at: time * second + second * 3 / 10)
    }
    #expect(margin.frames == 128)
  }

  @Test func `a margin that shrinks grows from where it is, and the minute begins anew`() {
    var margin = RewindMargin(rate: 48_000, step: 0)
    margin.missed(at: 0)
    margin.relax(at: 30 * second)
    #expect(margin.frames == 192)
    margin.missed(at: 30 * second)
    #expect(margin.frames == 384)
    margin.relax(at: 89 * second)
    #expect(margin.frames > 128)
    margin.relax(at: 90 * second)
    #expect(margin.frames == 128)
  }

  @Test func `a margin never shrinks below what the device takes at once and 1,33 ms`() {
    var margin = RewindMargin(rate: 48_000, step: 480)
    for time in 0..<100 {
      margin.relax(at: Int64(time) * 100 * second)
      #expect(margin.frames == 544)
    }
  }

  @Test func `a time before the growth shrinks nothing`() {
    var margin = RewindMargin(rate: 48_000, step: 0)
    margin.missed(at: 100 * second)
    margin.relax(at: 0)
    #expect(margin.frames == 256)
  }
}
