import Foundation
import Testing

/// The client commands, when what listens on the socket is no soundd, or the socket is none.
struct StrangeDaemonTests {
  private let home: Home

  init() throws { home = try Home() }

  /// Answers the first client with a shell's words.
  private func listen(_ script: String) throws -> Program {
    let program = try home.start(
      program: "/usr/bin/socat", ["UNIX-LISTEN:\(home.socket)", "SYSTEM:\(script)"])
    try eventually("it listens") { FileManager.default.fileExists(atPath: home.socket) }
    return program
  }

  @Test(arguments: [
    ["set", "a=1"], ["set", "-"], ["get", "a"], ["get", "--json", "a"], ["list"], ["list", "--json"], ["status"],
    ["explain", "t"], ["events"],
  ])
  func `an answer that nobody understands is bad data`(arguments: [String]) throws {
    let daemon = try listen("read line; echo HTTP/1.1 400 Bad Request; sleep 20")
    let program = try home.start(arguments, input: .text("a=1\n"))
    #expect(try program.wait() == .exit(65))
    #expect(program.errors.hasPrefix("soundd: "))
    #expect(program.text.isEmpty)
    daemon.send(signal: SIGTERM)
  }

  @Test(arguments: [["set", "a=1"], ["get", "a"], ["list"], ["events"], ["status"]])
  func `half an answer and then the end is no daemon`(arguments: [String]) throws {
    let daemon = try listen("read line; printf half")
    let program = try home.start(arguments)
    #expect(try program.wait() == .exit(69))
    #expect(program.errors.hasPrefix("soundd: soundd on \(home.socket) ended the connection"))
    try daemon.wait()
  }

  @Test(arguments: [("0.0.1", "version 0.0.1"), (nil, "an older version")])
  func `a daemon of another version is named where the status is read anyway`(version: String?, name: String) throws {
    let member = version.map { #""version":"\#($0)","# } ?? ""
    let device = #""device":{"name":"a","state":"idle"},"profile":"full","volume":1,"muted":false,"triggers":[]"#
    let reply = try home.write("reply", #"{\#(member)"alarms":[],"warnings":[],\#(device)}"# + "\n")
    for command in [["volume"], ["status", "--json"]] {
      let daemon = try listen("read line; cat \(reply)")
      let program = try home.start(command)
      #expect(try program.wait() == .exit(0))
      #expect(program.errors.hasPrefix("soundd: the daemon is \(name), this command is "))
      #expect(program.errors.contains("restart the daemon"))
      try daemon.wait()
    }
  }

  @Test func `an answer of an older daemon that lacks something is bad data, with what helps`() throws {
    let reply = try home.write("reply", #"{"version":"0.0.1","volume":1,"muted":false}"# + "\n")
    let daemon = try listen("read line; cat \(reply)")
    let program = try home.start(["volume"])
    #expect(try program.wait() == .exit(65))
    #expect(
      program.errors
        == "soundd: the daemon is older, its answer has no 'alarms': systemctl --user restart soundd\n")
    try daemon.wait()
  }

  @Test func `a socket that is a file, a folder or nothing is no daemon`() throws {
    try home.write("file", "")
    for path in [home("file"), home.path, home("missing"), home("file/s"), home("missing/s")] {
      for command in [["set", "--socket", path, "a=1"], ["list", "--socket", path], ["get", "a", "--socket", path]] {
        let program = try home.run(command)
        #expect(try program.wait() == .exit(69), "\(command)")
        #expect(program.errors.hasPrefix("soundd: no soundd is running on \(path)"))
      }
    }
  }

  @Test func `a path that no socket can have is a usage error`() throws {
    let long = "/" + String(repeating: "x", count: 200)
    for path in [long, "", "@abstract"] {
      for command in [["set", "--socket", path, "a=1"], ["list", "--socket=\(path)"], ["events", "--socket", path]] {
        #expect(try home.run(command).wait() == .exit(64), "\(command)")
      }
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become somebody else"))
  func `another user's socket is refused`() throws {
    let daemon = try home.daemon("", "--device", "none")
    // The home itself may be entered; the socket is for its user alone.
    for path in [home.path, home("run")] { chmod(path, 0o755) }
    for command in [["set", "a=1"], ["list"], ["events"]] {
      // By its path: the folder in XDG_RUNTIME_DIR is not theirs.
      let program = try home.start(
        command, environment: ["SOUNDD_SOCKET": home.socket],
        through: ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
      #expect(try program.wait() == .exit(77), "\(command)")
      #expect(program.errors.contains("permission denied: the socket belongs to another user"))
    }
    daemon.send(signal: SIGTERM)
    try daemon.wait()
  }
}
