import Foundation
import Testing

/// Who may listen where.
struct SocketOwnershipTests {
  private static let configuration = "[[trigger]]\nvalue = \"a\"\nsound = \"tick\"\n"

  @Test func `a second daemon gives up and the first goes on`() throws {
    let home = try Home()
    let first = try home.daemon(Self.configuration, "--device", "none")
    let second = try home.run("run", "--device", "none")
    #expect(try second.wait() == .exit(69))
    // It has not opened its device before.
    let message = "soundd: another soundd is already running on \(home.socket) (stop it, or use --socket)\n"
    #expect(second.errors == message)
    let third = try home.run("run", "--device", "file:\(home("out.raw")),raw")
    #expect(third.errors == message)
    #expect(!FileManager.default.fileExists(atPath: home("out.raw")))
    #expect(try home.connect().ask("sync") == "ok")
    first.send(signal: SIGTERM)
    #expect(try first.wait() == .exit(0))
    #expect(!FileManager.default.fileExists(atPath: home.socket))
  }

  @Test func `a socket that nobody listens on any more is replaced`() throws {
    let home = try Home()
    do { _ = try ForeignSocket(home.socket, isListening: false) }
    #expect(FileManager.default.fileExists(atPath: home.socket))
    let daemon = try home.daemon(Self.configuration, "--device", "none")
    #expect(try home.connect().ask("sync") == "ok")
    daemon.send(signal: SIGKILL)
    #expect(try daemon.wait() == .signal(SIGKILL))
    // So is the one that a killed soundd left.
    _ = try home.daemon(Self.configuration, "--device", "none")
    #expect(try home.connect().ask("sync") == "ok")
  }

  @Test func `a socket whose file was removed is made again, and its clients stay`() throws {
    let home = try Home()
    let daemon = try home.daemon(Self.configuration, "--device", "none")
    let old = try home.connect()
    for _ in 0..<3 {
      #expect(unlink(home.socket) == 0)
      try eventually("it listens again") { (try? home.connect().ask("sync")) == "ok" }
      #expect(try old.ask("sync") == "ok")
    }
    try daemon.waitForErrors("somebody removed the socket \(home.socket); it was made again")
  }

  @Test func `a file that is no socket is left alone`() throws {
    let home = try Home()
    try home.write("run/soundd.sock", "precious")
    try home.write("config/soundd/config.toml", Self.configuration)
    let program = try home.run("run", "--device", "none")
    #expect(try program.wait() == .exit(69))
    #expect(program.errors.contains("\(home.socket) exists and is not a stream socket"))
    #expect(try String(contentsOfFile: home.socket, encoding: .utf8) == "precious")
  }

  @Test func `missing folders of the socket are made, for the user alone`() throws {
    let home = try Home()
    try home.write("config/soundd/config.toml", Self.configuration)
    let daemon = try home.start("run", "--device", "none", "--socket", home("a/b/c.sock"))
    try daemon.waitForErrors("soundd: ready: ")
    #expect(try Connection(home("a/b/c.sock")).ask("sync") == "ok")
    let attributes = try FileManager.default.attributesOfItem(atPath: home("a/b"))
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }
}
