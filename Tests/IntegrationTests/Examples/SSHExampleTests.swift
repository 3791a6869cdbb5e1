import Foundation
import Testing

/// The socket of the daemon on another machine. Where sshd is installed, a server of our own is that machine.
struct SSHExampleTests {
  private static let sshd = "/usr/sbin/sshd"
  private static let hasServer = FileManager.default.isExecutableFile(atPath: sshd)

  private let home: Home
  private let daemon: Program
  /// Where the socket is on the other machine.
  private var remote: String { home("there/soundd.sock") }

  init() throws {
    home = try Home()
    try FileManager.default.createDirectory(atPath: home("there"), withIntermediateDirectories: true)
    daemon = try home.daemon(example: "ssh/config.toml")
  }

  /// What the programs there have: another runtime folder, no configuration, no daemon.
  private var environmentThere: [String: String] {
    ["XDG_RUNTIME_DIR": home("there"), "XDG_CONFIG_HOME": home("there")]
  }

  private func set(_ assignment: String) throws -> Program {
    let program = try home.start(["set", assignment], environment: environmentThere)
    try program.wait()
    return program
  }

  /// The line of the unit that connects, for `server` and with our folders instead of those of the user 1000.
  private func command(_ key: String) throws -> String {
    let text = try String(contentsOfFile: "\(Home.examples)/ssh/soundd-ssh@.service", encoding: .utf8)
      .replacingOccurrences(of: "\\\n", with: "")
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(key) })
    return line.dropFirst(key.count).replacingOccurrences(of: "%i", with: "server")
      .replacingOccurrences(of: "%t", with: home("run")).replacingOccurrences(of: "/run/user/1000", with: home("there"))
      .replacingOccurrences(of: "/usr/bin/ssh", with: "ssh -F \(home("ssh_config"))")
  }

  @Test func `the words of a connection from elsewhere are heard`() throws {
    // ssh forwards a socket byte by byte, as socat does here.
    let tunnel = try home.start(
      program: "socat", ["UNIX-LISTEN:\(remote),fork,mode=600", "UNIX-CONNECT:\(home.socket)"])
    try eventually("it listens") { FileManager.default.fileExists(atPath: remote) }
    #expect(try set("elsewhere=done").wait() == .exit(0))
    let line = try home.start(program: "socat", ["-", "UNIX:\(remote)"], input: .text("elsewhere=failed\n"))
    #expect(try line.wait() == .exit(0))
    try home.expect("elsewhere", ["done played", "failed played"])
    tunnel.send(signal: SIGTERM)
    try tunnel.wait()
    #expect(try set("elsewhere=done").wait() == .exit(69))
  }

  @Test func `ssh accepts what the unit says, and so does systemd`() throws {
    try home.write("ssh_config", "Host server\n  HostName 127.0.0.1\n")
    let line = try command("ExecStart=")
    let parsed = try home.start(
      program: "sh", ["-c", line.replacingOccurrences(of: " -N ", with: " -G -N ")])
    #expect(try parsed.wait() == .exit(0), "\(parsed.errors)")
    let options = Set(parsed.text.split(separator: "\n").map(String.init))
    #expect(
      options.isSuperset(of: [
        "exitonforwardfailure yes", "batchmode yes", "serveraliveinterval 15",
        "remoteforward \(remote) \(home.socket)",
      ]), "\(parsed.text)")
    let unit = try home.install("ssh/soundd-ssh@.service", at: ".config/systemd/user/soundd-ssh@.service")
    let instance = unit.replacingOccurrences(of: "@.service", with: "@server.service")
    let verified = try home.start(
      program: "systemd-analyze", ["verify", "--user", "--man=no", "--recursive-errors=no", instance])
    #expect(try verified.wait() == .exit(0))
    #expect(verified.text + verified.errors == "")
  }

  @Test(.enabled(if: hasServer, "needs sshd"))
  func `through a real server, and again after a connection that left its socket behind`() throws {
    let server = try startServer()
    for word in ["done", "failed"] {
      let clean = try home.start(program: "sh", ["-c", try command("ExecStartPre=-")])
      #expect(try clean.wait() == .exit(0), "\(clean.errors)")
      let tunnel = try home.start(program: "sh", ["-c", "exec " + (try command("ExecStart="))])
      try eventually("it forwards") { try set("elsewhere=\(word)").wait() == .exit(0) }
      let mode = try FileManager.default.attributesOfItem(atPath: remote)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      tunnel.send(signal: SIGKILL)
      try tunnel.wait()
    }
    try home.expect("elsewhere", ["done played", "failed played"])
    server.send(signal: SIGTERM)
    try server.wait()
  }

  /// Starts sshd on a free port, for this user with a key, with all of its files in the home.
  private func startServer() throws -> Program {
    let keygen = try home.start(program: "ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", home("key")])
    #expect(try keygen.wait() == .exit(0))
    let port = try Broker.freePort()
    let configuration = try home.write(
      "sshd_config",
      """
      ListenAddress 127.0.0.1:\(port)
      HostKey \(home("key"))
      AuthorizedKeysFile \(home("key.pub"))
      StrictModes no
      UsePAM no
      PidFile none

      """)
    try home.write(
      "ssh_config",
      """
      Host server
        HostName 127.0.0.1
        Port \(port)
        User \(NSUserName())
        IdentityFile \(home("key"))
        IdentitiesOnly yes
        UserKnownHostsFile \(home("known_hosts"))
        GlobalKnownHostsFile none
        StrictHostKeyChecking no
        LogLevel ERROR

      """)
    let line = "exec \(Self.sshd) -D -e -f \(configuration)"
    // As root it wants /run/sshd: in a namespace, this machine has no such folder afterwards.
    let shell = "mount -t tmpfs none /run && mkdir -m 755 /run/sshd && \(line)"
    let server = try home.start(
      program: geteuid() == 0 ? "unshare" : "sh", geteuid() == 0 ? ["--mount", "sh", "-c", shell] : ["-c", line])
    try server.waitForErrors("Server listening on")
    return server
  }

  @Test func `each word has its sound`() throws {
    let plays = try home.render(
      example: "ssh/config.toml", "0 elsewhere=done\n1 elsewhere=done\n2 elsewhere=failed\n3 elsewhere=other\n")
    #expect(
      plays == [
        "0 elsewhere plays success", "1 elsewhere plays success", "2 elsewhere plays error",
        "3 elsewhere plays message",
      ])
  }
}
