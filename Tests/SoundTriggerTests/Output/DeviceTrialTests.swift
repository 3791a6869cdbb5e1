import Glibc
import TestSupport
import Testing

@testable import SoundTrigger

/// A device that stood still is open again only if it plays.
struct DeviceTrialTests {
  typealias Kind = ScriptedLoop.Kind

  /// The error of a trial; `nil`: the device plays.
  private func trial(_ rig: ScriptedLoop) -> OutputError? {
    do throws(OutputError) {
      try DeviceTrial(rig.pcm.pcm, rig.stream, rig.pcm.timekeeper).run("scripted")
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: Kind.allCases) func `a device that plays passes, in silence, and is prepared`(kind: Kind) throws {
    let rig = try ScriptedLoop(kind)
    #expect(trial(rig) == nil)
    #expect(rig.pcm.state == (kind == .pulse ? .setup : .prepared))
    #expect(rig.pcm.heard.allSatisfy { $0 == 0 })
    #expect(rig.pcm.now - rig.start < 20 * ScriptedLoop.millisecond)
  }

  @Test(arguments: Kind.allCases) func `a device whose position stands still fails after three seconds`(
    kind: Kind
  ) throws {
    if kind == .file { return }
    let rig = try ScriptedLoop(kind)
    rig.pcm.isStalled = true
    #expect(trial(rig)?.code == -EIO)
    #expect(rig.pcm.now - rig.start <= 3010 * ScriptedLoop.millisecond)
  }

  @Test(arguments: Kind.allCases) func `a device that stops right after its start fails`(kind: Kind) throws {
    let rig = try ScriptedLoop(kind)
    rig.pcm.script = { call, _ in call == .avail ? .error(EPIPE) : nil }
    #expect(trial(rig)?.code == -EPIPE)
  }

  @Test func `a device that has played everything before the next look passes`() throws {
    let rig = try ScriptedLoop(.server)
    rig.pcm.isStalled = true
    rig.pcm.lateness = { [unowned pcm = rig.pcm] _ in
      pcm.isStalled = false
      return 100 * ScriptedLoop.millisecond
    }
    #expect(trial(rig) == nil)
  }

  @Test(arguments: [ScriptedPCM.Call.start, .mmapBegin, .mmapCommit, .prepare], [ENODEV, EIO])
  func `a device that fails fails`(call: ScriptedPCM.Call, code: Int32) throws {
    let rig = try ScriptedLoop(.card)
    rig.pcm.script = { name, _ in name == call ? .error(code) : nil }
    #expect(trial(rig)?.code == -code)
  }
}
