import Foundation
import Testing

/// A named pipe that shell scripts write to.
struct FifoTests {
  private let home: Home
  private let daemon: Program

  private static let configuration = """
    [value.door]
    fifo = "~/door"
    [value.bell]
    fifo = "~/bell"
    type = "event"
    [[trigger]]
    value = "door"
    sounds = { open = "tick", shut = "tick" }
    [[trigger]]
    value = "bell"
    sound = "tick"
    """

  init() throws {
    home = try Home()
    daemon = try home.daemon(Self.configuration, "--device", "none")
  }

  /// Runs a shell script to its end.
  private func shell(_ script: String) throws {
    let program = try home.start(program: "/bin/sh", ["-c", script])
    #expect(try program.wait() == .exit(0), "\(program.errors)")
  }

  private func wait(for line: String, of name: String = "door") throws {
    try eventually("'\(line)' has arrived") { try home.value(name)["value"] as? String == line }
  }

  @Test func `the pipe is made 0600, and every line that is echoed into it counts`() throws {
    var status = stat()
    #expect(stat(home("door"), &status) == 0)
    #expect(status.st_mode == S_IFIFO | 0o600)
    #expect(try home.value("door")["source"] as? String == "fifo \(home("door"))")
    try shell("echo shut > door; echo open > door; (echo shut; echo open) > door; printf shut > door")
    try wait(for: "shut")
    try eventually("all have arrived") { try home.value("door")["updates"] as? Int == 5 }
    #expect(try home.trigger("door")["changes"] as? Int == 4)
  }

  @Test func `the first ring of a bell is heard`() throws {
    try shell("echo ring > bell")
    try eventually("it is heard") { try home.decided("bell") == 1 }
    try shell("for i in 1 2 3; do echo ring; done > bell; for i in 1 2 3; do echo ring > bell; done")
    try eventually("all are heard") { try home.trigger("bell")["changes"] as? Int == 7 }
  }

  @Test func `a reload that reads the lines in another way ends no writer and loses nothing of a line`() throws {
    let writer = try home.start(
      program: "/bin/sh", ["-c", "exec > door; printf op; read -r go; echo en; read -r go; echo shut"], input: .pipe)
    for (round, line) in ["open", "shut"].enumerated() {
      try home.write(
        "config/soundd/config.toml",
        Self.configuration.replacing("fifo = \"~/door\"", with: "fifo = \"~/door\"\ntrim = \(round == 1)"))
      #expect(try home.run("reload").wait() == .exit(0))
      writer.write("\n")
      try wait(for: line)
    }
    #expect(try writer.wait() == .exit(0))
  }

  @Test func `a flood from one pipe arrives completely, and delays no client`() throws {
    try shell("seq 200000 > door; echo end > door")
    try wait(for: "end")
    #expect(try home.value("door")["updates"] as? Int == 200_001)
  }

  @Test func `a pipe outlives the daemon, which reads it again`() throws {
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    #expect(FileManager.default.fileExists(atPath: home("door")))
    let next = try home.daemon(Self.configuration, "--device", "none")
    try shell("echo open > door")
    try wait(for: "open")
    withExtendedLifetime(next) {}
  }

  @Test func `anything else at the path is reported, and left alone`() throws {
    let home = try Home()
    try home.write("door", "mine")
    let daemon = try home.daemon(Self.configuration, "--device", "none")
    #expect(
      daemon.errors.contains(
        "value 'door': \(home("door")) is a file, not a named pipe: remove it, or choose another path"))
    #expect(try String(contentsOfFile: home("door"), encoding: .utf8) == "mine")
  }

  @Test func `setting it is refused, with the pipe to write to`() throws {
    let program = try home.run("set", "door=open")
    #expect(try program.wait() == .exit(77))
    #expect(program.errors == "soundd: 'door' is fed by the fifo '\(home("door"))'; write to that named pipe instead\n")
  }

  @Test func `with a pipe to read, run - does not end with its input`() throws {
    let home = try Home()
    let daemon = try home.daemon(Self.configuration, "-", "--device", "none", input: .text("x=1\n"))
    try eventually("the input has been read") { try home.connect().ask("get x").contains("\"updates\":1") }
    #expect(try home.connect().ask("sync") == "ok")
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
  }
}
