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
    #expect(try program.wait() == .exit(0), "\(program.text)\(program.errors)")
    #expect(try state("daemon", in: program) == "note")
    #expect(try state("configuration", in: program) == "ok")
    #expect(try state("sounds", in: program) == "ok")
    let device = try checks(program)["device"]
    #expect(device?["state"] as? String == "ok")
    #expect((device?["finding"] as? String)?.contains("(FILE): float32, 48000 Hz, 2 channels") == true)
    // Nothing was played.
    let size = try FileManager.default.attributesOfItem(atPath: home("out.raw"))[.size] as? Int
    #expect(size == 0)
  }

  @Test func `a running daemon is asked what it got`() throws {
    _ = try home.daemon("[[trigger]]\nvalue = \"a\"\nsound = \"tick\"\n", "--device", "none")
    let program = try home.run("doctor", "--json")
    #expect(try program.wait() == .exit(0), "\(program.text)\(program.errors)")
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
    #expect(try program.wait() == .exit(0), "\(program.text)\(program.errors)")
    let row = try checks(program)["configuration"]
    #expect(row?["state"] as? String == "ok")
    #expect(row?["finding"] as? String == file)
    // Its file, not the one that this command would read.
    try home.write("elsewhere.toml", "[outputt]\n")
    #expect(try state("configuration", in: home.run("doctor", "--json")) == "error")
  }

  @Test func `what keeps sounds from being heard is an error, and the exit code says so`() throws {
    try home.write(
      "config/soundd/config.toml",
      "[output]\ndevice = \"hw:31\"\n[[trigger]]\nvalue = \"a\"\nsound = \"nothing\"\n")
    let program = try home.run("doctor")
    #expect(try program.wait() == .exit(69))
    #expect(program.text.contains("error    device          cannot play on 'hw:31': "))
    #expect(program.text.contains("no sound is called 'nothing'"))
    #expect(program.errors == "soundd: sounds are not heard as they should be: sounds, device\n")
    let broken = try home.start("doctor", "--json", "--config", try home.write("broken.toml", "[outputt]\n"))
    #expect(try broken.wait() == .exit(69))
    #expect(try state("configuration", in: broken) == "error")
  }

  @Test(.disabled(if: isSanitized, "a sanitizer lets no memory be locked"))
  func `without any right to it the memory and the priority come with their remedies`() throws {
    try home.write("config/soundd/config.toml", "[output]\ndevice = \"none\"\n")
    let wrapper =
      ["prlimit", "--rtprio=0:0", "--memlock=65536:65536"]
      + (getuid() == 0
        ? ["setpriv", "--bounding-set=-sys_nice,-ipc_lock", "--inh-caps=-sys_nice,-ipc_lock"] : [])
    let program = try home.start(["doctor", "--json"], through: wrapper)
    #expect(try program.wait() == .exit(0))
    let checks = try checks(program)
    for subject in ["priority", "locked memory"] {
      #expect(checks[subject]?["state"] as? String == "warning")
      #expect((checks[subject]?["remedy"] as? String)?.contains("/etc/security/limits.d/") == true)
    }
    #expect((checks["locked memory"]?["finding"] as? String)?.contains("RLIMIT_MEMLOCK is 64 KiB") == true)
  }

  @Test func `without a runtime folder it goes on`() throws {
    try home.write("config/soundd/config.toml", "[output]\ndevice = \"none\"\n")
    let program = try home.start(["doctor", "--json"], environment: ["XDG_RUNTIME_DIR": ""])
    #expect(try program.wait() == .exit(0))
    #expect(try state("runtime folder", in: program) == "warning")
    #expect(try state("daemon", in: program) == "note")
  }
}
