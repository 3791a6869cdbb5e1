import Glibc
import Synchronization
import TestSupport
import Testing

@testable import SoundTrigger

/// The audio thread's loop on a scripted PCM that does what it should.
struct AudioLoopTests {
  typealias Kind = ScriptedLoop.Kind

  @Test(arguments: Kind.allCases) func `a sound is heard once, sample for sample, and then the device rests`(
    kind: Kind
  )
    throws
  {
    let rig = try ScriptedLoop(kind)
    rig.play(rig.numbered(4801), at: 5)
    rig.play(rig.numbered(1000), at: 1000)
    rig.run()
    #expect(rig.heard == [1...4801, 1...1000])
    #expect(rig.endedVoices.count == 2)
    #expect(rig.xruns == 0)
    #expect(rig.givenUp == nil)
    // Nothing was planned after the second sound: the loop sleeps for ever, and the device rests.
    #expect(rig.pcm.state == (kind == .pulse ? .setup : .prepared))
    #expect(rig.pcm.counts[.start] == 2)
    #expect(rig.pcm.counts[.prepare] == 2)
  }

  @Test(arguments: [Kind.card, .plugin, .pipewire]) func `a sound that comes while another one plays is heard soon`(
    kind: Kind
  ) throws {
    let rig = try ScriptedLoop(kind)
    let silence = Clip(stereo: [Float](repeating: 0, count: 96_000), rate: 48_000)
    rig.play(silence, at: 0)
    rig.play(rig.numbered(480), at: 600)
    rig.run()
    #expect(rig.heard == [1...480])
    // Decision 0010: the device's step and 1.33 ms, at first twice that where the position is exact.
    let frame = try #require(rig.firstHeard)
    #expect(frame >= 28_800 && frame <= 28_800 + 3 * 128 + rig.stream.stepFrames, "\(frame)")
    #expect(rig.xruns == 0)
    #expect(rig.shared.counters.missed.load(ordering: .relaxed) == 0)
  }

  @Test(arguments: Kind.allCases) func `a sound that has begun rises from silence when a device comes`(
    kind: Kind
  ) throws {
    let rig = try ScriptedLoop(kind, deviceAt: 200)
    rig.play(Clip(stereo: [Float](repeating: 0.5, count: 96_000), rate: 48_000), at: 0)
    rig.run()
    let heard = rig.pcm.heard[(try #require(rig.firstHeard))...]
    // 5 ms are 240 frames.
    for (frame, sample) in heard.prefix(240).enumerated() { #expect(abs(sample - 0.5 * Float(frame + 1) / 240) < 1e-5) }
    #expect(heard.dropFirst(240).prefix(38_000).allSatisfy { $0 == 0.5 })
    // What a device does not take passes all the same.
    #expect(heard.count { $0 != 0 } == 48_000 - 200 * 48 - 1)
  }

  @Test(arguments: Kind.allCases) func `while a sound plays the loop seldom wakes up`(kind: Kind) throws {
    let rig = try ScriptedLoop(kind)
    rig.play(rig.numbered(48_000), at: 0)
    rig.run()
    #expect(rig.heard == [1...48_000])
    // Half of a quarter of a second at a time, or a period of 2.5 ms.
    #expect(rig.pcm.sleeps <= (kind.canRewind ? 16 : 440))
  }

  @Test(arguments: isQuick ? [.server] : Kind.allCases)
  func `ten minutes of sounds take no ten minutes`(kind: Kind) throws {
    let rig = try ScriptedLoop(kind, rate: 1000)
    rig.pcm.records = false
    let clip = rig.numbered(200)
    var started = 0
    let seconds = 600
    for second in 0..<Int64(seconds) {
      rig.at(second * 1000 + 17) { [unowned rig] in
        rig.collect()
        if rig.control.start(clip, arrival: rig.pcm.now) != nil { started += 1 }
      }
    }
    rig.run()
    #expect(started == seconds)
    #expect(rig.endedVoices.count == seconds)
    #expect(rig.latencies.count == seconds)
    #expect(rig.xruns == 0 && rig.givenUp == nil)
    #expect(rig.pcm.now - rig.start >= Int64(seconds - 1) * ScriptedLoop.second)
  }

  @Test(arguments: Kind.allCases) func `a device that takes little at once gets every frame`(kind: Kind) throws {
    let rig = try ScriptedLoop(kind)
    rig.pcm.script = { call, number in
      switch call {
      case .mmapCommit, .writei: .atMost(1 + number % 37)
      case .mmapBegin: .atMost(1 + number % 53)
      default: nil
      }
    }
    rig.play(rig.numbered(4801), at: 5)
    rig.run()
    #expect(rig.heard == [1...4801])
    #expect(rig.endedVoices.count == 1)
  }

  @Test(arguments: [Kind.card, .plugin, .pipewire]) func `a device that takes little at once can still be rewound`(
    kind: Kind
  ) throws {
    let rig = try ScriptedLoop(kind)
    rig.pcm.script = { call, number in call == .mmapCommit && number > 50 ? .atMost(1 + number % 200) : nil }
    rig.play(Clip(stereo: [Float](repeating: 0, count: 96_000), rate: 48_000), at: 0)
    for index in 0..<8 { rig.play(rig.numbered(480), at: Int64(300 + 70 * index)) }
    rig.run()
    #expect(rig.heard == Array(repeating: 1...480, count: 8))
  }

  @Test(arguments: [Kind.card, .plugin, .pipewire]) func `a device that cannot be rewound after all plays every sound`(
    kind: Kind
  ) throws {
    let rig = try ScriptedLoop(kind)
    // The trial at the start goes well.
    rig.pcm.script = { call, number in call == .rewind && number > 1 ? .frames(0) : nil }
    rig.play(rig.numbered(24_000), at: 0)
    rig.play(rig.numbered(480), at: 1500)
    rig.play(rig.numbered(480), at: 1600)
    rig.run()
    #expect(rig.heard == [1...24_000, 1...480, 1...480])
    #expect(rig.endedVoices.count == 3)
  }

  @Test func `a loop that is stopped on JACK is silent at once and for ever`() throws {
    let rig = try ScriptedLoop(.jack)
    rig.play(rig.numbered(48_000), at: 0, loops: true)
    rig.at(333) { [unowned rig] in rig.control.stopAll(fadeFrames: 240) }
    rig.at(5000) {}
    rig.run()
    let silent = try #require(rig.pcm.heard.lastIndex { $0 != 0 })
    // The fade, and what was written before.
    #expect(silent < 333 * 48 + 240 + 2 * rig.stream.bufferFrames)
    #expect(rig.pcm.heard.count > 4_900 * 48)
    #expect(rig.endedVoices.count == 1)
  }

  @Test func `a sound on JACK whose last period comes late leaves no hum`() throws {
    let rig = try ScriptedLoop(.jack)
    rig.play(rig.numbered(4800), at: 0)
    // From 80 ms on the thread is too late for each period.
    rig.pcm.lateness = { [unowned pcm = rig.pcm] _ in
      pcm.now > 1_080_000_000 && pcm.now < 1_200_000_000 ? 40_000_000 : 0
    }
    rig.at(3000) {}
    rig.run()
    #expect(rig.xruns > 0)
    #expect(rig.pcm.heard.suffix(96_000).allSatisfy { $0 == 0 })
  }

  // MARK: The release of a device

  @Test func `a release is taken back by a sound that comes before the thread has acted`() throws {
    let rig = try ScriptedLoop(.card)
    rig.at(100) { [unowned rig] in
      rig.shared.requestRelease()
      #expect(rig.shared.takeBackRelease())
      _ = rig.control.start(rig.numbered(480), arrival: rig.pcm.now)
    }
    rig.run(until: 2000)
    #expect(rig.heard == [1...480])
    #expect(rig.givenUp == nil)
    #expect(rig.pcm.counts[.start] == 1)
  }

  @Test func `a release that the thread has acted on is not taken back`() throws {
    let rig = try ScriptedLoop(.card)
    rig.at(100) { [unowned rig] in rig.shared.requestRelease() }
    rig.at(200) { [unowned rig] in
      #expect(!rig.shared.takeBackRelease())
      rig.collect()
    }
    rig.run(until: 2000)
    #expect(rig.givenUp?.error == 0)
  }
}
