import Foundation
import TestSupport
import Testing

@testable import SoundTrigger

struct ToneTests {
  @Test func `a tone has the frequency and the length of its name`() throws {
    for (name, frequency, length) in [("tone:440 Hz 500 ms", 440.0, 0.5), ("tone:2.5 kHz 1 s", 2500, 1)] {
      let clip = try ClipLoader(rate: 48_000).load(path: name)
      #expect(clip.frameCount == Int(length * 48_000))
      // The sine's zero crossings, from the middle of the ramps on.
      let samples = (0..<clip.frameCount).map { clip.frames[2 * $0] }
      let crossings = (1..<samples.count).filter { samples[$0 - 1] < 0 && samples[$0] >= 0 }.count
      #expect(abs(Double(crossings) - frequency * length) <= 1)
      #expect((0..<clip.frameCount).allSatisfy { clip.frames[2 * $0] == clip.frames[2 * $0 + 1] })
    }
  }

  @Test func `a tone begins and ends without a click`() throws {
    let clip = try ClipLoader(rate: 48_000).load(path: "tone:1 kHz 40 ms")
    let peak = (0..<clip.frameCount).map { abs(clip.frames[2 * $0]) }.max() ?? 0
    for edge in [0, clip.frameCount - 1] { #expect(abs(clip.frames[2 * edge]) < peak / 1000) }
    // 5 ms before its end it has its full level.
    let late = (clip.frameCount - 288..<clip.frameCount - 240).map { abs(clip.frames[2 * $0]) }.max() ?? 0
    #expect(late > 0.95 * peak)
  }

  @Test func `a tone is as loud as the shipped sounds`() throws {
    for name in ["tone:110 Hz 1 s", "tone:1 kHz 500 ms", "tone:4 kHz 40 ms"] {
      let clip = try ClipLoader(rate: 48_000).load(path: name)
      let samples = UnsafeBufferPointer(start: clip.frames, count: 2 * clip.frameCount)
      #expect(abs(Loudness.ofLoudestPart(samples, rate: 48_000) - Loudness.shipped) < 0.1, "\(name)")
    }
  }

  @Test(arguments: [
    "tone:", "tone:440", "tone:440 Hz", "tone:440 Hz 40", "tone:440Hz 40ms", "tone:10 Hz 40 ms", "tone:21 kHz 40 ms",
    "tone:440 Hz 11 s", "tone:440 Hz 0 ms", "tone:nan Hz 40 ms", "tone:440 Hz -1 s", "tone:440 Hz 40 ms loud",
    "tone:a/b",
  ]) func `what is no tone is refused`(name: String) {
    #expect(Tone(name) == nil)
    #expect(throws: SoundError.unreadable(path: name, reason: "expected a tone as \(Tone.form)")) {
      try SoundLocator(folders: []).locate(name)
    }
  }

  @Test func `one tone is one clip, and needs no file`() throws {
    let names = ["tone:440 Hz 40 ms", "tone:440 Hz 0.04 s", "tone:441 Hz 40 ms"]
    let sounds = ClipLoader(rate: 48_000).load(names, locator: SoundLocator(folders: []))
    let clips = try sounds.map { try $0.clip.get() }
    #expect(clips[0] === clips[1] && clips[1] !== clips[2])
  }
}
