import AllocationCounter
import CLinux
import Foundation
import SoundTrigger
import TestSupport
import Testing

/// What the compiler promises for the render path (`@_noLocks`), counted at run time, the C library included.
@Suite(.enabled(if: allocation_counter_is_active() != 0, "a sanitizer replaces malloc"))
struct RealTimeTests {
  @Test func `the counter counts`() {
    let before = allocation_counter_of_this_thread()
    let array = [Int](repeating: 1, count: Int.random(in: 100...200))
    #expect(array.count >= 100)
    #expect(allocation_counter_of_this_thread() > before)
  }

  @Test func `a hundred thousand blocks of starts, stops, fades and loops allocate nothing`() {
    var harness = MixerHarness(voiceLimit: 4)
    let clips = (0..<8).map { Clip(stereo: noise(frames: 300 + 200 * $0, seed: UInt64($0)), rate: 48_000) }
    let out = UnsafeMutableRawPointer.allocate(byteCount: 64 * 8, alignment: 64)
    defer { out.deallocate() }
    var generator = SplitMix64(seed: 42)
    var last: VoiceID?
    var allocations: UInt64 = 0
    for _ in 0..<100_000 {
      switch generator.next() % 16 {
      case 0...2:
        let clip = Int(generator.next() % 8)
        last = harness.control.start(
          clips[clip], loops: clip % 4 == 0, offset: Int(generator.next() % 64), fadeIn: 32)
      case 3: if let last { harness.control.stop(last, fadeFrames: 480) }
      case 4: harness.control.setMasterGain(Float(generator.next() % 3) / 2, fadeFrames: 100)
      case 5: harness.control.stopAll(fadeFrames: 64)
      default: break
      }
      let before = allocation_counter_of_this_thread()
      harness.mixer.render(into: out, frames: 64, format: .int16, channels: 2)
      harness.mixer.reportStarts(at: 0, delay: 0)
      allocations += allocation_counter_of_this_thread() - before
      harness.control.collect()
    }
    #expect(allocations == 0)
    #expect(harness.control.statistics.stolen > 100)
  }

  @Test func `the audio thread allocates nothing from its first sound on`() throws {
    let output = try Output(OutputSettings(device: "null", latency: .milliseconds(5)))
    #expect(output.device != nil)
    let clip = Clip(stereo: noise(frames: 480, seed: 1), rate: output.rate)
    var after: [UInt64] = []
    for _ in 0..<50 {
      #expect(output.control.start(clip) != nil)
      output.wake()
      let deadline = Date().addingTimeInterval(atMost(10))
      while output.control.activeCount > 0, Date() < deadline {
        _ = clinux_wait(output.reportDescriptor, Int16(POLLIN), 1_000_000_000)
        #expect(output.collect() == nil)
      }
      after.append(allocation_counter_of_thread(output.audioThread))
    }
    #expect(output.audioThread != 0)
    #expect(after.last == after.first)
  }
}
