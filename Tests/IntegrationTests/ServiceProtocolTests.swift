import Foundation
import Testing

/// What a service manager sees.
struct ServiceProtocolTests {
  private static let configuration = "[[trigger]]\nvalue = \"a\"\nsound = \"tick\"\n"

  @Test func `the service manager hears of readiness, reload and end`() throws {
    let home = try Home()
    let manager = try NotifySocket(home("notify"))
    try home.write("config/soundd/config.toml", Self.configuration)
    let daemon = try home.start("run", "--device", "none", environment: ["NOTIFY_SOCKET": manager.path])
    let ready = try manager.message()
    #expect(ready.contains("READY=1"))
    #expect(ready.contains { $0.hasPrefix("STATUS=") })
    // Ready means that it can play: the socket answers and no sound has to be loaded any more.
    #expect(try home.run("set", "a=1").wait() == .exit(0))
    #expect(try home.trigger("a")["state"] as? String == "ok")

    daemon.send(signal: SIGHUP)
    let reloading = try manager.message()
    #expect(reloading.contains("RELOADING=1"))
    #expect(reloading.contains { $0.hasPrefix("MONOTONIC_USEC=") })
    #expect(try manager.message().contains("READY=1"))

    // A reload that fails ends as well.
    try home.write("config/soundd/config.toml", "nonsense")
    daemon.send(signal: SIGHUP)
    #expect(try manager.message().contains("RELOADING=1"))
    #expect(try manager.message().contains("READY=1"))

    daemon.send(signal: SIGTERM)
    #expect(try manager.message().contains("STOPPING=1"))
    #expect(try daemon.wait() == .exit(0))
  }

  @Test func `a watchdog gets signs of life, also while a sound plays`() throws {
    let home = try Home()
    let manager = try NotifySocket(home("notify"))
    try home.write(
      "config/soundd/config.toml",
      "[[trigger]]\nvalue = \"a\"\nto = \"1\"\nsound = \"alarm\"\nloop = true\ninitial = true\n")
    let daemon = try home.start(
      "run", "--device", "none", environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "100000"])
    #expect(try manager.message().contains("READY=1"))
    #expect(try manager.message() == ["WATCHDOG=1"])
    #expect(try home.run("set", "a=1").wait() == .exit(0))
    for _ in 0..<4 { #expect(try manager.message() == ["WATCHDOG=1"]) }
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
  }

  @Test func `what is wrong with the sounds is said before readiness`() throws {
    let home = try Home()
    let daemon = try home.daemon("[[trigger]]\nvalue = \"a\"\nsound = \"nosuch\"\n", "--device", "none")
    let problem = try #require(daemon.errors.range(of: "no sound is called 'nosuch'"))
    let ready = try #require(daemon.errors.range(of: "ready: "))
    #expect(problem.lowerBound < ready.lowerBound)
  }

  @Test func `a journal that standard error does not go to changes nothing`() throws {
    let home = try Home()
    let daemon = try home.daemon(Self.configuration, "--device", "none", environment: ["JOURNAL_STREAM": "9:9"])
    #expect(daemon.errors.hasPrefix("soundd: "))
    #expect(!daemon.errors.contains("<"))
  }

  static let activator = "/usr/bin/systemd-socket-activate"

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: activator)))
  func `a socket that the service manager opened is taken over and left to it`() throws {
    let home = try Home()
    let path = home("run/activated.sock")
    try home.write("config/soundd/config.toml", Self.configuration)
    var arguments = ["-l", path]
    for (name, value) in home.environment { arguments += ["-E", "\(name)=\(value)"] }
    arguments += [Home.soundd, "run", "--device", "none"]
    let daemon = try Program(
      Self.activator, arguments, environment: home.environment, folder: home.path, input: .nothing)
    try daemon.waitForErrors("Listening on")
    // The first connection starts it, and is answered by it.
    let connection = try Connection(path)
    try connection.send(line: "a=1")
    #expect(try connection.ask("sync") == "ok")
    #expect(!FileManager.default.fileExists(atPath: home.socket))
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    #expect(FileManager.default.fileExists(atPath: path))
  }
}
