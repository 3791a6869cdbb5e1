import Testing

@testable import SoundTrigger

@Suite struct AudioPlanTests {
  private func stream(period: Int, buffer: Int, short: Int = 480, rate: Int = 48_000) -> StreamFormat {
    StreamFormat(
      format: .float32, rate: rate, channels: 2, periodFrames: period, bufferFrames: buffer, isMapped: true,
      shortFrames: short)
  }

  @Test func `where frames can be taken back a quarter of a second is written ahead`() {
    let plan = AudioPlan(stream(period: 120, buffer: 48_000), canRewind: true, isStorm: false)
    #expect(plan.ahead == 12_000)
    #expect(plan.least == 6000)
  }

  @Test func `in a storm of commands less is written, since it is soon written again`() {
    #expect(AudioPlan(stream(period: 120, buffer: 48_000), canRewind: true, isStorm: true).ahead == 2400)
  }

  @Test func `a small ring is filled up to what the device is about to take`() {
    #expect(AudioPlan(stream(period: 256, buffer: 1024), canRewind: true, isStorm: false).ahead == 768)
  }

  @Test func `a ring of a single period is filled by half`() {
    let plan = AudioPlan(stream(period: 1024, buffer: 1024), canRewind: true, isStorm: false)
    #expect(plan.ahead == 512)
    #expect(plan.least == 256)
  }

  @Test func `never more is written ahead than the mixer can take back`() {
    let plan = AudioPlan(stream(period: 256, buffer: 1 << 20, rate: 384_000), canRewind: true, isStorm: false)
    #expect(plan.ahead <= Mixer.aheadLimit())
  }

  @Test func `where nothing can be taken back it is as much as the latency asked for, whatever the ring`() {
    for buffer in [480, 48_000] {
      let plan = AudioPlan(stream(period: 120, buffer: buffer), canRewind: false, isStorm: false)
      #expect(plan.ahead == 480)
      #expect(plan.least == 360)
    }
  }

  @Test func `a device of coarse steps gets two of them at least`() {
    let plan = AudioPlan(stream(period: 1024, buffer: 8192), canRewind: false, isStorm: false)
    #expect(plan.ahead == 2048)
    #expect(plan.least == 1024)
  }
}
