import Foundation
import Testing

struct TimerExampleTests {
  private let home: Home

  init() throws { home = try Home() }

  private func state() throws -> String? { try home.trigger("timer")["state"] as? String }

  @Test func `eggs and tea have their times, and can be called off before and after`() throws {
    let plays = try home.render(
      example: "timer/config.toml",
      """
      0 eggs=on
      10 tea=on
      249 tea=off
      261 tea=off
      500 eggs=off
      1000 eggs=on
      1100 eggs=off
      2000 tea=on
      2246 tea=off
      """)
    #expect(
      plays == [
        "420 eggs plays alarm", "500 eggs stops", "2240 tea plays success", "2245 tea plays success",
      ])
  }

  @Test func `another time sounds when it is over, until it is stopped`() throws {
    let daemon = try home.daemon(example: "timer/config.toml")
    #expect(try home.start(example: "timer/timer", ["1s"]).wait() == .exit(0))
    #expect(try home.verdicts("timer-begins").first == "running played")
    #expect(try home.verdicts("timer").last == "over played")
    #expect(try state() == "looping")
    #expect(try home.run("stop", "timer").wait() == .exit(0))
    try eventually("it has faded out") { try state() == "ok" }
    let called = try home.start(example: "timer/timer", ["1h30m"])
    try eventually("it runs") { try home.value("timer")["value"] as? String == "running" }
    called.send(signal: SIGTERM)
    #expect(try called.wait() == .exit(143))
    #expect(try home.value("timer")["value"] as? String == "off")
    #expect(try home.decided("timer") == 1)
    withExtendedLifetime(daemon) {}
  }

  @Test func `in a terminal it counts down, and Enter ends the alarm`() throws {
    let daemon = try home.daemon(example: "timer/config.toml")
    // script(1) of util-linux makes the terminal.
    let terminal = try home.start(
      program: "script", ["-qec", "'\(Home.examples)/timer/timer' 2", "/dev/null"], input: .pipe,
      environment: try home.scriptEnvironment())
    try terminal.waitForOutput(containing: "Press Enter to end the alarm.")
    #expect(terminal.text.contains("\r0:00:0"))
    #expect(try state() == "looping")
    terminal.write("\n")
    #expect(try terminal.wait() == .exit(0))
    try eventually("it has faded out") { try state() == "ok" }
    withExtendedLifetime(daemon) {}
  }

  @Test func `it does not begin without a daemon, nor with what is no time`() throws {
    let alone = try home.start(example: "timer/timer", ["1"])
    #expect(try alone.wait() == .exit(69))
    #expect(alone.errors.hasPrefix("soundd: no soundd is running"))
    for arguments in [[], [""], ["m"], ["-1"], ["08m"], ["5d"], ["1 h"], ["1", "2"], ["9999999999"]] {
      let program = try home.start(example: "timer/timer", arguments)
      #expect(try program.wait() == .exit(64), "\(arguments)")
      #expect(program.errors.hasPrefix("usage: timer DURATION"))
    }
  }
}
