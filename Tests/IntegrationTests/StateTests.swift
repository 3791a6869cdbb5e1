import Foundation
import SoundTrigger
import TestSupport
import Testing

/// What outlives the daemon.
struct StateTests {
  private static let configuration = """
    [[trigger]]
    value = "a"
    sound = "tick"
    throttle = "1 h"
    """

  private func start(_ home: Home, environment: [String: String] = [:]) throws -> Program {
    try home.daemon(Self.configuration, "--device", "none", environment: environment)
  }

  private func end(_ daemon: Program) throws {
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
  }

  private func ask(_ home: Home, _ lines: String...) throws {
    let connection = try home.connect()
    for line in lines { #expect(try connection.ask(line) == "ok", "\(line)") }
  }

  private func volume(_ home: Home) throws -> Double? { try home.status()["volume"] as? Double }

  private func attributes(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  /// What a folder holds, without the lock and the copies of good configurations.
  private func names(_ folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? []
    return names.filter { !["state.lock", "good"].contains($0) }
  }

  @Test func `what is kept of a value is as the last reload reads it`() throws {
    let home = try Home()
    func configuration(_ match: String) -> String {
      "[value.v]\nmatch = '\(match)'\n[[trigger]]\nvalue = \"v\"\ninitial = \"if-changed\"\nsound = \"tick\"\n"
    }
    var daemon = try home.daemon(configuration("[a-z]"), "--device", "none")
    #expect(try home.run("set", "v=x 1").wait() == .exit(0))
    try ask(home, "volume 0.5")
    try eventually("the state is saved") { names(home(".local/state/soundd")) == ["state"] }
    try home.write("config/soundd/config.toml", configuration("[0-9]"))
    try ask(home, "reload")
    #expect(try home.value("v")["value"] is NSNull)
    #expect(try home.run("set", "v=x 1").wait() == .exit(0))
    #expect(try home.value("v")["value"] as? String == "1")
    try end(daemon)
    daemon = try home.daemon(configuration("[0-9]"), "--device", "none")
    #expect(try home.run("set", "v=y 1").wait() == .exit(0))
    #expect(try home.played("v") == 0)
    #expect(try home.run("set", "v=y 2").wait() == .exit(0))
    #expect(try home.played("v") == 1)
    try end(daemon)
  }

  @Test func `volume, profile and throttle survive a restart, and mute does not`() throws {
    let home = try Home()
    var daemon = try start(home)
    try ask(home, "volume 0.25", "profile silent", "profile full", "profile quiet", "mute")
    try ask(home, "profile full")
    #expect(try home.run("set", "a=1").wait() == .exit(0))
    #expect(try home.run("set", "a=2").wait() == .exit(0))
    #expect(try home.played("a") == 1)
    try ask(home, "profile quiet")
    try end(daemon)
    #expect(try attributes(home(".local/state/soundd")) == 0o700)
    #expect(try attributes(home(".local/state/soundd/state")) == 0o600)
    #expect(names(home(".local/state/soundd")) == ["state"])

    daemon = try start(home)
    let status = try home.status()
    #expect(status["volume"] as? Double == 0.25)
    #expect(status["profile"] as? String == "quiet")
    #expect(status["muted"] as? Bool == false)
    try ask(home, "profile full")
    #expect(try home.run("set", "a=3").wait() == .exit(0))
    #expect(try home.run("set", "a=4").wait() == .exit(0))
    #expect(try home.trigger("a")["changes"] as? Int == 1)
    #expect(try home.played("a") == 0, "the hour is not over")
    try end(daemon)
  }

  @Test func `a throttle that holds at the stop is saved, however short it is`() throws {
    let home = try Home()
    let short = Self.configuration.replacing("1 h", with: "2 s")
    for _ in 0..<10 {
      let daemon = try home.daemon(short, "--device", "none")
      #expect(try home.run("set", "a=1").wait() == .exit(0))
      let start = ContinuousClock.now
      #expect(try home.run("set", "a=2").wait() == .exit(0))
      try end(daemon)
      // On a busy machine it may be over.
      if ContinuousClock.now - start > .seconds(2) { continue }
      let state = try String(contentsOfFile: home(".local/state/soundd/state"), encoding: .utf8)
      #expect(state.contains(#"{"trigger":"a","played_at":"#))
      return
    }
  }

  @Test func `with if-changed when, from and thresholds are judged against the content at the last stop`() throws {
    let home = try Home()
    func trigger(_ name: String, _ value: String, _ condition: String) -> String {
      "[[trigger]]\nname = \"\(name)\"\nvalue = \"\(value)\"\n\(condition)\ninitial = \"if-changed\"\nsound = \"tick\"\n"
    }
    let configuration =
      "[value.n]\nfile = \"n\"\ntype = \"number\"\n[value.t]\nfile = \"t\"\n"
      + trigger("grown", "n", "when = \"increase\"")
      + trigger("crossed", "n", "above = 2") + trigger("left", "t", "from = \"a\"")
    let names = ["grown", "crossed", "left"]
    for (number, text, played) in [
      ("1", "a", [0, 0, 0]), ("3", "b", [1, 1, 1]), ("4", "a", [1, 0, 0]), ("1", "c", [0, 0, 1]),
      ("1", "c", [0, 0, 0]),
    ] {
      try home.write("config/soundd/n", number)
      try home.write("config/soundd/t", text)
      let daemon = try home.daemon(configuration, "--device", "none")
      try eventually("\(number) and \(text) play \(played)") { try names.map { try home.played($0) ?? 0 } == played }
      try end(daemon)
    }
  }

  @Test func `with if-changed the first content plays if it is not the one at the last stop`() throws {
    let home = try Home()
    let configuration = """
      [[trigger]]
      name = "t"
      value = ["a", "b"]
      sound = "tick"
      initial = "if-changed"
      """
    // What a and b are set to in each run, the times the trigger plays, and the verdicts.
    for (a, b, played) in [
      // Nothing is known of them.
      ("1", "1", 0),
      ("1", "2", 1),
      // What b was is known from the run before the last.
      ("1", nil, 0), ("1", "2", 0),
      // In one run a changes, and so it plays; in the next it is as it was.
      ("3", nil, 1), ("3", "4", 1),
    ] {
      let daemon = try home.daemon(configuration, "--device", "none")
      for (name, content) in [("a", a), ("b", b)] {
        if let content { #expect(try home.run("set", "\(name)=\(content)").wait() == .exit(0)) }
      }
      #expect(try home.played("t") == played)
      try end(daemon)
    }
  }

  @Test func `a value that a reload gave another type is known by that at the next start`() throws {
    let home = try Home()
    let trigger = "[[trigger]]\nvalue = \"a\"\nsound = \"tick\"\ninitial = \"if-changed\"\n"
    var daemon = try home.daemon(trigger, "--device", "none")
    #expect(try home.run("set", "a=1.0").wait() == .exit(0))
    try eventually("the text is written") {
      (try? String(contentsOfFile: home(".local/state/soundd/state"), encoding: .utf8))?.contains("\"value\":\"a\"")
        == true
    }
    let number = "[value.a]\ntype = \"number\"\n" + trigger
    try home.write("config/soundd/config.toml", number)
    try ask(home, "reload")
    #expect(try home.run("set", "a=1.0").wait() == .exit(0))
    try end(daemon)
    daemon = try home.daemon(number, "--device", "none")
    #expect(try home.run("set", "a=1").wait() == .exit(0))
    #expect(try home.played("a") == 0, "it is the same number")
    try end(daemon)
  }

  @Test func `the state has a fingerprint of what files and folders hold, and of nothing that clients set`() throws {
    let home = try Home()
    try home.write("status", "passed\n")
    try home.write("log", "a line\n")
    let daemon = try home.daemon(
      """
      [value.status]
      file = "\(home("status"))"
      [value.log]
      lines = "\(home("log"))"
      [value.entries]
      count = "\(home.path)"
      [value.there]
      exists = "\(home("status"))"
      [value.pipe]
      fifo = "\(home("pipe"))"
      """, "--device", "none")
    #expect(try home.run("set", "client=1").wait() == .exit(0))
    try end(daemon)
    let state = try String(contentsOfFile: home(".local/state/soundd/state"), encoding: .utf8)
    for name in ["status", "log", "entries", "there"] { #expect(state.contains(#""value":"\#(name)""#), "\(name)") }
    for name in ["pipe", "client"] { #expect(!state.contains(#""value":"\#(name)""#), "\(name)") }
    // printf 'text\\0passed' | sha256sum
    #expect(
      state.contains(
        #"{"value":"status","sha256":"14ae2e1868dd702f14e97fb97f8a156e58b848e202fe08e3763cdc147a464ed9"}"#))
  }

  @Test func `what changed is written before long, and a restart after a crash has it`() throws {
    let home = try Home()
    let daemon = try start(home)
    #expect(names(home(".local/state/soundd")) == [], "nothing has changed yet")
    try ask(home, "volume 0.125")
    let file = home(".local/state/soundd/state")
    try eventually("the state is written") { FileManager.default.fileExists(atPath: file) }
    daemon.send(signal: SIGKILL)
    #expect(try daemon.wait() == .signal(SIGKILL))
    _ = try start(home)
    #expect(try volume(home) == 0.125)
  }

  @Test func `whenever it is killed while it writes, it finds a state that was whole`() throws {
    let home = try Home()
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SplitMix64(seed: seed)
    var known = 1.0
    var saved = 0
    // Of a size that takes a while.
    let name = String(repeating: "é", count: 200)
    let configuration = (0..<100).map { "\(Self.configuration)\nname = \"\($0)\(name)\"\n" }.joined()
    for round in 1...25 {
      let daemon = try home.daemon(configuration, "--device", "none")
      let found = try #require(try volume(home))
      #expect(found == known || found == Double(round - 1) / 100, "round \(round), seed \(seed)")
      if found != known { saved += 1 }
      known = found
      #expect(!daemon.errors.contains("damaged"), "round \(round), seed \(seed): \(daemon.errors)")
      let connection = try home.connect()
      try connection.send(line: "a=0\na=\(round)")
      #expect(try connection.ask("volume \(Double(round) / 100)") == "ok")
      // It saves its state at once on SIGTERM.
      daemon.send(signal: SIGTERM)
      usleep(UInt32.random(in: 0...100_000, using: &generator))
      daemon.send(signal: SIGKILL)
      _ = try daemon.wait()
    }
    #expect(saved > 0, "no state was ever saved, seed \(seed)")
    let daemon = try home.daemon(configuration, "--device", "none")
    try end(daemon)
    let remains = names(home(".local/state/soundd")).filter { !["report", "state"].contains($0) }
    #expect(remains == [], "what killed ones left is removed")
  }

  @Test func `the state of a newer soundd is left alone, and log and status say so`() throws {
    let home = try Home()
    let content = "{\"soundd_state\":5}\n"
    let file = try home.write(".local/state/soundd/state", content)
    let daemon = try start(home)
    let problem =
      "\(file) is of a newer soundd (version 5, and this one knows 4); it stays as it is, and this daemon saves nothing"
    #expect(daemon.errors.contains("soundd: \(problem): volume, "), "\(daemon.errors)")
    #expect(try home.warnings().contains(problem))
    try ask(home, "volume 0.5")
    try end(daemon)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == content)
    #expect(names(home(".local/state/soundd")) == ["state"])
  }

  @Test(arguments: ["nonsense", ""])
  func `a state that is none is set aside, reported and begun anew`(content: String) throws {
    let home = try Home()
    let problem = "is damaged (its checksum is wrong)"
    let file = try home.write(".local/state/soundd/state", content)
    try home.write(".local/state/soundd/state.damaged", "an older one")
    let daemon = try start(home)
    #expect(
      daemon.errors.contains(
        "soundd: \(file) \(problem); volume, profile, alarms, throttles and the values' last contents are lost; "
          + "it is now \(file).damaged\n"))
    #expect(try String(contentsOfFile: file + ".damaged", encoding: .utf8) == content)
    #expect(try volume(home) == 1)
    try ask(home, "volume 0.5")
    try end(daemon)
    _ = try start(home)
    #expect(try volume(home) == 0.5)
  }

  @Test func `where it cannot be written that is said once, and everything else runs`() throws {
    let home = try Home()
    try home.write(".local/state", "a file in the place of the folder")
    let daemon = try start(home)
    try ask(home, "volume 0.5")
    try daemon.waitForErrors(
      "the state cannot be saved: make the folder \(home(".local/state/soundd")): Not a directory")
    try ask(home, "volume 0.25")
    #expect(try volume(home) == 0.25)
    try end(daemon)
    #expect(daemon.errors.components(separatedBy: "cannot be saved").count == 2)
  }

  @Test func `without a place for it that is said once, and everything else runs`() throws {
    let home = try Home()
    let daemon = try start(home, environment: ["HOME": ""])
    try ask(home, "volume 0.5")
    try end(daemon)
    #expect(
      daemon.errors.contains(
        "soundd: the state is not kept: neither XDG_STATE_HOME nor HOME is set to an absolute path\n"))
  }

  @Test func `systemd's folder goes before the user's`() throws {
    let home = try Home()
    let daemon = try start(home, environment: ["STATE_DIRECTORY": home("given"), "XDG_STATE_HOME": home("other")])
    try ask(home, "volume 0.5")
    try end(daemon)
    #expect(names(home("given")) == ["state"])
    #expect(names(home("other")) == [])
  }

  @Test func `what runs without a configuration, or on a timeline, keeps nothing`() throws {
    let home = try Home()
    let watch = try home.start("watch", "tick", "--device", "none", "--throttle", "1 h", input: .text("1\n2\n3\n"))
    #expect(try watch.wait() == .exit(0))
    try home.write("config/soundd/config.toml", Self.configuration)
    #expect(try home.run("render", "-", "-o", "out.wav", input: .text("0 a=1\n1 a=2\n")).wait() == .exit(0))
    #expect(names(home(".local")) == [])
  }

  // MARK: Two daemons

  private static let alarm = """
    [value.heat]
    type = "number"
    [[trigger]]
    value = "heat"
    above = 90
    sound = "alarm"
    loop = true
    latch = true
    """

  /// A daemon whose alarm is active and saved.
  private func daemonWithAlarm(_ home: Home) throws -> Program {
    let daemon = try home.daemon(Self.alarm, "--device", "none")
    for content in ["20", "95"] { #expect(try home.run("set", "heat=\(content)").wait() == .exit(0)) }
    try eventually("the alarm is saved") { stateText(home)?.contains(#""alarm":"heat""#) == true }
    return daemon
  }

  private func stateText(_ home: Home) -> String? {
    try? String(contentsOfFile: home(".local/state/soundd/state"), encoding: .utf8)
  }

  private func codes(_ socket: String) throws -> [String] {
    let status = try JSON.object(try Connection(socket).ask("status"))
    return (status["warnings"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
  }

  @Test func `a second daemon saves nothing, says so, and saves when the first one is gone`() throws {
    let home = try Home()
    let first = try daemonWithAlarm(home)
    let saved = stateText(home)

    try home.write("other.toml", Self.configuration)
    let second = try home.start("run", "--device", "none", "--config", "other.toml", "--socket", home("second"))
    try second.waitForErrors("soundd: ready: ")
    let refusal = "another soundd (process \(first.pid)) saves its state in \(home(".local/state/soundd"))"
    try second.waitForErrors("soundd: \(refusal): this daemon saves nothing, and tries again every 10 s")
    #expect(try codes(home("second")).contains("state_locked"))
    #expect(try Connection(home("second")).ask("volume 0.5") == "ok")
    let doctor = try home.run("doctor", "--socket", home("second"))
    #expect(doctor.text.contains("→ end the other one: "), "\(doctor.text)")
    #expect(stateText(home) == saved)

    first.send(signal: SIGKILL)
    _ = try first.wait()
    try second.waitForErrors("soundd: the state is saved from now on, in ")
    #expect(try !codes(home("second")).contains("state_locked"))
    try end(second)
    #expect(stateText(home)?.contains(#""volume":0.5"#) == true)
    #expect(
      stateText(home)?.contains(#""alarm":"heat","life":"active""#) == true, "it belongs to another configuration")

    let third = try home.daemon(Self.alarm, "--device", "none")
    #expect(third.errors.contains(/soundd: alarm 'heat': active since [-0-9: ]+, as before/))
    try end(third)
  }

  @Test func `a second daemon that leaves has changed nothing`() throws {
    let home = try Home()
    let first = try daemonWithAlarm(home)
    let saved = stateText(home)
    try home.write("other.toml", Self.configuration)
    let second = try home.start("run", "--device", "none", "--config", "other.toml", "--no-socket")
    poll(nil, 0, 500)
    second.send(signal: SIGTERM)
    #expect(try second.wait() == .exit(0), "it leaves while it waits for the lock")
    #expect(stateText(home) == saved)
    try end(first)
    #expect(stateText(home)?.contains(#""alarm":"heat""#) == true)
  }

  @Test func `a daemon that is killed leaves the state free for the next one at once, with its commands still there`()
    throws
  {
    let home = try Home()
    let configuration = "[value.v]\ncommand = [\"sleep\", \"1003\"]\n[[trigger]]\nvalue = \"v\"\nsound = \"tick\"\n"
    for round in 1...200 {
      let daemon = try home.daemon(configuration, "--device", "none")
      #expect(!daemon.errors.contains("another soundd"), "round \(round): \(daemon.errors)")
      daemon.send(signal: SIGKILL)
      if round % 2 == 0 { _ = try daemon.wait() }
    }
  }

  @Test(.disabled(if: Program.hasTickingThread))
  func `at rest nothing is written and nothing wakes up, quiet hours or not`() throws {
    let home = try Home()
    let daemon = try home.daemon(
      Self.configuration + "\n[profile]\nquiet_hours = \"22:00-07:00\"\n", "--device", "none")
    try ask(home, "profile full")
    #expect(try home.run("set", "a=1").wait() == .exit(0))
    #expect(try home.run("set", "a=2").wait() == .exit(0))
    let file = home(".local/state/soundd/state")
    try eventually("the play is written") {
      (try? String(contentsOfFile: file, encoding: .utf8))?.contains("\"played_at\"") == true
    }
    // A loaded disk may end the write late, and a change that came after it waits for the next one.
    try eventually("for longer than changes are gathered nothing is written and nothing wakes up") {
      let before = (
        try daemon.wakeUps(), try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
      )
      poll(nil, 0, 3000)
      return before == (
        try daemon.wakeUps(), try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
      )
    }
  }
}
