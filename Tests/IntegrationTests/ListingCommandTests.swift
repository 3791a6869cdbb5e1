import Foundation
import Testing

/// `soundd sounds` and `soundd devices` as programs.
struct ListingCommandTests {
  private let home: Home

  init() throws { home = try Home() }

  private var output: String { "[output]\ndevice = \"file:\(home("out.raw")),raw\"\n" }

  private var recorded: Int {
    (try? FileManager.default.attributesOfItem(atPath: home("out.raw"))[.size] as? Int) ?? 0
  }

  @Test func `the shipped sounds are listed in 80 columns`() throws {
    let program = try home.run("sounds")
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    #expect(program.text.hasPrefix("\(home("data/soundd/sounds"))\n  alarm          1.5 s   something must be done\n"))
    // The sounds of the checkout are hidden by the home's link to them, with a long path.
    let lines = program.text.split(separator: "\n").filter { !$0.contains("not used: ") }
    for line in lines { #expect(line.count <= 85, "\(line)") }
    #expect(program.text.contains("'dialog-error' plays 'error'"))
    #expect(!program.text.contains("\u{1B}"))
  }

  @Test func `a program that was copied to another machine has the shipped sounds inside`() throws {
    try home.write("config/soundd/config.toml", output)
    try FileManager.default.createDirectory(atPath: home("bin"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: Home.soundd, toPath: home("bin/soundd"))
    let elsewhere = ["XDG_DATA_HOME": home("nowhere")]
    let program = try home.start(program: home("bin/soundd"), ["sounds"], environment: elsewhere)
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    #expect(program.text.hasPrefix("(built in)\n  alarm          1.5 s   something must be done\n"), "\(program.text)")
    let json = try home.start(program: home("bin/soundd"), ["sounds", "tick", "--json"], environment: elsewhere)
    try json.wait()
    let tick = try #require(try JSON.array(json.text).first)
    #expect(tick["name"] as? String == "tick")
    #expect(tick["path"] is NSNull)
    let player = try home.start(program: home("bin/soundd"), ["sounds", "tick", "--play"], environment: elsewhere)
    #expect(try player.wait() == .exit(0), "\(player.errors)")
    #expect(recorded > 10_000)
  }

  @Test func `the configuration's own sounds come first`() throws {
    try home.write("config/soundd/config.toml", "")
    try home.write(
      "config/soundd/sounds/tick.wav", Data(contentsOf: URL(fileURLWithPath: home("data/soundd/sounds/press.wav"))))
    let program = try home.run("sounds")
    #expect(program.text.hasPrefix("\(home("config/soundd/sounds"))\n  tick           80 ms"))
    #expect(program.text.contains("not used: \(home("config/soundd/sounds/tick.wav")) comes first"))
  }

  @Test func `without a configuration that this user may read the shipped sounds are listed`() throws {
    let file = try home.write("config/soundd/config.toml", "")
    chmod(home("config"), 0o000)
    defer { chmod(home("config"), 0o755) }
    // Root may read everything.
    let wrapper = geteuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    let program = try home.start(["sounds"], through: wrapper)
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    #expect(program.text.hasPrefix("\(home("data/soundd/sounds"))\n  alarm "), "\(program.text)")
    let problem = "soundd: cannot read \(file): Permission denied"
    #expect(program.errors == "\(problem), so its settings are not used\n")
    // A file that is named is wanted.
    let named = try home.start(["sounds", "--config", file], through: wrapper)
    #expect(try named.wait() == .exit(66))
    #expect(named.errors == "\(problem)\n")
  }

  @Test func `an unknown sound is no input, with the nearest name`() throws {
    for command in [["sounds", "sucess"], ["sounds", "--play", "sucess"]] {
      let program = try home.run(command)
      #expect(try program.wait() == .exit(66))
      #expect(
        program.errors.hasPrefix("soundd: no sound is called 'sucess' (did you mean 'success'?)\nsoundd: searched "))
      #expect(program.text == "")
    }
  }

  @Test(arguments: ["no-such-theme", "..", "a/b", ""]) func `a theme that is not installed is no input`(
    name: String
  ) throws {
    let program = try home.run("sounds", "--theme", name)
    #expect(try program.wait() == .exit(66))
    #expect(program.errors == "soundd: no sound theme is called '\(name)'\n")
    #expect(program.text == "")
  }

  @Test(arguments: ["no-such-pack", "..", "../demo", "demo/../demo", ""])
  func `a pack that is not there is no input`(name: String) throws {
    try home.write(".openpeon/packs/demo/openpeon.json", #"{"categories": {"a": {"sounds": [{"file": "one.wav"}]}}}"#)
    let program = try home.run("sounds", "--pack", name)
    #expect(try program.wait() == .exit(66))
    #expect(program.errors.hasPrefix("soundd: no "), "\(program.errors)")
    #expect(program.text == "")
  }

  @Test func `a sound is played through the daemon, and its line printed`() throws {
    _ = try home.daemon(output)
    let program = try home.run("sounds", "--play", "tick")
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    #expect(program.text == "tick  30 ms  a watch's tick\n")
    try eventually("it is recorded") { recorded > 10_000 }
  }

  @Test func `without a daemon a sound is played here, on the device of the configuration`() throws {
    try home.write("config/soundd/config.toml", output)
    let program = try home.run("sounds", "--play", "tick")
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    #expect(program.text == "tick  30 ms  a watch's tick\n")
    #expect(recorded > 10_000)
  }

  @Test func `a sound that cannot be played is bad data, and a muted daemon is named`() throws {
    try home.write("config/soundd/sounds/mine.wav", "no sound")
    _ = try home.daemon(output)
    #expect(try home.run("sounds", "--play", "mine").wait() == .exit(65))
    _ = try home.run("mute")
    let muted = try home.run("sounds", "--play", "tick")
    #expect(muted.errors.contains("soundd is muted"))
  }

  @Test func `devices shows the device of the daemon, and that of the configuration without one`() throws {
    try home.write("config/soundd/config.toml", output)
    let without = try home.run("devices")
    #expect(try without.wait() == .exit(0), "\(without.errors)")
    #expect(without.text.hasPrefix("configured: 'file:\(home("out.raw")),raw' (FILE): float32, 48000 Hz"))
    #expect(without.text.contains("\n*  file:\(home("out.raw")),raw\n"))
    #expect(without.text.contains("\n   null "))
    _ = try home.daemon(output)
    let with = try home.run("devices")
    #expect(with.text.hasPrefix("in use: 'file:\(home("out.raw")),raw': float32, 48000 Hz, 2 channels\n"))
  }

  @Test(.enabled(if: !FileManager.default.fileExists(atPath: "/proc/asound/card0"), "there is a card"))
  func `a machine without a server and a card says how to get one`() throws {
    try home.write("config/soundd/config.toml", "[output]\ndevice = \"hw:31\"\n")
    let program = try home.run("devices")
    #expect(try program.wait() == .exit(69))
    #expect(program.errors.hasPrefix("soundd: there is neither a sound server nor a card: sudo apt install pipewire "))
  }
}
