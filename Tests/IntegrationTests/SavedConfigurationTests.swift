import Foundation
import Testing

/// The daemon follows its configuration file: from none to the first, and from one save to the next.
struct SavedConfigurationTests {
  private let home: Home
  private let file: String

  init() throws {
    home = try Home()
    file = home("config/soundd/config.toml")
  }

  /// A configuration of one trigger of this name.
  private func trigger(_ name: String) -> String {
    "[output]\ndevice = \"none\"\n[[trigger]]\nname = \"\(name)\"\nvalue = \"x\"\nsound = \"tick\"\n"
  }

  private func triggers() throws -> [String] {
    (try home.status()["triggers"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
  }

  private func waitForTrigger(_ name: String) throws {
    try eventually("the trigger '\(name)' is there") { try triggers() == [name] }
  }

  private func warnings() throws -> [String] { try home.warnings() }

  private func reloads(of daemon: Program) -> Int {
    daemon.look()
    return daemon.errors.components(separatedBy: "soundd: reloaded: ").count - 1
  }

  /// Without a configuration, with these places for one.
  private func start(_ arguments: String...) throws -> Program {
    let daemon = try home.start(
      ["run", "--device", "none"] + arguments, environment: ["XDG_CONFIG_DIRS": home("xdg") + ":" + home("xdg2")])
    try daemon.waitForErrors("soundd: ready: ")
    return daemon
  }

  // MARK: No file

  @Test func `without a configuration it runs, says so, plays by hand and takes the file as soon as there is one`()
    throws
  {
    // The folders are missing, too.
    try FileManager.default.removeItem(atPath: home("config"))
    let daemon = try start()
    let places = [file, home("xdg/soundd/config.toml"), home("xdg2/soundd/config.toml")].joined(separator: " or ")
    let text = "no configuration file at \(places): 'soundd init' writes one, and this daemon takes it at once"
    try daemon.waitForErrors("soundd: \(text)\n")
    #expect(try warnings() == [text])
    #expect(try home.status()["configuration"] is NSNull)
    #expect(try home.run("play", "tick").wait() == .exit(0))
    #expect(try home.run("reload").wait() == .exit(77))

    try home.write("config/soundd/config.toml", trigger("first"))
    try waitForTrigger("first")
    #expect(try warnings() == [])
    #expect(try home.status()["configuration"] as? String == file)
    #expect(try home.run("set", "x=1").wait() == .exit(0))
    #expect(try home.run("set", "x=2").wait() == .exit(0))
    #expect(try home.played("first") == 1)
    #expect(reloads(of: daemon) == 1)
  }

  @Test func `a file that comes after a start without one finds what its triggers had`() throws {
    try home.write("config/soundd/config.toml", trigger("first"))
    var daemon = try start()
    #expect(try home.run("volume", "0.5", "--trigger", "first").wait() == .exit(0))
    let text = try Data(contentsOf: URL(filePath: file))
    for content in [nil, text] {
      daemon.send(signal: SIGTERM)
      #expect(try daemon.wait() == .exit(0))
      try? FileManager.default.removeItem(atPath: file)
      daemon = try start()
      if let content { try content.write(to: URL(filePath: file), options: .atomic) }
    }
    try waitForTrigger("first")
    #expect(try home.run("volume", "--trigger", "first").text == "0.5 (-6.02 dB)\n")
  }

  @Test func `a file that cannot be read for a while is taken again, though it is the same`() throws {
    try home.write("config/soundd/config.toml", trigger("first"))
    _ = try start()
    try FileManager.default.moveItem(atPath: file, toPath: home("aside"))
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    try eventually("it is no file") { try warnings().first?.contains("it is a folder") == true }
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.moveItem(atPath: home("aside"), toPath: file)
    try eventually("nothing is wrong") { try warnings() == [] }
  }

  @Test func `the first of the places that has a file counts, whenever it appears or goes`() throws {
    let daemon = try start()
    try home.write("xdg2/soundd/config.toml", trigger("system-2"))
    try waitForTrigger("system-2")
    try home.write("xdg/soundd/config.toml", trigger("system"))
    try waitForTrigger("system")
    try home.write("config/soundd/config.toml", trigger("user"))
    try waitForTrigger("user")
    // A place that comes later does not matter.
    try home.write("xdg/soundd/config.toml", trigger("other"))
    #expect(try home.run("reload").wait() == .exit(0))
    #expect(try triggers() == ["user"])
    try FileManager.default.removeItem(atPath: file)
    try waitForTrigger("other")
    withExtendedLifetime(daemon) {}
  }

  @Test func `a place that is a folder at the start is followed once it is a file`() throws {
    try home.write("config/soundd/config.toml", trigger("user"))
    try FileManager.default.createDirectory(
      atPath: home("xdg/soundd/config.toml"), withIntermediateDirectories: true)
    let daemon = try start()
    try FileManager.default.removeItem(atPath: home("xdg/soundd/config.toml"))
    try home.write("xdg/soundd/config.toml", trigger("system"))
    try FileManager.default.removeItem(atPath: file)
    try waitForTrigger("system")
    try home.write("xdg/soundd/config.toml", trigger("saved"))
    try waitForTrigger("saved")
    withExtendedLifetime(daemon) {}
  }

  @Test func `a folder in the place of the file is named, with what to do`() throws {
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
    let daemon = try home.start("run", "--device", "none")
    try daemon.waitForErrors("soundd: not used: cannot read \(file): it is a folder, not a file\n")
    let running = try home.run("doctor")
    #expect(running.text.contains("→ move it away (mv \(file) \(file).old), then: soundd init\n"), "\(running.text)")
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    let doctor = try home.run("doctor")
    #expect(doctor.text.contains("→ move it away (mv \(file) \(file).old), then: soundd init\n"), "\(doctor.text)")
    // A folder elsewhere may be precious.
    let named = try home.run("doctor", "--config", home.path)
    #expect(named.text.contains("→ name a file: --config FILE\n"), "\(named.text)")
    #expect(!named.text.contains("mv "))
  }

  @Test func `a place that this user may not look at is bad, and not absent`() throws {
    try home.write("config/soundd/config.toml", trigger("secret"))
    chmod(home("config"), 0o000)
    defer { chmod(home("config"), 0o755) }
    // Root may read everything.
    let wrapper = geteuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    let daemon = try home.start(["run", "--device", "none", "--no-socket"], through: wrapper)
    try daemon.waitForErrors("soundd: not used: cannot read \(file): Permission denied\n")
    let doctor = try home.start(["doctor"], through: wrapper)
    #expect(try doctor.wait() == .exit(69))
    #expect(doctor.text.contains("cannot read \(file): Permission denied\n"), "\(doctor.text)")
    #expect(doctor.text.contains("→ to see who may: ls -ld \(home("config"))\n"), "\(doctor.text)")
    #expect(doctor.errors.contains("configuration"))
  }

  @Test(.enabled(if: WatchLimitTests.isAllowed, "it takes a user namespace"))
  func `a place that cannot be watched stands in the status and in what doctor says`() throws {
    try home.write("config/soundd/config.toml", trigger("x"))
    let daemon = try home.start(["run", "--device", "none"], through: WatchLimitTests.wrapper(limit: 1))
    let text = "; soundd looks for a saved configuration every 10 s"
    try daemon.waitForErrors(text)
    try eventually("it is reported") { try warnings().first?.hasSuffix(text) == true }
    #expect(try home.run("doctor").text.contains(text))
  }

  @Test func `the sounds of a configuration that comes later lie beside it`() throws {
    let daemon = try start()
    let sound = try Data(contentsOf: URL(fileURLWithPath: Home.checkout + "/sounds/tick.wav"))
    try home.write("config/soundd/sounds/mine.wav", sound)
    try home.write(
      "config/soundd/config.toml", "[output]\ndevice = 'none'\n[[trigger]]\nvalue = 'x'\nsound = 'mine'")
    try waitForTrigger("x")
    #expect(try home.trigger("x")["state"] as? String == "ok")
    withExtendedLifetime(daemon) {}
  }

  @Test func `a first file with errors is named, and the next save taken`() throws {
    let daemon = try start()
    try home.write("config/soundd/config.toml", "wrong = 1")
    try daemon.waitForErrors("soundd: \(file):1:1: wrong: unknown key\n")
    try eventually("it is reported") { try warnings().first == "not reloaded: \(file):1:1: wrong: unknown key" }
    try home.write("config/soundd/config.toml", trigger("right"))
    try waitForTrigger("right")
  }

  // MARK: Saving

  @Test(.disabled(if: Program.hasTickingThread, "a thread of the sanitizer never rests"))
  func `each way of saving reloads once`() throws {
    let daemon = try home.daemon(trigger("start"))
    // In place, as cp and nano do.
    try home.write("config/soundd/config.toml", trigger("in-place"))
    try waitForTrigger("in-place")
    // A new file over the old one, as most editors do.
    try home.replace("config/soundd/config.toml", trigger("renamed"))
    try waitForTrigger("renamed")
    // The old file becomes the backup, as vim does.
    #expect(rename(file, file + "~") == 0)
    try home.write("config/soundd/config.toml", trigger("backup"))
    try waitForTrigger("backup")
    // Removed and written anew.
    try FileManager.default.removeItem(atPath: file)
    try home.write("config/soundd/config.toml", trigger("anew"))
    try waitForTrigger("anew")
    // Nothing has changed, and nothing has to be read again.
    try home.write("config/soundd/config.toml", trigger("anew"))
    chmod(file, 0o600)
    try daemon.waitForRest()
    #expect(reloads(of: daemon) == 4)
  }

  @Test func `a file behind a link, as dotfiles are kept, is followed`() throws {
    try home.write("dotfiles/soundd.toml", trigger("old"))
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: home("dotfiles/soundd.toml"))
    let daemon = try start()
    #expect(try triggers() == ["old"])
    try home.replace("dotfiles/soundd.toml", trigger("new"))
    try waitForTrigger("new")
    withExtendedLifetime(daemon) {}
  }

  @Test func `a file given with an option is followed, and no other`() throws {
    let own = try home.write("own.toml", trigger("own"))
    let daemon = try start("--config", own)
    try home.write("config/soundd/config.toml", trigger("default"))
    try home.write("own.toml", trigger("saved"))
    try waitForTrigger("saved")
    withExtendedLifetime(daemon) {}
  }

  @Test func `a bad save changes nothing, is logged with its place, and stands in the status until it is mended`()
    throws
  {
    let daemon = try home.daemon(trigger("good"))
    try home.write("config/soundd/config.toml", trigger("bad") + "volumee = 1\n")
    let text = "\(file):7:1: trigger[1].volumee: unknown key (did you mean 'volume'?)"
    try daemon.waitForErrors("soundd: \(text)\nsoundd: the configuration was not changed\n")
    #expect(try triggers() == ["good"])
    #expect(try warnings() == ["not reloaded: \(text)"])
    try home.write("config/soundd/config.toml", trigger("good"))
    try eventually("it is mended") { try warnings() == [] }
    #expect(try triggers() == ["good"])
  }

  @Test func `a file that is removed goes on, with a word in the log, and counts again when it is back`() throws {
    let daemon = try home.daemon(trigger("kept"))
    try FileManager.default.removeItem(atPath: file)
    let text = "\(file) was removed: what it said holds until there is a file again, or soundd ends"
    try daemon.waitForErrors("soundd: \(text)\n")
    #expect(try triggers() == ["kept"])
    #expect(try warnings() == ["not reloaded: \(text)"])
    try home.write("config/soundd/config.toml", trigger("kept"))
    try eventually("it is back") { try warnings() == [] }
    #expect(try triggers() == ["kept"])
  }

  @Test func `an emptied file counts once it stays empty`() throws {
    let daemon = try home.daemon(trigger("x"))
    try home.write("config/soundd/config.toml", "")
    try daemon.waitForErrors("soundd: reloaded: 0 triggers")
    #expect(try warnings().contains { $0.hasPrefix("\(file):1:1: there is no [[trigger]]") })
  }

  @Test func `the list leaves out values that the configuration no longer names, unless they have content`() throws {
    _ = try home.daemon(trigger("a") + "[value.kept]\n[value.gone]\n")
    #expect(try home.run("list").text.contains("gone"))
    #expect(try home.run("set", "kept=1").wait() == .exit(0))
    try home.write("config/soundd/config.toml", trigger("b"))
    try waitForTrigger("b")
    #expect(try Set(home.run("list").text.split(separator: "\n")) == ["x=(none yet)", "kept=1"])
    // The others count the same.
    #expect(try home.status()["values"] as? Int == 2)
    let follower = try home.connect()
    #expect(try follower.ask("events --state") == "ok")
    var names: [String] = []
    while case let event = try JSON.object(follower.line()), event["event"] as? String != "ready" {
      if event["event"] as? String == "value" { names.append(event["name"] as? String ?? "") }
    }
    #expect(Set(names) == ["x", "kept"] && names.count == 2)
  }

  @Test func `what needs a restart stands in the status`() throws {
    let daemon = try home.daemon(trigger("x"))
    try home.write("config/soundd/config.toml", trigger("y") + "[limits]\nvoices = 3\n")
    try waitForTrigger("y")
    #expect(try warnings() == ["\(file): [output] and [limits] need a restart: systemctl --user restart soundd"])
    try home.write("config/soundd/config.toml", trigger("z"))
    try waitForTrigger("z")
    #expect(try warnings() == [])
    withExtendedLifetime(daemon) {}
  }
}
