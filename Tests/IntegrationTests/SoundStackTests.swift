import Foundation
import TestSupport
import Testing

/// On the sound servers that others have: PulseAudio, PipeWire behind PulseAudio's plugin, and JACK.
@Suite(
  .serialized,
  .enabled(if: SoundStack.isAvailable, "needs what Tests/stacks/fetch unpacks, which 'make test' runs"))
struct SoundStackTests {
  /// A deep buffer: these tests ask what is heard, not when, and the machine may be busy.
  private static let configuration = """
    [output]
    latency = "100 ms"
    [[trigger]]
    value = "a"
    sound = "success"
    [[trigger]]
    value = "alarm"
    to = "on"
    sound = "alarm"
    loop = true

    """

  private let home: Home

  init() throws { home = try Home() }

  // MARK: Rest

  @Test(.disabled(if: Program.hasTickingThread), arguments: [SoundStack.Name.pulseAudio, .pipewirePulse])
  func `at rest neither soundd nor the server wakes up, and the sink sleeps`(name: SoundStack.Name) throws {
    let server = try SoundStack(name, in: home)
    let daemon = try start(server)
    try expectRest(daemon, server, "before the first sound")
    try play("1")
    try expectRest(daemon, server, "after a sound")
    #expect(try server.sinkState() == "suspended")
    try play("2")
    #expect(try home.played("a") == 2)
  }

  private func expectRest(_ daemon: Program, _ server: SoundStack, _ time: Comment) throws {
    // PipeWire's session manager lets a sink sleep after 5 s, PulseAudio of these tests after 2 s.
    try eventually("the sink sleeps") { try server.sinkState() == "suspended" }
    // The question for the state wakes the server up.
    try eventually("both rest, \(time)") {
      let before = try daemon.wakeUps()
      let serverBefore = try server.wakeUps()
      poll(nil, 0, 1000)
      let mine = try daemon.wakeUps() - before
      let others = try server.wakeUps() - serverBefore
      return mine == 0 && others <= 2
    }
  }

  @Test func `a device of PulseAudio is given back after a while, and is opened for the next sound`() throws {
    let server = try SoundStack(.pulseAudio, in: home)
    let configuration = "[output]\nkeep_open = \"1 s\"\n[[trigger]]\nvalue = \"a\"\nsound = \"success\"\n"
    let daemon = try home.daemon(configuration, "--device", server.device, environment: server.environment)
    try change("0")
    for number in 1...2 {
      try eventually("it is closed") { try state() == "closed" }
      try change("\(number)")
      try eventually("play \(number) is heard") { try home.played("a") == number }
    }
    try eventually("it is closed") { try state() == "closed" }
    try server.tell("kill")
    #expect(try state() == "missing")
    try server.tell("start")
    #expect(try state() == "closed")
    try change("3")
    try eventually("play 3 is heard") { try home.played("a") == 3 }
    withExtendedLifetime(daemon) {}
  }

  // MARK: JACK

  @Test func `when a sound has ended, and when an alarm is stopped, JACK is silent`() throws {
    let server = try SoundStack(.jack, in: home, records: true)
    let daemon = try start(server)
    try play("1")
    try home.connect().send(line: "alarm=on")
    try eventually("the alarm sounds") { try state() == "running" }
    #expect(try home.run("stop", "--all").wait() == .exit(0))
    try eventually("all is silent") { try state() == "idle" }
    let before = try server.recording().frames
    try eventually("a second more is recorded") { try server.recording().frames > before + 48_000 }
    let recording = try server.recording()
    let heard = try #require(recording.onset())
    #expect(heard < before)
    #expect(recording.samples.suffix(48_000).allSatisfy { $0 == 0 })
    withExtendedLifetime(daemon) {}
  }

  @Test(arguments: ["1 ms", "10 ms", "20 ms", "30 ms", "250 ms"])
  func `JACK takes any latency`(latency: String) throws {
    let server = try SoundStack(.jack, in: home)
    let daemon = try home.daemon(
      "[output]\nlatency = \"\(latency)\"\n[[trigger]]\nvalue = \"a\"\nsound = \"success\"\n",
      "--device", server.device, environment: server.environment)
    try change("0")
    try change("1")
    try eventually("it is heard") { try home.played("a") == 1 }
    withExtendedLifetime(daemon) {}
  }

  // MARK: Sinks that stand still

  @Test func `a sink that is suspended counts as missing until it plays`() throws {
    let server = try SoundStack(.pulseAudio, in: home)
    let daemon = try start(server)
    try play("1")
    try server.tell("suspend")
    try change("2")
    try daemon.waitForErrors("it stands still")
    // Longer than several attempts take.
    poll(nil, 0, 5000)
    #expect(try state() == "missing")
    #expect(daemon.errors.split(separator: "\n").count { $0.contains("cannot play on") || $0.contains("again") } == 1)
    try server.tell("resume")
    try eventually("it is there again") { try state() != "missing" }
    let played = try #require(try home.played("a"))
    try play("3")
    #expect(try home.played("a") == played + 1)
  }

  @Test func `a sink that takes two seconds to begin is not given up`() throws {
    let server = try SoundStack(.pulseAudio, in: home, environment: ["SINK_ARGUMENTS": ""])
    let daemon = try start(server)
    for number in 1...2 {
      try play("\(number)")
      try eventually("the sink sleeps") { try server.sinkState() == "suspended" }
    }
    #expect(!daemon.errors.contains("cannot play on"))
    #expect(try home.played("a") == 2)
  }

  // MARK: Steps

  private func start(_ server: SoundStack) throws -> Program {
    let daemon = try home.daemon(
      Self.configuration, "--device", server.device, environment: server.environment)
    try change("0")
    return daemon
  }

  /// Sets the value; returns once it has been decided on.
  private func change(_ value: String) throws {
    let connection = try home.connect()
    try connection.send(line: "a=\(value)")
    #expect(try connection.ask("sync") == "ok")
  }

  /// Plays a sound to its end.
  private func play(_ value: String) throws {
    try change(value)
    try eventually("all is silent") { try home.status()["voices"] as? Int == 0 && state() == "idle" }
  }

  private func state() throws -> String? { (try home.status()["device"] as? [String: Any])?["state"] as? String }
}
