import Foundation
import Testing

/// Profiles and quiet hours.
struct ProfileTests {
  private static let triggers = """
    [[trigger]]
    name = "news"
    value = "a"
    sound = "tick"
    [[trigger]]
    name = "call"
    value = "a"
    sound = "tick"
    importance = "high"
    [[trigger]]
    name = "fire"
    value = "a"
    sound = "tick"
    importance = "critical"

    """
  /// Five and a half hours ahead of UTC.
  private static let zone = ["TZ": "TST-05:30"]

  /// The time of day so many minutes from now in that zone.
  private func time(_ minutes: Int) -> String {
    let minute = (Int(Date().timeIntervalSince1970) / 60 + 330 + minutes) % 1440
    return String(format: "%02d:%02d", minute / 60, minute % 60)
  }

  private func profile(
    _ home: Home, _ name: String..., environment: [String: String] = [:]
  ) throws -> String {
    let program = try home.start(["profile"] + name, environment: environment)
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    return program.text
  }

  private func status(_ home: Home) throws -> String {
    let program = try home.start("status", environment: Self.zone)
    #expect(try program.wait() == .exit(0))
    return program.text
  }

  @Test func `a profile lets through what is important enough`() throws {
    let home = try Home()
    _ = try home.daemon(Self.triggers, "--device", "none")
    let connection = try home.connect()
    try connection.send(line: "a=0")
    var expected = ["news": 0, "call": 0, "fire": 0]
    for (name, heard) in [
      ("full", ["news", "call", "fire"]), ("quiet", ["call", "fire"]), ("silent", ["fire"]),
      ("full", ["news", "call", "fire"]),
    ] {
      #expect(try profile(home, name) == "\(name)\n")
      #expect(try profile(home) == "\(name)\n")
      #expect(try home.status()["profile"] as? String == name)
      #expect(try home.run("status").text.contains("profile   \(name)\n"))
      try connection.send(line: "a=\(UUID().uuidString)")
      #expect(try connection.ask("sync") == "ok")
      for trigger in heard { expected[trigger, default: 0] += 1 }
      for (trigger, count) in expected { #expect(try home.played(trigger) == count, "\(trigger), \(name)") }
    }
  }

  @Test func `a word that is no profile is refused with those there are`() throws {
    let home = try Home()
    _ = try home.daemon(Self.triggers, "--device", "none")
    let refused = try home.run("profile", "quite")
    #expect(try refused.wait() == .exit(64))
    #expect(refused.errors == "soundd: expected one of full, quiet, silent, found 'quite' (did you mean 'quiet'?)\n")
    #expect(
      try home.connect().ask("profile quite")
        == "error: line 1: expected one of full, quiet, silent, found 'quite' (did you mean 'quiet'?) [invalid]")
    #expect(try home.connect().ask("profile") == "error: line 1: 'profile' needs an argument: profile NAME [invalid]")
    #expect(try profile(home) == "full\n")
  }

  @Test func `in quiet hours the profile is quiet unless another is chosen during them, also after a restart`() throws {
    let home = try Home()
    let end = time(120)
    let configuration = Self.triggers + "[profile]\nquiet_hours = \"\(time(-60))-\(end)\"\n"
    var daemon = try home.daemon(configuration, "--device", "none", environment: Self.zone)
    #expect(try profile(home, environment: Self.zone) == "quiet (quiet hours until \(end), then full)\n")
    #expect(try status(home).contains("profile   quiet (quiet hours until \(end), then full)\n"))
    let status = try home.status()
    #expect(status["profile_chosen"] as? String == "full")
    let until = try #require(status["quiet_until"] as? String)
    let date = try #require(JSON.time(until))
    #expect((118...120).contains(date.timeIntervalSinceNow / 60))

    let chosen = "full (by choice; quiet hours last until \(end))\n"
    #expect(try profile(home, "full", environment: Self.zone) == chosen)
    #expect(try profile(home, environment: Self.zone) == chosen)
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    daemon = try home.daemon(configuration, "--device", "none", environment: Self.zone)
    #expect(try profile(home, environment: Self.zone) == "full (by choice; quiet hours last until \(end))\n")

    // Where it is day.
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    daemon = try home.daemon(configuration, "--device", "none", environment: ["TZ": "TST+06:30"])
    #expect(try profile(home) == "full\n")
    #expect(try home.status()["quiet_until"] is NSNull)
  }

  @Test func `a value that restricts the profile is named, and so is the end of a profile for a time`() throws {
    let home = try Home()
    let gates = "[profile]\nquiet_while = \"in-call\"\nsilent_while = \"presenting\"\n"
    let daemon = try home.daemon(Self.triggers + gates, "--device", "none")
    let events = try home.connect()
    #expect(try events.ask("events") == "ok")
    #expect(try home.run("set", "in-call=on").wait() == .exit(0))
    #expect(try profile(home) == "quiet ('in-call' is true, then full)\n")
    #expect(try status(home).contains("profile   quiet ('in-call' is true, then full)\n"))
    var event = ""
    while !event.contains(#""event":"settings""#) || !event.contains("in-call") { event = try events.line() }
    #expect(event.contains(#""profile":"quiet","profile_chosen":"full","profile_gate":"in-call""#))
    #expect(try home.run("set", "presenting=on").wait() == .exit(0))
    #expect(try profile(home) == "silent ('presenting' is true, then full)\n")
    #expect(try home.run("set", "in-call=off", "presenting=off").wait() == .exit(0))
    #expect(try profile(home) == "full\n")
    let chosen = try profile(home, "silent", "1", "h")
    #expect(chosen.hasPrefix("silent until ") && chosen.hasSuffix(", then full\n"), "\(chosen)")
    #expect(try home.status()["profile_then"] as? String == "full")
    withExtendedLifetime(daemon) {}
  }

  @Test func `a reload takes other quiet hours, and refuses wrong ones`() throws {
    let home = try Home()
    let end = time(120)
    _ = try home.daemon(Self.triggers, "--device", "none", environment: Self.zone)
    #expect(try profile(home) == "full\n")
    let file = "config/soundd/config.toml"
    try home.write(file, Self.triggers + "[profile]\nquiet_hours = \"\(time(-60))-\(end)\"\n")
    #expect(try home.run("reload").wait() == .exit(0))
    #expect(try profile(home, environment: Self.zone) == "quiet (quiet hours until \(end), then full)\n")
    try home.write(file, "[profile]\nquiet_hours = \"25:00-07:00\"\n")
    let refused = try home.run("reload")
    #expect(try refused.wait() == .exit(77))
    #expect(
      refused.errors.contains(
        "config.toml:2:15: profile.quiet_hours: '25:00' is no time of day; expected 00:00 to 23:59"))
    #expect(try profile(home, environment: Self.zone) == "quiet (quiet hours until \(end), then full)\n")
    try home.write(file, Self.triggers)
    #expect(try home.run("reload").wait() == .exit(0))
    #expect(try profile(home) == "full\n")
  }
}
