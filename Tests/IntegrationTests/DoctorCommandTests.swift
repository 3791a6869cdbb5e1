import Foundation
import TestSupport
import Testing

/// `soundd doctor` as a program, with a daemon and without.
struct DoctorCommandTests {
  private let home: Home

  init() throws { home = try Home() }

  private func checks(_ program: Program) throws -> [String: [String: Any]] {
    let checks = try JSON.object(program.text)["checks"] as? [[String: Any]] ?? []
    return Dictionary(checks.map { ($0["subject"] as? String ?? "", $0) }, uniquingKeysWith: { $1 })
  }

  private func state(_ subject: String, in program: Program) throws -> String? {
    try checks(program)[subject]?["state"] as? String
  }

  @Test func `without a daemon it tries the device and the sounds itself`() throws {
    try home.write(
      "config/soundd/config.toml",
      "[output]\ndevice = \"file:\(home("out.raw")),raw\"\n[[trigger]]\nvalue = \"a\"\nsound = \"alarm\"\n")
    let program = try home.run("doctor", "--json")
    #expect(try program.wait() == .exit(69), "\(program.text)\(program.errors)")
    #expect(program.errors == "soundd: this keeps sounds from being heard: daemon\n")
    #expect(try state("daemon", in: program) == "problem")
    #expect(try state("configuration", in: program) == "ok")
    #expect(try state("sounds", in: program) == "ok")
    let device = try checks(program)["device"]
    #expect(device?["state"] as? String == "ok")
    #expect((device?["finding"] as? String)?.contains("(FILE): float32, 48000 Hz, 2 channels") == true)
    // Nothing was played.
    let size = try FileManager.default.attributesOfItem(atPath: home("out.raw"))[.size] as? Int
    #expect(size == 0)
  }

  /// A device that takes everything.
  private var output: String { "[output]\ndevice = \"file:\(home("out.raw")),raw\"\n" }

  private func doctor(_ arguments: String..., ends: Int32) throws -> Program {
    let program = try home.run(["doctor"] + arguments)
    #expect(try program.wait() == .exit(ends), "\(program.text)\(program.errors)")
    return program
  }

  @Test func `if all is well it says so and how to hear a sound`() throws {
    try home.write("status", "idle")
    _ = try home.daemon(
      output + "[value.build]\nfile = \"\(home("status"))\"\n[[trigger]]\nvalue = \"build\"\nsound = \"tick\"\n")
    try home.replace("status", "passed")
    try eventually("it has played") { try home.played("build") == 1 }
    let program = try doctor(ends: 0)
    #expect(program.text.hasSuffix("\n\nNothing keeps sounds from being heard. To hear one: soundd doctor --play\n"))
    #expect(program.errors == "")
    #expect(!program.text.contains("→"), "\(program.text)")
    #expect(!program.text.contains("\u{1B}"))
    for subject in ["daemon", "device", "mute", "volume", "profile", "sources", "last play"] {
      #expect(program.text.contains("ok       \(subject)"), "\(program.text)")
    }
    #expect(!program.text.contains("priority"))
  }

  @Test func `muted, at volume 0 and with the profile silent it names all three and their remedies`() throws {
    _ = try home.daemon(output + "[[trigger]]\nvalue = \"a\"\nsound = \"tick\"\n")
    for command in [["mute"], ["volume", "0"], ["profile", "silent"]] {
      #expect(try home.run(command).wait() == .exit(0))
    }
    let program = try doctor(ends: 69)
    #expect(program.errors == "soundd: this keeps sounds from being heard: mute, volume, profile\n")
    for remedy in ["soundd unmute", "soundd volume 0dB", "soundd profile full"] {
      #expect(program.text.contains("→ \(remedy)\n"))
      // A remedy is a command that works.
      #expect(try home.run(remedy.split(separator: " ").dropFirst().map(String.init)).wait() == .exit(0))
    }
    #expect(try doctor(ends: 0).errors == "")
  }

  @Test func `a daemon without its device says why and since when`() throws {
    _ = try home.daemon("[[trigger]]\nvalue = \"a\"\nsound = \"tick\"\n", "--device", "hw:31")
    let program = try doctor(ends: 69)
    #expect(program.text.contains("problem  device"))
    #expect(program.text.contains("cannot play on 'hw:31': No such file or directory (snd_pcm_open); missing since "))
    _ = try home.run("set", "a=1")
    _ = try home.run("set", "a=2")
    try eventually("it was dropped") { try home.trigger("a")["dropped"] as? Int == 1 }
    #expect(try doctor(ends: 69).text.contains("'a': no device accepted it in time (fresh)\n"))
  }

  @Test func `a broken sound, a missing file, a forgotten folder and a trigger without a change are named`() throws {
    _ = try home.daemon(
      output + """
        [value.build]
        file = "\(home("status"))"
        [value.mail]
        count = "\(home("Maildir/new"))"
        [[trigger]]
        value = "build"
        sound = "succes"
        [[trigger]]
        value = ["mail", "door"]
        sound = "tick"
        """)
    let program = try doctor(ends: 69)
    #expect(program.errors == "soundd: this keeps sounds from being heard: trigger\n")
    #expect(program.text.contains("'build' cannot play: no sound is called 'succes'"), "\(program.text)")
    #expect(program.text.contains("'build': \(home("status")) does not exist yet\n"))
    #expect(program.text.contains("'mail': the folder \(home("Maildir/new")) does not exist\n"))
    #expect(program.text.contains("triggers that have seen none: 'mail'\n"))
    // The worst comes first.
    let states = program.text.split(separator: "\n").compactMap { $0.hasPrefix(" ") ? nil : $0.prefix { $0 != " " } }
    #expect(states == states.sorted { Self.order($0) < Self.order($1) })
    #expect(Set(states) == ["problem", "note", "ok"])
  }

  private static func order(_ state: Substring) -> Int { ["problem", "note", "ok"].firstIndex(of: state) ?? 3 }

  @Test func `a daemon of another version is named, and its file`() throws {
    let other = try home.write("other.toml", output + "[[trigger]]\nvalue = \"a\"\nsound = \"tick\"\n")
    let status =
      #"{"version":"0.0.1","executable":"/x","configuration":"\#(other)","alarms":[],"warnings":[],"#
      + #""device":{"name":"a","state":"idle"},"profile":"full","volume":1,"muted":false,"triggers":[]}"#
    try home.write("status.json", status + "\n")
    try home.write("config/soundd/config.toml", output)
    let daemon = try home.start(
      program: "/usr/bin/socat",
      ["UNIX-LISTEN:\(home.socket)", "SYSTEM:read a; cat \(home("status.json")); read a; echo []; read a"])
    try eventually("it listens") { FileManager.default.fileExists(atPath: home.socket) }
    let program = try home.run("doctor", "--json")
    let checks = try checks(program)
    #expect(checks["daemon"]?["state"] as? String == "note")
    #expect((checks["daemon"]?["finding"] as? String)?.hasPrefix("version 0.0.1 runs on \(home.socket); this") == true)
    #expect(
      checks["configuration"]?["finding"] as? String == "the daemon does not use \(home("config/soundd/config.toml"))")
    try daemon.wait()
  }

  // MARK: The test by ear

  @Test func `without a terminal it plays and says that it cannot ask`() throws {
    _ = try home.daemon(output + "[[trigger]]\nvalue = \"a\"\nsound = \"tick\"\n")
    let program = try doctor("--play", ends: 0)
    #expect(
      program.text.hasSuffix(
        "Playing 'success' through the daemon\nIt was played. There is no terminal to ask you whether you heard it.\n"))
    let size = try FileManager.default.attributesOfItem(atPath: home("out.raw"))[.size] as? Int ?? 0
    // 650 ms of two channels of 32 bits.
    #expect(size > 200_000)
  }

  @Test func `without a daemon it plays in its own process`() throws {
    try home.write("config/soundd/config.toml", output)
    #expect(try doctor("--play", ends: 69).text.contains("Playing 'success' in this process\n"))
    let size = try FileManager.default.attributesOfItem(atPath: home("out.raw"))[.size] as? Int ?? 0
    #expect(size > 200_000)
  }

  @Test(arguments: [("n\n", true), ("\n", false), ("yes\n", false)])
  func `on a terminal it asks, and after a no it says what to try next`(answer: String, isUnheard: Bool) throws {
    _ = try home.daemon(output + "[[trigger]]\nvalue = \"a\"\nsound = \"tick\"\n")
    let terminal = try home.start(
      program: "/usr/bin/script", ["-qec", "\(Home.soundd) doctor --play", "/dev/null"], input: .pipe,
      environment: ["TERM": "xterm"])
    try terminal.waitForOutput(containing: "Did you hear it? [Y/n] ")
    terminal.write(answer)
    #expect(try terminal.wait() == .exit(isUnheard ? 69 : 0), "\(terminal.text)")
    #expect(terminal.text.contains("soundd play success --local --device NAME") == isUnheard)
    #expect(terminal.text.contains("alsamixer") == isUnheard)
    #expect(terminal.text.contains("\u{1B}[32mok"))
  }

  @Test func `a running daemon is asked what it got`() throws {
    _ = try home.daemon("[[trigger]]\nvalue = \"a\"\nsound = \"tick\"\n", "--device", "none")
    let program = try home.run("doctor", "--json", "--latency")
    #expect(try program.wait() == .exit(69), "\(program.text)\(program.errors)")
    // 'none' is no device.
    #expect(program.errors == "soundd: this keeps sounds from being heard: device\n")
    let checks = try checks(program)
    #expect(checks["daemon"]?["state"] as? String == "ok")
    let memory = try home.status()["memory"] as? [String: Any]
    let wanted = try #require(memory?["wanted_bytes"] as? Int)
    #expect(wanted > 256 << 10)
    if memory?["locked_bytes"] as? Int == wanted {
      #expect((checks["locked memory"]?["finding"] as? String)?.hasPrefix("all \((wanted + 1023) >> 10) KiB") == true)
    }
  }

  @Test func `a running daemon says which configuration it uses`() throws {
    let file = try home.write("elsewhere.toml", "[[trigger]]\nvalue = \"a\"\nsound = \"tick\"\n")
    let daemon = try home.start("run", "--config", file, "--device", "none")
    try daemon.waitForErrors("ready: ")
    #expect(try home.status()["configuration"] as? String == file)
    let program = try home.run("doctor", "--json")
    let row = try checks(program)["configuration"]
    #expect(row?["state"] as? String == "ok")
    #expect(row?["finding"] as? String == "\(file), triggers: 1")
    // Its file, not the one that this command would read.
    try home.write("elsewhere.toml", "[outputt]\n")
    #expect(try state("configuration", in: home.run("doctor", "--json")) == "problem")
  }

  @Test func `what keeps sounds from being heard is an error, and the exit code says so`() throws {
    try home.write(
      "config/soundd/config.toml",
      "[output]\ndevice = \"hw:31\"\n[[trigger]]\nvalue = \"a\"\nsound = \"nothing\"\n")
    let program = try home.run("doctor")
    #expect(try program.wait() == .exit(69))
    #expect(program.text.contains("problem  device         cannot play on 'hw:31': "))
    #expect(program.text.contains("no sound is called 'nothing'"))
    #expect(program.errors == "soundd: this keeps sounds from being heard: daemon, device, trigger\n")
    let broken = try home.start("doctor", "--json", "--config", try home.write("broken.toml", "[outputt]\n"))
    #expect(try broken.wait() == .exit(69))
    #expect(try state("configuration", in: broken) == "problem")
  }

  @Test(.disabled(if: isSanitized, "a sanitizer lets no memory be locked"))
  func `without any right to it the memory and the priority come with their remedies`() throws {
    try home.write("config/soundd/config.toml", "[output]\ndevice = \"none\"\n")
    let wrapper =
      ["prlimit", "--rtprio=0:0", "--memlock=65536:65536"]
      + (getuid() == 0
        ? ["setpriv", "--bounding-set=-sys_nice,-ipc_lock", "--inh-caps=-sys_nice,-ipc_lock"] : [])
    let program = try home.start(["doctor", "--json", "--latency"], through: wrapper)
    #expect(try program.wait() == .exit(69))
    let checks = try checks(program)
    for subject in ["priority", "locked memory"] {
      #expect(checks[subject]?["state"] as? String == "note")
      #expect((checks[subject]?["remedy"] as? String)?.contains("/etc/security/limits.d/") == true)
    }
    #expect((checks["locked memory"]?["finding"] as? String)?.contains("RLIMIT_MEMLOCK is 64 KiB") == true)
  }

  @Test func `without a runtime folder it goes on`() throws {
    try home.write("config/soundd/config.toml", "[output]\ndevice = \"none\"\n")
    let program = try home.start(["doctor", "--json"], environment: ["XDG_RUNTIME_DIR": ""])
    #expect(try program.wait() == .exit(69))
    #expect(try state("runtime folder", in: program) == "problem")
    #expect(try state("daemon", in: program) == "problem")
  }
}
