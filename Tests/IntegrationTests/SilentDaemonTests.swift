import Foundation
import SoundTrigger
import Testing

/// What listens on the socket accepts everybody and never answers, as a daemon that was stopped does (SIGSTOP).
struct SilentDaemonTests {
  private let home: Home

  init() throws { home = try Home() }

  /// A daemon that has stopped.
  private func stoppedDaemon() throws -> Program {
    let daemon = try home.daemon("", "--device", "none")
    daemon.send(signal: SIGSTOP)
    return daemon
  }

  private func end(_ daemon: Program) throws {
    daemon.send(signal: SIGCONT)
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
  }

  @Test func `no command waits for ever for a daemon that does not answer`() throws {
    let daemon = try stoppedDaemon()
    let commands = [
      ["set", "a=1"], ["set", "-"], ["set", "--stdin", "a"], ["get", "a"], ["list"], ["status"], ["explain", "a"],
      ["events"],
      ["play", "tick"], ["stop"], ["mute"], ["unmute"], ["volume"], ["volume", "up"],
      ["profile"], ["profile", "full"], ["reload"], ["sounds", "--play", "tick"],
    ]
    let start = ContinuousClock.now
    let programs = try commands.map { try home.start($0, input: .text("a=1\n")) }
    for (program, command) in zip(programs, commands) {
      #expect(try program.wait() == .exit(69), "\(command)")
      #expect(program.errors.contains("soundd on \(home.socket) does not answer"), "\(command): \(program.errors)")
    }
    #expect(ContinuousClock.now - start < .seconds(15))
    try end(daemon)
  }

  @Test func `an interrupt ends a command that waits at once`() throws {
    let daemon = try stoppedDaemon()
    for command in [["get", "a"], ["play", "tick"], ["events"], ["set", "-"]] {
      let program = try home.start(command, input: .pipe)
      // It is certain to wait by then.
      Thread.sleep(forTimeInterval: 0.3)
      let start = ContinuousClock.now
      program.send(signal: SIGINT)
      #expect(try program.wait() == .signal(SIGINT), "\(command)")
      #expect(ContinuousClock.now - start < .milliseconds(200), "\(command)")
    }
    try end(daemon)
  }

  // Beside the other tests its task waits long for a thread.
  @Test(.timeLimit(.minutes(5))) func `the library gives up a daemon that does not answer`() async throws {
    let daemon = try stoppedDaemon()
    let start = ContinuousClock.now
    let value = RemoteValue("a", socket: home.socket)
    #expect(ContinuousClock.now - start < .milliseconds(500))
    let error = await #expect(throws: RemoteError.self) { try await value.get() }
    guard case .unavailable(let text)? = error else { throw TimedOut(description: "\(String(describing: error))") }
    #expect(text.contains("does not answer"))
    try end(daemon)
  }
}
