import Foundation
import Testing

/// Mounts over watched files and folders, in a mount namespace of the daemon's own.
@Suite(.enabled(if: MountNamespace.command != nil, "it takes the permission to mount: root or a user namespace"))
struct MountTests {
  private let home: Home
  private let daemon: Program

  /// Starts a daemon that watches `a/b/f` with the content `old`, below a shell that runs commands in its namespace.
  init() throws {
    home = try Home()
    let file = try home.write("a/b/f", "old\n")
    try home.write("elsewhere/f", "other\n")
    try home.write(
      "config/soundd/config.toml",
      "[value.f]\nfile = \"\(file)\"\n[value.count]\nfile = \"\(file)\"\ntype = \"event\"\n")
    let shell = """
      "$@" & while read -r line; do eval "$line" && echo done; done; kill $!; wait
      """
    daemon = try home.start(
      ["run", "--device", "none"], input: .pipe, through: (MountNamespace.command ?? []) + ["sh", "-c", shell, "sh"])
    try daemon.waitForErrors("soundd: ready: ")
    try expect("old")
  }

  private func run(_ command: String) throws {
    let before = daemon.output.count { $0 == 10 }
    daemon.write(command + "\n")
    try daemon.waitForOutput(lines: before + 1)
  }

  private func expect(_ content: String) throws {
    try eventually("the value is \(content)") { try home.value("f")["value"] as? String == content }
  }

  private func end() throws {
    daemon.closeInput()
    try daemon.wait()
    #expect(!daemon.errors.contains("every second"))
  }

  @Test(arguments: ["a/b", "a"]) func `a folder that something is mounted over is another one until that is gone`(
    folder: String
  ) throws {
    try run("mount -t tmpfs none \(folder)")
    // The file is gone now, and its last content counts.
    try run("mkdir -p a/b && echo new > a/b/f")
    try expect("new")
    try run("echo newer > a/b/f")
    try expect("newer")
    try run("umount \(folder)")
    try expect("old")
    try run("echo 'old but changed' > a/b/f")
    try expect("old but changed")
    try end()
  }

  @Test func `a folder with its files that is mounted over is read at once`() throws {
    try run("mount --bind elsewhere a/b")
    try expect("other")
    try run("umount a/b")
    try expect("old")
    try end()
  }

  @Test func `a file that another one is mounted over is that one`() throws {
    try run("mount --bind elsewhere/f a/b/f")
    try expect("other")
    try run("umount a/b/f")
    try expect("old")
    try end()
  }

  @Test func `a file system that is unmounted while its files are watched leaves their content`() throws {
    try run("mount -t tmpfs none a && mkdir a/b && echo new > a/b/f")
    try expect("new")
    try run("rm a/b/f && umount -l a && mv a aside")
    try run("mkdir -p a/b && echo newer > a/b/f")
    try expect("newer")
    try end()
  }

  @Test func `a file that was written to while it was not mounted is read when it is mounted again`() throws {
    try run("rm a/b/f && mount --bind elsewhere a/b")
    try expect("other")
    try run("umount a/b && echo edited > elsewhere/f")
    // Device and number of the file are the same as before.
    try run("mount --bind elsewhere a/b")
    try expect("edited")
    try end()
  }

  @Test func `a mount elsewhere is no arrival`() throws {
    let before = try home.value("count")["updates"] as? Int
    for _ in 0..<5 { try run("mount -t tmpfs none elsewhere && umount elsewhere") }
    try run("echo new > n && mv n a/b/f")
    try expect("new")
    // Each reading counts as an event, so one more reading would show.
    try eventually("it was read") { try home.value("count")["updates"] as? Int == (before ?? 0) + 1 }
    try end()
  }
}

enum MountNamespace {
  /// The command that makes a namespace in which mounting is allowed.
  static let command: [String]? = [["unshare", "-m"], ["unshare", "-r", "-m"]].first { command in
    let environment = ProcessInfo.processInfo.environment
    let trial = try? Program(
      command[0], Array(command.dropFirst()) + ["mount", "-t", "tmpfs", "none", "/tmp"], environment: environment,
      folder: "/", input: .nothing)
    return (try? trial?.wait()) == .exit(0)
  }
}
