import CLinux
import Glibc
import TestSupport
import Testing

@testable import SoundTrigger

/// Real audio threads on devices that block.
struct BlockedDeviceTests {
  typealias Call = ScriptedPCM.Call

  private static let stream = StreamFormat(
    format: .float32, rate: 48_000, channels: 2, periodFrames: 128, bufferFrames: 24_000, isMapped: true,
    kind: .card, stepFrames: 128)
  /// The calls of the audio thread while it plays and stops.
  private static let calls: [Call] = [.mmapBegin, .mmapCommit, .start, .avail, .delay, .rewind, .drop, .prepare]

  /// An output on a scripted device. The device must outlive it.
  private final class Rig {
    let pcm = ScriptedPCM(ScriptedPCM.Traits(rate: 48_000, bufferFrames: 24_000, stepFrames: 128), isLive: true)
    let gate = ScriptedPCM.Gate()
    let output: Output
    private let driver: DeviceDriver
    private(set) var reports: [VoiceReport] = []
    /// Why the device was given up, and why that could not be done at first.
    private(set) var errors: [OutputError] = []
    private(set) var problems: [OutputError] = []
    /// How often the device was opened again, and which time was a trial.
    let trials = Guarded<[Bool]>([])

    init() throws {
      pcm.records = false
      let settings = OutputSettings(device: "scripted", rate: 48_000)
      let device = PCMDevice(pcm.pcm, BlockedDeviceTests.stream, ring: nil)
      output = try Output(settings, opened: OpenedDevice(result: .success(device), wanted: settings))
      output.open = { [trials] settings, asTrial in
        trials.withLock { $0.append(asTrial) }
        return OpenedDevice.open(OutputSettings(device: "null", rate: settings.rate))
      }
      driver = DeviceDriver(try DeviceOpener(settings), output, at: Output.now)
    }

    deinit {
      gate.open()
      // A thread that was left behind uses the device to its end.
      let end = Output.now.advanced(by: atMost(.seconds(5)))
      while output.isStuck, Output.now < end { usleep(1000) }
      output.stop(patience: atMost(.seconds(5)))
    }

    /// Starts an endless sound.
    func play() {
      let clip = Clip(stereo: noise(frames: 4800, seed: 1), rate: 48_000)
      #expect(output.control.start(clip, loops: true) != nil)
      driver.soundBegins(at: Output.now)
      output.wake()
    }

    /// Keeps the device as its owner does, until a condition holds; returns whether it came to that in time.
    func run(_ patience: Duration = atMost(.seconds(5)), until condition: () -> Bool) -> Bool {
      let end = Output.now.advanced(by: patience)
      while !condition() {
        if Output.now > end { return false }
        _ = clinux_wait(output.reportDescriptor, Int16(POLLIN), 10_000_000)
        for news in driver.update(output.collect { reports.append($0) }, at: Output.now) {
          switch news {
          case .lost(let error): errors.append(error)
          case .stuck(let error): problems.append(error)
          case .missing, .back: break
          }
        }
      }
      return true
    }
  }

  @Test(arguments: calls) func `a device that blocks in a call holds up no end, and is closed when it returns`(
    call: Call
  ) throws {
    let rig = try Rig()
    rig.pcm.script = { [gate = rig.gate] name, _ in name == call ? .block(gate) : nil }
    rig.play()
    if call == .drop || call == .prepare {
      // Those of the end come with it.
      #expect(rig.run { rig.reports.contains { if case .heard = $0 { true } else { false } } })
      rig.output.control.stopAll(fadeFrames: 100)
      rig.output.wake()
    }
    #expect(rig.run { rig.gate.heldCount > 0 })
    let start = Output.now
    #expect(rig.output.stop(patience: .milliseconds(50)))
    #expect(start.duration(to: Output.now) < atMost(.milliseconds(200)))
    rig.gate.open()
    let end = Output.now.advanced(by: atMost(.seconds(5)))
    while rig.output.isStopping, Output.now < end { usleep(1000) }
    #expect(!rig.output.isStopping)
    #expect(rig.pcm.counts[.close] == 1)
  }

  @Test func `a device that blocks while something plays is lost within a second, and the clock takes over`() throws {
    let rig = try Rig()
    rig.pcm.script = { [gate = rig.gate] in $0 == .mmapCommit && $1 >= 200 ? .block(gate) : nil }
    rig.play()
    #expect(rig.run { rig.gate.heldCount > 0 })
    let start = Output.now
    #expect(rig.run { !rig.errors.isEmpty })
    // A second, and what a busy machine adds.
    #expect(start.duration(to: Output.now) < atMost(.seconds(2)))
    #expect(rig.errors.map(\.isSilence) == [true])
    #expect(rig.output.device == nil)
    #expect(rig.output.isStuck)
    // What sounded has ended, and the next sound plays by the clock, as loud as everything was.
    #expect(rig.reports.count { if case .ended(_, .lost) = $0 { true } else { false } } == 1)
    #expect(rig.output.control.activeCount == 0)
    rig.play()
    #expect(rig.output.control.activeCount == 1)
    // It is not opened while a thread is stuck in it; then it is tried.
    #expect(!rig.run(.milliseconds(1500)) { !rig.trials.withLock { $0.isEmpty } })
    rig.gate.open()
    #expect(rig.run { rig.output.device != nil })
    #expect(rig.trials.withLock { $0 } == [true])
    #expect(!rig.output.isStuck)
    #expect(rig.pcm.counts[.close] == 1)
    #expect(rig.errors.count == 1)
    #expect(!rig.output.stop())
  }

  @Test func `a stuck thread that cannot be left behind is reported once, and left behind as soon as that is possible`()
    throws
  {
    let rig = try Rig()
    rig.pcm.script = { [gate = rig.gate] in $0 == .mmapCommit && $1 >= 200 ? .block(gate) : nil }
    var attempts = 0
    rig.output.makeShared = { before throws(SystemError) in
      attempts += 1
      if attempts < 3 { throw SystemError("eventfd", code: EMFILE) }
      return try OutputShared(after: before)
    }
    rig.play()
    #expect(rig.run(.seconds(10)) { !rig.errors.isEmpty })
    #expect(attempts == 3)
    #expect(rig.problems.map(\.reason) == ["it does not answer, and nothing can take its place: Too many open files"])
    #expect(rig.errors.map(\.isSilence) == [true])
    #expect(rig.output.isStuck)
  }

  @Test func `what ended before a device blocked has finished, though nobody had collected that`() throws {
    let rig = try Rig()
    rig.pcm.script = { [gate = rig.gate] in $0 == .mmapCommit && $1 >= 200 ? .block(gate) : nil }
    let short = try #require(rig.output.control.start(Clip(stereo: noise(frames: 480, seed: 1), rate: 48_000)))
    rig.play()
    let end = Output.now.advanced(by: atMost(.seconds(5)))
    while rig.gate.heldCount == 0, Output.now < end { usleep(1000) }
    try rig.output.abandon()
    var reports: [VoiceReport] = []
    #expect(rig.output.collect { reports.append($0) }?.isSilence == true)
    #expect(reports.contains(.ended(short, .finished)))
    #expect(reports.count { if case .ended(_, .lost) = $0 { true } else { false } } == 1)
  }

  @Test func `a closing that blocks holds up nobody, and the next opening waits for it`() throws {
    let rig = try Rig()
    rig.pcm.script = { [gate = rig.gate] call, _ in call == .close ? .block(gate) : nil }
    rig.output.release()
    #expect(rig.run { rig.output.device == nil })
    #expect(rig.output.isReleased)
    let open = rig.output.beginOpening()
    let opened = Guarded<OpenedDevice?>(nil)
    try BoundedCall.start("opening") {
      let device = open()
      opened.withLock { $0 = device }
    }
    #expect(rig.output.stop(patience: .milliseconds(20)))
    #expect(opened.withLock { $0 } == nil)
    rig.gate.open()
    let end = Output.now.advanced(by: atMost(.seconds(5)))
    while opened.withLock({ $0 == nil }), Output.now < end { usleep(1000) }
    #expect(opened.withLock { $0?.error } == nil)
    opened.withLock { $0?.close() }
  }

  @Test func `a device that is unplugged is opened again without a trial`() throws {
    let rig = try Rig()
    rig.pcm.script = { call, number in call == .avail && number > 5 ? .error(ENODEV) : nil }
    rig.play()
    #expect(rig.run { rig.output.device == nil && !rig.errors.isEmpty })
    #expect(rig.run { rig.output.device != nil })
    #expect(rig.trials.withLock { $0 } == [false])
  }

  @Test func `a call that takes too long is left behind`() {
    let gate = ScriptedPCM.Gate()
    let start = Output.now
    let result = BoundedCall.result(within: .milliseconds(20)) {
      gate.wait()
      return 7
    }
    #expect(result == nil)
    #expect(start.duration(to: Output.now) < atMost(.milliseconds(500)))
    #expect(BoundedCall.isAnyLeftBehind)
    gate.open()
    #expect(BoundedCall.result { 8 } == 8)
  }
}
