import Foundation
import SoundTrigger
import Testing
import TestSupport

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
    #expect(ContinuousClock.now - start < atMost(.seconds(15)))
    try end(daemon)
  }

  /// Commands of hooks, and their input.
  private static let hooks = [
    ["set", "a=1"], ["set", "-v", "a=1"], ["set", "-"], ["set", "--stdin", "a"], ["unset", "a"], ["play", "tick"],
    ["stop"],
    ["ack"], ["snooze"], ["unsnooze", "a"], ["mute"], ["unmute"], ["volume"], ["volume", "up"], ["profile"],
    ["profile", "full"], ["reload"],
  ]

  /// All hooks end silently. They begin together, and this machine needs time of its own for them; the others wait for 5 s.
  private func expectSilence() throws {
    let start = ContinuousClock.now
    let programs = try Self.hooks.map { hook in
      try home.start([hook[0], "--if-running"] + hook.dropFirst(), input: .text("a=1\n"))
    }
    for (program, hook) in zip(programs, Self.hooks) {
      #expect(try program.wait() == .exit(0), "\(hook)")
      #expect(program.text + program.errors == "", "\(hook)")
    }
    #expect(ContinuousClock.now - start < atMost(.seconds(4)))
  }

  @Test func `a hook waits a second for a daemon that does not answer, and says nothing`() throws {
    let daemon = try stoppedDaemon()
    try expectSilence()
    try end(daemon)
  }

  @Test func `a hook waits a second for a daemon whose queue of clients is full, and says nothing`() throws {
    let socket = try ForeignSocket(home.socket, isListening: true)
    // More than the queue takes: the last one waits.
    let waiting = try (0..<8).map { _ in try home.start("get", "a") }
    Thread.sleep(forTimeInterval: 0.3)
    try expectSilence()
    for program in waiting {
      program.send(signal: SIGTERM)
      try program.wait()
    }
    withExtendedLifetime(socket) {}
  }

  @Test func `a hook gives a daemon a second in all, even if most of it was the wait for a place in the queue`() throws
  {
    let script = """
      import os, socket, sys, time
      listener = socket.socket(socket.AF_UNIX)
      listener.bind(sys.argv[1])
      listener.listen(0)
      queued = socket.socket(socket.AF_UNIX)
      queued.connect(sys.argv[1])
      print("ready", flush=True)
      sys.stdin.readline()
      time.sleep(0.8)
      listener.accept()
      time.sleep(60)
      """
    let listener = try home.start(program: "/usr/bin/python3", ["-c", script, home.socket], input: .pipe)
    try listener.waitForOutput(containing: "ready")
    let start = ContinuousClock.now
    let hook = try home.start("set", "--if-running", "a=1")
    listener.write("\n")
    #expect(try hook.wait() == .exit(0))
    #expect(hook.errors == "")
    #expect(ContinuousClock.now - start < atMost(.milliseconds(1_700)))
    listener.send(signal: SIGKILL)
    try listener.wait()
  }

  @Test func `a hook that feeds lines gives up a daemon that stops between them`() throws {
    let daemon = try home.daemon("", "--device", "none")
    let hook = try home.start("set", "--if-running", "-", input: .pipe)
    hook.write("a=1\n")
    try eventually("it is set") { (try? home.value("a")["value"] as? String) == "1" }
    daemon.send(signal: SIGSTOP)
    let start = ContinuousClock.now
    hook.write("a=2\n")
    hook.closeInput()
    #expect(try hook.wait() == .exit(0))
    #expect(hook.errors == "")
    #expect(ContinuousClock.now - start < atMost(.milliseconds(1_500)))
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
      #expect(ContinuousClock.now - start < atMost(.milliseconds(200)), "\(command)")
    }
    try end(daemon)
  }

  // Beside the other tests its task waits long for a thread.
  @Test(.timeLimit(.minutes(5 * timeFactor))) func `the library gives up a daemon that does not answer`() async throws {
    let daemon = try stoppedDaemon()
    let start = ContinuousClock.now
    let value = RemoteValue("a", socket: home.socket)
    #expect(ContinuousClock.now - start < atMost(.milliseconds(500)))
    let error = await #expect(throws: RemoteError.self) { try await value.get() }
    guard case .unavailable(let text)? = error else { throw TimedOut(description: "\(String(describing: error))") }
    #expect(text.contains("does not answer"))
    try end(daemon)
  }
}
