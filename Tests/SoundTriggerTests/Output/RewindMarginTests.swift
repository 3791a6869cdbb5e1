import Testing

@testable import SoundTrigger

@Suite struct RewindMarginTests {
  @Test func `a margin begins with the device's step and 1,33 ms, and at least with twice that`() {
    #expect(RewindMargin(rate: 48_000, step: 0).frames == 128)
    #expect(RewindMargin(rate: 48_000, step: 120).frames == 184)
    #expect(RewindMargin(rate: 192_000, step: 0).frames == 512)
  }

  @Test func `a margin doubles when it was too small, but not for ever`() {
    var margin = RewindMargin(rate: 48_000, step: 0)
    margin.missed()
    #expect(margin.frames == 256)
    for _ in 0..<20 { margin.missed() }
    // 40 ms.
    #expect(margin.frames == 1920)
  }

  @Test func `a margin grows by a quarter when it was nearly too small`() {
    var margin = RewindMargin(rate: 48_000, step: 0)
    margin.strained()
    #expect(margin.frames == 160)
    for _ in 0..<40 { margin.strained() }
    #expect(margin.frames == 1920)
  }

  @Test func `a margin shrinks by a sixteenth for every ten seconds that it held, but not below 1,33 ms`() {
    var margin = RewindMargin(rate: 48_000, step: 0)
    margin.held(479_999)
    #expect(margin.frames == 128)
    margin.held(1)
    #expect(margin.frames == 120)
    for _ in 0..<1000 { margin.held(480_000) }
    #expect(margin.frames <= 67)
    #expect(margin.frames >= 64)
  }

  @Test func `a margin never shrinks below what the device takes at once and 1,33 ms`() {
    var margin = RewindMargin(rate: 48_000, step: 480)
    for _ in 0..<1000 { margin.held(480_000) }
    #expect(margin.frames == 544)
  }

  @Test func `a miss begins the ten seconds anew`() {
    var margin = RewindMargin(rate: 48_000, step: 0)
    margin.held(479_999)
    margin.missed()
    margin.held(479_999)
    #expect(margin.frames == 256)
  }
}
