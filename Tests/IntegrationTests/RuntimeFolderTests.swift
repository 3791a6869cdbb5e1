import Foundation
import Testing

/// Where commands find the daemon's socket in cron, over ssh and after su. `/run` is one of the test's own.
@Suite(.enabled(if: MountNamespace.command != nil, "it takes the permission to mount: root or a user namespace"))
struct RuntimeFolderTests {
  private let home: Home

  init() throws { home = try Home() }

  /// Runs soundd with this folder for `/run/user/UID`, or without one.
  private func start(
    _ arguments: String..., folder: String?, variable: String? = nil, input: Program.Input = .nothing
  ) throws -> Program {
    let own = folder.map { #"mkdir -p "/run/user/$(id -u)" && mount --bind "\#($0)" "/run/user/$(id -u)" && "# } ?? ""
    let drop = variable == nil ? "unset XDG_RUNTIME_DIR && " : ""
    let script = "mount -t tmpfs none /run && \(own)\(drop)exec \"$@\""
    return try home.start(
      arguments, input: input, environment: variable.map { ["XDG_RUNTIME_DIR": $0] } ?? [:],
      through: (MountNamespace.command ?? []) + ["sh", "-c", script, "sh"])
  }

  /// Variables as cron has them (none), and as they are left by su or a login without a folder.
  @Test(arguments: [nil, "", "run", "/nowhere", "/dev/null"])
  func `without a folder of its own in XDG_RUNTIME_DIR a command uses that of its user`(variable: String?) throws {
    _ = try home.daemon("", "--device", "none")
    let program = try start("set", "a=1", folder: home("run"), variable: variable)
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    #expect(try home.value("a")["value"] as? String == "1")
  }

  @Test func `the daemon listens there, too`() throws {
    try home.write("config/soundd/config.toml", "")
    let daemon = try start("run", "--device", "none", folder: home("run"))
    try daemon.waitForErrors("soundd: ready: ")
    #expect(try home.connect().ask("sync") == "ok")
  }

  @Test(arguments: [nil, "", "run", "/nowhere"])
  func `a user without any such folder has no daemon, and a hook says nothing`(variable: String?) throws {
    let program = try start("set", "a=1", folder: nil, variable: variable)
    #expect(try program.wait() == .exit(69))
    if variable == "/nowhere" {
      #expect(
        program.errors.hasPrefix("soundd: no soundd is running on /nowhere/soundd.sock (No such file or directory)"))
    } else {
      #expect(program.errors.contains("/run/user/"))
      #expect(program.errors.contains("--socket PATH"))
    }
    for arguments in [
      ["set", "--if-running", "a=1"], ["mute", "--if-running", "toggle"], ["set", "--if-running", "-"],
    ] {
      let hook = try start(arguments[0], arguments[1], arguments[2], folder: nil, variable: variable)
      #expect(try hook.wait() == .exit(0), "\(arguments)")
      #expect(hook.text + hook.errors == "")
    }
  }

  @Test func `the empty environment of cron is enough`() throws {
    _ = try home.daemon("", "--device", "none")
    let uid = #"/run/user/$(id -u)"#
    let script = #"mount -t tmpfs none /run && mkdir -p "\#(uid)" && mount --bind "$0" "\#(uid)" && exec env -i "$@""#
    let hook = try home.start(
      ["set", "--if-running", "a=2"], through: (MountNamespace.command ?? []) + ["sh", "-c", script, home("run")])
    #expect(try hook.wait() == .exit(0))
    #expect(hook.text + hook.errors == "")
    #expect(try home.value("a")["value"] as? String == "2")
  }
}
