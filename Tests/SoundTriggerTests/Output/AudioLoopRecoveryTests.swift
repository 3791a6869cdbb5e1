import Glibc
import Synchronization
import TestSupport
import Testing

@testable import SoundTrigger

/// The audio thread's loop on a scripted PCM that fails.
struct AudioLoopRecoveryTests {
  typealias Kind = ScriptedLoop.Kind

  /// Whether each stretch begins where the one before ended, or later by `gap` frames at the most, or up to `overlap` frames
  /// earlier.
  private func isInOrder(_ heard: [ClosedRange<Int>], overlap: Int = 0, gap: Int = 0) -> Bool {
    heard.allSatisfy { $0.lowerBound > 0 }
      && zip(heard, heard.dropFirst()).allSatisfy {
        (-overlap...gap).contains($1.lowerBound - $0.upperBound - 1)
      }
  }

  // MARK: Being late

  @Test func `a card that is written to late is caught up with, and what was missed is counted`() throws {
    let rig = try ScriptedLoop(.card)
    rig.pcm.lateness = { $0 == 4 ? 300 * ScriptedLoop.millisecond : 0 }
    rig.play(rig.numbered(48_000), at: 0)
    rig.run()
    // All of it is heard, with one gap in it, and no frame twice.
    #expect(rig.heard.count == 2)
    #expect(isInOrder(rig.heard))
    #expect(rig.heard.map(\.count).reduce(0, +) == 48_000)
    #expect(rig.xruns == 1)
    #expect(rig.missing > 0)
    let first = try #require(rig.firstHeard)
    let gap = rig.pcm.heard[first...].prefix(while: { $0 != 0 }).count
    let silence = rig.pcm.heard[(first + gap)...].prefix(while: { $0 == 0 }).count
    #expect(abs(silence - rig.missing) <= 2 * 128, "\(silence) frames of silence, \(rig.missing) counted")
    #expect(rig.shared.counters.late.load(ordering: .relaxed) == 1)
  }

  @Test func `a card that runs dry while the thread stands still after the start has that counted`() throws {
    // It starts with 10 ms. Until more is written, 40 ms later, it plays silence.
    try expectSilenceAfterTheStart { $0.pass(50 * ScriptedLoop.millisecond) }
  }

  @Test func `a card that runs ahead of the clock right after its start has that counted`() throws {
    try expectSilenceAfterTheStart { $0.hurry(by: 2400) }
  }

  /// Lets something happen between the start of a card and the second write, because of which 1,920 frames are silent.
  private func expectSilenceAfterTheStart(_ happens: @escaping (ScriptedPCM) -> Void) throws {
    let rig = try ScriptedLoop(.card)
    var hasHappened = false
    rig.pcm.script = { [unowned pcm = rig.pcm] call, _ in
      if call == .mmapBegin, pcm.counts[.start] == 1, !hasHappened {
        hasHappened = true
        happens(pcm)
      }
      return nil
    }
    rig.play(rig.numbered(48_000), at: 0)
    rig.run()
    #expect(rig.heard == [1...480, 2401...48_000])
    #expect(rig.xruns == 1)
    #expect(rig.missing == 1920)
  }

  @Test(arguments: [Kind.plugin, .pipewire, .server])
  func `a device that runs dry is started again, and what was missed is counted`(kind: Kind) throws {
    let rig = try ScriptedLoop(kind)
    rig.pcm.lateness = { $0 == 6 ? 700 * ScriptedLoop.millisecond : 0 }
    rig.play(rig.numbered(48_000), at: 0)
    rig.run()
    #expect(isInOrder(rig.heard))
    #expect(rig.heard.map(\.count).reduce(0, +) == 48_000)
    #expect(rig.xruns == 1)
    #expect(rig.missing > 0)
    #expect(rig.pcm.counts[.start] == 2)
    #expect(rig.givenUp == nil)
  }

  @Test(arguments: Kind.allCases) func `a loop that is late again and again loses nothing but time`(kind: Kind) throws {
    let rig = try ScriptedLoop(kind)
    // Not more than the silent part of a card's ring, and not so often that it is as good as never.
    let every = kind.canRewind ? 7 : 60
    rig.pcm.lateness = { $0 % every == 0 ? 300 * ScriptedLoop.millisecond : 0 }
    rig.play(rig.numbered(60_000), at: 0)
    rig.run()
    #expect(isInOrder(rig.heard))
    #expect(rig.heard.map(\.count).reduce(0, +) == 60_000)
    #expect(rig.endedVoices.count == 1)
    #expect(rig.givenUp == nil)
  }

  // MARK: Every action of PCMRecovery, from the call that leads to it

  @Test(arguments: Kind.allCases, [EAGAIN, EINTR, EBUSY])
  func `a device that is busy for a moment is asked again`(kind: Kind, code: Int32) throws {
    let rig = try ScriptedLoop(kind)
    rig.pcm.script = { call, number in call == .avail && (5...7).contains(number) ? .error(code) : nil }
    rig.play(rig.numbered(24_000), at: 0)
    rig.run()
    #expect(rig.heard == [1...24_000])
    #expect(rig.pcm.counts[.start] == 1)
  }

  @Test(arguments: Kind.allCases, [EAGAIN, EINTR, EBUSY])
  func `a device that is busy at its start is started as soon as it is not`(kind: Kind, code: Int32) throws {
    for call in [ScriptedPCM.Call.start, .mmapBegin, .mmapCommit, .writei] {
      let rig = try ScriptedLoop(kind)
      rig.pcm.script = { $0 == call && $1 <= 20 ? .error(code) : nil }
      rig.play(rig.numbered(2400), at: 0)
      rig.run()
      #expect(rig.heard == [1...2400], "\(call)")
      #expect(rig.pcm.now - rig.start < 150 * ScriptedLoop.millisecond, "\(call)")
    }
  }

  @Test(arguments: Kind.allCases) func `after a start that failed the sound begins with its first frame`(
    kind: Kind
  ) throws {
    // A file has what it took.
    for call in [ScriptedPCM.Call.mmapCommit, .writei] + (kind == .file ? [] : [.start]) {
      let rig = try ScriptedLoop(kind)
      rig.pcm.script = { $0 == call && $1 == 1 ? .error(EPIPE) : nil }
      rig.play(rig.numbered(2400), at: 0)
      rig.run()
      #expect(rig.heard == [1...2400], "\(call)")
      #expect(rig.endedVoices.count == 1, "\(call)")
    }
  }

  @Test(arguments: [Kind.card, .plugin, .pipewire])
  func `after a start that failed on a device that cannot be rewound nothing is lost, either`(kind: Kind) throws {
    let rig = try ScriptedLoop(kind)
    rig.pcm.script = { call, number in
      switch (call, number) {
      case (.rewind, 1): .frames(0)
      case (.start, 1): .error(EPIPE)
      default: nil
      }
    }
    rig.play(rig.numbered(2400), at: 0)
    rig.run()
    #expect(rig.heard == [1...2400])
  }

  @Test(arguments: Kind.allCases) func `a device that stays busy at its start is given up after half a second`(
    kind: Kind
  )
    throws
  {
    let rig = try ScriptedLoop(kind)
    rig.pcm.script = { call, _ in call == .start ? .error(EBUSY) : nil }
    rig.play(rig.numbered(2400), at: 0)
    rig.run()
    let givenUp = try #require(rig.givenUp)
    #expect(givenUp.error == -Int(EIO))
    #expect(rig.endedVoices.count == 1)
    #expect(rig.pcm.counts[.start] ?? 0 > 100)
  }

  @Test(arguments: Kind.allCases) func `a device that stands still is given up within a second`(kind: Kind) throws {
    if kind == .file { return }
    let rig = try ScriptedLoop(kind)
    rig.at(100) { [unowned rig] in rig.pcm.isStalled = true }
    rig.play(rig.numbered(24_000), at: 0)
    rig.run(until: 5000)
    #expect(rig.pcm.counts[.start] == 1)
    #expect(rig.givenUp?.error == -Int(EIO))
    #expect(isInOrder(rig.heard))
    #expect(rig.endedVoices.count == 1)
  }

  @Test(arguments: [Kind.card, .plugin, .pipewire])
  func `a device that stood still goes on where it was`(kind: Kind) throws {
    let rig = try ScriptedLoop(kind)
    rig.at(100) { [unowned rig] in rig.pcm.isStalled = true }
    rig.at(900) { [unowned rig] in rig.pcm.isStalled = false }
    rig.play(rig.numbered(24_000), at: 0)
    rig.run(until: 5000)
    #expect(rig.heard.map(\.count).reduce(0, +) == 24_000)
    #expect(isInOrder(rig.heard))
    #expect(rig.givenUp == nil)
  }

  @Test(arguments: Kind.allCases) func `after a suspend the device is resumed`(kind: Kind) throws {
    if kind == .file { return }
    let rig = try ScriptedLoop(kind)
    rig.at(100) { [unowned rig] in rig.pcm.suspend() }
    rig.play(rig.numbered(24_000), at: 0)
    rig.run()
    #expect(rig.heard == [1...24_000])
    #expect(rig.pcm.counts[.resume] == 1)
    #expect(rig.pcm.counts[.start] == 1)
  }

  @Test(arguments: Kind.allCases) func `a device that cannot resume is started again`(kind: Kind) throws {
    if kind == .file { return }
    let rig = try ScriptedLoop(kind)
    rig.pcm.script = { call, _ in call == .resume ? .error(ENOSYS) : nil }
    rig.at(300) { [unowned rig] in rig.pcm.suspend() }
    rig.play(rig.numbered(24_000), at: 0)
    rig.run()
    // How far it was is an estimate. Where nothing can be taken back, what the device held is lost.
    #expect(isInOrder(rig.heard, overlap: 256, gap: kind.canRewind ? 256 : rig.pcm.traits.heldFrames))
    #expect(rig.heard.first?.lowerBound == 1 && rig.heard.last?.upperBound == 24_000)
    #expect(rig.pcm.counts[.start] == 2)
    #expect(rig.givenUp == nil)
  }

  @Test(arguments: Kind.allCases) func `a suspend while nothing plays is over at the next start`(kind: Kind) throws {
    let rig = try ScriptedLoop(kind)
    rig.play(rig.numbered(480), at: 0)
    rig.at(1000) { [unowned rig] in rig.pcm.suspend() }
    rig.play(rig.numbered(960), at: 2000)
    rig.run()
    #expect(rig.heard == [1...480, 1...960])
    #expect(rig.givenUp == nil)
  }

  @Test(arguments: Kind.allCases) func `a device that is suspended for ever is given up`(kind: Kind) throws {
    for resume in [0, EAGAIN, ENOSYS, EIO] {
      let rig = try ScriptedLoop(kind)
      rig.pcm.script = { call, number in
        switch call {
        case .avail where number > 4: .error(ESTRPIPE)
        case .mmapBegin where number > 9, .writei where number > 9: .error(ESTRPIPE)
        case .resume where resume != 0: .error(resume)
        default: nil
        }
      }
      rig.play(rig.numbered(24_000), at: 0)
      rig.run(until: 10_000)
      #expect(!rig.pcm.isStuck, "resume: \(resume)")
      #expect(rig.givenUp != nil, "resume: \(resume)")
      #expect(rig.endedVoices.count == 1, "resume: \(resume)")
    }
  }

  @Test func `a card that is unplugged is given back, playing and at rest`() throws {
    for time in [Int64(100), 1000] {
      let rig = try ScriptedLoop(.card)
      rig.at(time) { [unowned rig] in rig.pcm.disconnect() }
      rig.play(rig.numbered(24_000), at: 0)
      rig.run(until: 2000)
      #expect(rig.givenUp?.error == -Int(ENODEV))
      #expect(rig.endedVoices.count == 1)
    }
  }

  @Test func `a card that was suspended at rest and has played since is still watched for its end`() throws {
    let rig = try ScriptedLoop(.card)
    rig.at(1000) { [unowned rig] in rig.pcm.suspend() }
    rig.play(rig.numbered(480), at: 2000)
    rig.at(3000) { [unowned rig] in rig.pcm.disconnect() }
    rig.run(until: 4000)
    #expect(rig.heard == [1...480])
    #expect(rig.givenUp?.error == -Int(ENODEV))
  }

  // MARK: A position that cannot be true

  @Test(arguments: Kind.allCases) func `a position that goes back for a while is not believed`(kind: Kind) throws {
    let rig = try ScriptedLoop(kind)
    rig.pcm.script = { call, number in call == .avail && (4...8).contains(number) ? .frames(0) : nil }
    rig.play(rig.numbered(24_000), at: 0)
    rig.run()
    #expect(rig.heard == [1...24_000])
    #expect(rig.xruns == 0)
  }

  @Test(arguments: Kind.allCases, [Int64(0), -3600, 3600, 1])
  func `timestamps that stand still or are of another clock do no harm`(kind: Kind, seconds: Int64) throws {
    let rig = try ScriptedLoop(kind)
    let stamp = rig.start + seconds * ScriptedLoop.second
    rig.pcm.script = { call, _ in call == .htimestamp ? .stamp(stamp) : nil }
    rig.play(rig.numbered(48_000), at: 0)
    rig.play(rig.numbered(480), at: 2000)
    rig.run()
    #expect(rig.heard == [1...48_000, 1...480])
    #expect(rig.xruns == 0)
  }

  @Test(arguments: [Kind.card, .plugin, .pipewire, .server], [-20_000, -500, 100, 5000, 40_000])
  func `a hardware pointer that jumps costs a part of the sound at most`(kind: Kind, frames: Int) throws {
    let rig = try ScriptedLoop(kind)
    rig.at(300) { [unowned rig] in rig.pcm.jump(by: frames) }
    rig.play(rig.numbered(48_000), at: 0)
    rig.play(rig.numbered(480), at: 6000)
    rig.run()
    #expect(!rig.pcm.isStuck)
    #expect(rig.givenUp == nil)
    #expect(rig.endedVoices.count == 2)
    #expect(rig.heard.last == 1...480)
  }

  // MARK: Every error at every call

  struct Failure: CustomTestStringConvertible, Sendable {
    var kind: Kind
    var call: ScriptedPCM.Call
    var code: Int32
    var testDescription: String { "\(kind), \(call): \(String(cString: strerror(code)))" }
  }

  static let failures = Kind.allCases.flatMap { kind in
    ScriptedPCM.Call.allCases.filter { $0 != .close }.flatMap { call in
      [EPIPE, ESTRPIPE, EAGAIN, ENODEV, EBADFD, EIO].map { Failure(kind: kind, call: call, code: $0) }
    }
  }

  /// Half a second of sound, with commands while it plays, and a second later a shorter sound.
  private func play(_ rig: ScriptedLoop) {
    rig.play(rig.numbered(4000), at: 0)
    rig.play(Clip(stereo: [Float](repeating: 0, count: 160), rate: 8000), at: 250)
    rig.play(rig.numbered(200), at: 2500)
    rig.run(until: 8000)
  }

  @Test(arguments: failures) func `one error at any call costs little of the sounds, or the device is given up`(
    failure: Failure
  ) throws {
    for number in isQuick ? [2] : [1, 2, 3, 5, 8] {
      let rig = try ScriptedLoop(failure.kind, rate: 8000)
      rig.pcm.script = { $0 == failure.call && $1 == number ? .error(failure.code) : nil }
      play(rig)
      let heard = rig.heard
      let context: Comment = "call \(number): heard \(heard), missing \(rig.missing)"
      #expect(!rig.pcm.isStuck, context)
      #expect(rig.endedVoices.count == 3, context)
      if rig.givenUp != nil {
        #expect([ENODEV, EBADFD, EIO].contains(failure.code) || failure.call == .prepare, context)
        continue
      }
      // Where nothing can be taken back, what the device held is lost: the second sound may be all of it.
      let lost = failure.kind.canRewind ? 0 : rig.stream.bufferFrames + 256
      let second = heard.last { $0.upperBound == 200 }
      #expect(second != nil || lost >= 200, context)
      let first = heard.filter { $0.upperBound > 200 }
      // How far the device was is an estimate; before it was seen to play for the first time it counts as nothing.
      let unknown = first.count == 2 && first[1].lowerBound == 1 && first[0].upperBound <= 1000 + 128
      // The loop does without these three; that the device stopped it notices at its next wake-up.
      let unnoticed = [.delay, .htimestamp, .state].contains(failure.call) ? rig.stream.rate / 8 : 0
      #expect(unknown || isInOrder(first, overlap: 256, gap: max(lost, unnoticed + 256)), context)
      #expect(first.last?.upperBound ?? 0 >= 4000 - lost, context)
    }
  }

  @Test(arguments: failures) func `errors at any call from some time on end in silence, never without end`(
    failure: Failure
  ) throws {
    for number in isQuick ? [4] : [1, 2, 4, 9] {
      let rig = try ScriptedLoop(failure.kind, rate: 8000)
      rig.pcm.script = { $0 == failure.call && $1 >= number ? .error(failure.code) : nil }
      play(rig)
      #expect(!rig.pcm.isStuck, "call \(number)")
      #expect(rig.endedVoices.count == 3, "call \(number)")
      #expect(rig.pcm.sleeps < 3000, "call \(number)")
    }
  }

  @Test(arguments: 0..<100) func `a device that does whatever it likes is survived`(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let rig = try ScriptedLoop(Kind.allCases[seed % Kind.allCases.count])
    let frequency = [3, 10, 50][seed / 5 % 3]
    let numbers = [0, 1, 2, 100, 24_000, 24_001, 1_000_000, .max, .min, -1, Int(Int32.max)]
    let codes = [EPIPE, ESTRPIPE, EAGAIN, EINTR, EBUSY]
    rig.pcm.script = { [unowned rig] call, number in
      guard Int.random(in: 0..<frequency, using: &random) == 0 else { return nil }
      switch Int.random(in: 0..<4, using: &random) {
      case 0: return .error(codes.randomElement(using: &random) ?? EIO)
      case 1 where [.avail, .htimestamp, .delay, .rewind].contains(call):
        return .frames(numbers.randomElement(using: &random) ?? 0)
      case 2: return .atMost(Int.random(in: 0...300, using: &random))
      default:
        rig.pcm.pass(Int64.random(in: 0...2_000_000, using: &random))
        return .stamp(rig.pcm.now + Int64.random(in: -25_000_000...25_000_000, using: &random))
      }
    }
    rig.pcm.lateness = { _ in 0 }
    for index in 0..<10 { rig.play(rig.numbered(2400), at: Int64(120 * index)) }
    rig.run(until: 30_000)
    #expect(!rig.pcm.isStuck)
    #expect(rig.endedVoices.count == 10)
  }
}
