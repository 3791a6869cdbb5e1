import Glibc
import Testing

@testable import SoundTrigger

/// An action as a word, for a table.
private func word(_ action: PCMRecovery.Action) -> String {
  switch action {
  case .wait(let pause): "wait \(pause / 1_000_000) ms"
  case .restart: "restart"
  case .revive: "revive"
  case .resume: "resume"
  case .proceed: "proceed"
  case .giveUp(let code): "give up \(-code)"
  }
}

@Suite struct PCMRecoveryTests {
  private static let second: Int64 = 1_000_000_000

  @Test(arguments: [
    (EPIPE, "restart"), (ESTRPIPE, "resume"), (EAGAIN, "wait 1 ms"), (EINTR, "wait 1 ms"), (EBUSY, "wait 1 ms"),
    (ENODEV, "give up \(ENODEV)"), (EBADFD, "give up \(EBADFD)"), (EIO, "give up \(EIO)"),
    (EINVAL, "give up \(EINVAL)"), (ENOENT, "give up \(ENOENT)"), (9999, "give up 9999"),
  ]) func `every error has its action`(code: Int32, action: String) {
    var recovery = PCMRecovery()
    recovery.started(at: 0)
    #expect(word(recovery.failed(-Int(code), at: Self.second)) == action)
  }

  @Test func `a device that runs dry again and again right after its start is given up`() {
    var recovery = PCMRecovery()
    var now = Self.second
    var actions: [String] = []
    for _ in 0..<7 {
      recovery.started(at: now)
      now += 50_000_000
      recovery.progressed(at: now)
      recovery.served()
      now += 200_000_000
      actions.append(word(recovery.failed(-Int(EPIPE), at: now)))
    }
    #expect(actions == Array(repeating: "restart", count: 5) + Array(repeating: "give up \(EPIPE)", count: 2))
  }

  @Test func `a device that played for a while between its failures is never given up`() {
    var recovery = PCMRecovery()
    var now = Self.second
    for _ in 0..<100 {
      recovery.started(at: now)
      now += 101_000_000
      recovery.progressed(at: now)
      recovery.served()
      now += 1_000_000_000
      #expect(word(recovery.failed(-Int(EPIPE), at: now)) == "restart")
    }
  }

  @Test func `a busy device is asked again for half a second, then given up`() {
    var recovery = PCMRecovery()
    recovery.started(at: 0)
    #expect(word(recovery.failed(-Int(EAGAIN), at: Self.second)) == "wait 1 ms")
    #expect(word(recovery.failed(-Int(EAGAIN), at: Self.second + 499_000_000)) == "wait 1 ms")
    #expect(word(recovery.failed(-Int(EAGAIN), at: Self.second + 500_000_000)) == "give up \(EIO)")
  }

  @Test func `a device that was busy and then takes frames has its half second anew`() {
    var recovery = PCMRecovery()
    recovery.started(at: 0)
    _ = recovery.failed(-Int(EAGAIN), at: Self.second)
    recovery.served()
    #expect(word(recovery.failed(-Int(EAGAIN), at: Self.second + 600_000_000)) == "wait 1 ms")
  }

  @Test(arguments: [
    (Int32(0), "proceed"), (EAGAIN, "wait 10 ms"), (ENOSYS, "revive"), (EIO, "revive"), (ENODEV, "give up \(ENODEV)"),
  ]) func `a resume that is answered has its action`(code: Int32, action: String) {
    var recovery = PCMRecovery()
    recovery.started(at: 0)
    #expect(word(recovery.failed(-Int(ESTRPIPE), at: Self.second)) == "resume")
    #expect(word(recovery.resumed(-Int(code), isBack: true, at: Self.second)) == action)
  }

  @Test func `a resume that never ends becomes a start from anew`() {
    var recovery = PCMRecovery()
    recovery.started(at: 0)
    #expect(word(recovery.resumed(-Int(EAGAIN), isBack: false, at: Self.second)) == "wait 10 ms")
    #expect(word(recovery.resumed(-Int(EAGAIN), isBack: false, at: Self.second + 510_000_000)) == "revive")
  }

  @Test func `a device that has played and stands still for a second is given up`() {
    var recovery = PCMRecovery()
    recovery.started(at: 0)
    recovery.progressed(at: 1)
    recovery.started(at: Self.second)
    #expect(word(recovery.stood(at: 2 * Self.second - 1)) == "proceed")
    #expect(word(recovery.stood(at: 2 * Self.second)) == "give up \(EIO)")
  }

  @Test(arguments: [false, true]) func `a device that was opened or connected just now has three seconds to begin`(
    isConnectedAgain: Bool
  ) {
    var recovery = PCMRecovery()
    if isConnectedAgain {
      recovery.started(at: 0)
      recovery.progressed(at: 0)
      recovery.connected()
    }
    recovery.started(at: 0)
    #expect(word(recovery.stood(at: 3 * Self.second - 1)) == "proceed")
    #expect(word(recovery.stood(at: 3 * Self.second)) == "give up \(EIO)")
  }

  @Test func `a device that plays again within a second may stand still again`() {
    var recovery = PCMRecovery()
    recovery.started(at: 0)
    #expect(word(recovery.stood(at: 900_000_000)) == "proceed")
    recovery.progressed(at: 950_000_000)
    #expect(word(recovery.stood(at: 1_900_000_000)) == "proceed")
  }
}
