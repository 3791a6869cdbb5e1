import Foundation
import Testing

/// A configuration that is bad when soundd starts ends no alarm.
struct LastGoodTests {
  private let home: Home

  private static let good = """
    [value.heat]
    type = "number"
    [[trigger]]
    value = "heat"
    above = 90
    loop = true
    sound = "alarm"

    """
  private static let bad = good + "[[trigger]]\nvalue = \"x\"\nsonud = \"tick\"\n"

  init() throws { home = try Home() }

  private var file: String { home("config/soundd/config.toml") }
  private var error: String { "\(file):10:1: trigger[2].sonud: unknown key (did you mean 'sound'?)" }

  private func end(_ daemon: Program) throws {
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
  }

  /// Runs a daemon with a configuration, until it has kept a copy of it.
  private func run(good text: String, _ arguments: String...) throws {
    try home.write("config/soundd/config.toml", text)
    let daemon = try home.start(["run", "--device", "none"] + arguments)
    try daemon.waitForErrors("soundd: ready: ")
    if text == Self.good {
      for content in ["20", "95"] { #expect(try home.run("set", "heat=\(content)").wait() == .exit(0)) }
    }
    try end(daemon)
  }

  private func codes() throws -> [String] {
    (try home.status()["warnings"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
  }

  @Test func `the last good one runs, with its alarms, and every page says so until the file is good`() throws {
    try run(good: Self.good)
    let daemon = try home.daemon(Self.bad, "--device", "none", "--log-level", "debug")
    try daemon.waitForErrors("soundd: by hand: plays 'error'")
    #expect(daemon.errors.contains(/soundd: alarm 'heat': active since [-0-9: ]+, as before/))
    #expect(daemon.errors.contains("soundd: not used: \(error)"))

    let sentence = "\(file) has errors: soundd runs with the last good configuration, kept at "
    #expect(try home.warnings().first?.hasPrefix(sentence) == true)
    #expect(try codes().prefix(2) == ["last_good", "not_reloaded"])
    let status = try home.run("status")
    #expect(status.text.contains("warning   \(sentence)"))
    let alarms = try home.run("alarms")
    #expect(alarms.errors.hasPrefix("soundd: \(sentence)"))
    #expect(alarms.text.contains("heat   active"))
    let doctor = try home.run("doctor")
    #expect(doctor.text.contains(sentence))
    #expect(doctor.text.contains(error))
    #expect(try home.run("monitor", "--once").text.contains("last good"))

    let reload = try home.run("reload")
    #expect(try reload.wait() == .exit(77))
    #expect(reload.errors.contains(error))
    #expect(try codes().first == "last_good", "a reload that fails changes nothing")
    #expect(try home.run("set", "--if-running", "heat=96").wait() == .exit(0))

    try home.write("config/soundd/config.toml", Self.good)
    try eventually("the file is used") { try codes().isEmpty }
    #expect(try home.run("alarms").errors == "")
    #expect(daemon.errors.components(separatedBy: "plays 'error'").count == 2, "once")
    try end(daemon)
  }

  @Test func `a copy with warnings runs, and what was good last counts, be it from a reload`() throws {
    try run(good: Self.good)
    let unused = Self.good.replacingOccurrences(of: "[[trigger]]", with: "[value.unused]\n[[trigger]]")
    var daemon = try home.daemon(Self.good, "--device", "none")
    try home.write("config/soundd/config.toml", unused)
    #expect(try home.run("reload").wait() == .exit(0))
    try end(daemon)
    daemon = try home.daemon(Self.bad, "--device", "none")
    #expect(try codes() == ["last_good", "not_reloaded", "unused"])
    #expect(try home.run("alarms").text.contains("heat   active"))
    try end(daemon)
  }

  @Test func `an empty file is used, and replaces no copy`() throws {
    try run(good: Self.good)
    try run(good: "")
    let daemon = try home.daemon(Self.bad, "--device", "none")
    #expect(try codes() == ["last_good", "not_reloaded"])
    #expect(try home.trigger("heat")["value"] as? String == "heat")
    try end(daemon)
  }

  @Test func `without a good one soundd waits for it, ready and reachable`() throws {
    let daemon = try home.daemon(Self.bad, "--device", "none", "--log-level", "debug")
    try daemon.waitForErrors("soundd: by hand: plays 'error'")
    #expect(try codes() == ["no_configuration", "not_reloaded"])
    #expect(try home.run("set", "--if-running", "heat=20").wait() == .exit(0))
    #expect(try home.run("play", "tick").wait() == .exit(0))
    #expect(try home.run("reload").wait() == .exit(77))
    let doctor = try home.run("doctor")
    #expect(doctor.text.contains(error))
    #expect(doctor.text.contains("no earlier good one is known"))
    try home.replace("config/soundd/config.toml", Self.good)
    try eventually("the file is used") { try codes().isEmpty }
    for content in ["20", "95"] { #expect(try home.run("set", "heat=\(content)").wait() == .exit(0)) }
    #expect(try home.run("alarms").text.contains("heat   active"))
    try end(daemon)
  }

  @Test func `a bad file that is named runs its own last good one, else it is an error`() throws {
    for name in ["one", "two"] {
      try home.write("\(name).toml", "[[trigger]]\nvalue = \"\(name)\"\nsound = \"tick\"\n")
      try run(good: "", "--config", "\(name).toml")
    }
    for name in ["one", "two", "three"] { try home.write("\(name).toml", "[[trigger]]\n") }
    for name in ["one", "two"] {
      let daemon = try home.start("run", "--device", "none", "--config", "\(name).toml")
      try daemon.waitForErrors("soundd: ready: ")
      #expect(try home.trigger(name)["value"] as? String == name)
      #expect(try home.warnings().contains("not used: \(name).toml:1:1: trigger[1]: 'value' is missing"))
      try end(daemon)
    }
    #expect(try home.start("run", "--device", "none", "--config", "three.toml").wait() == .exit(78))
  }

  @Test func `a command that others could have written does not run, not as a copy either`() throws {
    let part =
      "[value.v]\ncommand = [\"touch\", \"\(home("ran"))\"]\nevery = \"1 s\"\n[[trigger]]\nvalue = \"v\"\nsound = \"tick\"\n"
    try home.write("config/soundd/config.d/part.toml", part)
    chmod(home("config/soundd/config.d/part.toml"), 0o666)
    try run(good: Self.good)
    chmod(home("config/soundd/config.d/part.toml"), 0o600)
    let daemon = try home.daemon(Self.bad, "--device", "none")
    #expect(try codes().first == "last_good")
    #expect(try home.value("v")["problem"] is String)
    poll(nil, 0, 1500)
    #expect(!FileManager.default.fileExists(atPath: home("ran")))
    try home.write("config/soundd/config.toml", Self.good)
    try eventually("it runs once the file is good") { FileManager.default.fileExists(atPath: home("ran")) }
    try end(daemon)
  }

  @Test func `check and render read the file, and write nothing`() throws {
    try run(good: Self.good)
    try home.write("config/soundd/config.toml", Self.bad)
    #expect(try home.run("check").wait() == .exit(78))
    #expect(try home.run("render", "-", "-o", "x.wav", input: .text("0 heat=1\n")).wait() == .exit(78))
    let untouched = try Home()
    try untouched.write("config/soundd/config.toml", Self.good)
    #expect(try untouched.run("check").wait() == .exit(0))
    #expect(try untouched.run("render", "-", input: .text("0 heat=1\n")).wait() == .exit(0))
    #expect(!FileManager.default.fileExists(atPath: untouched(".local")))
  }
}
