import Foundation
import TestSupport

/// A FUSE file system of a test's own, whose server can be stopped: then whatever touches its files waits.
final class HungMount {
  /// Whether one can be made here: it takes /dev/fuse, the permission to mount, and python3-fusepy.
  static let isAvailable: Bool = {
    guard let home = try? Home(), let mount = try? HungMount(in: home, "trial") else { return false }
    return (try? String(contentsOfFile: mount("f"), encoding: .utf8)) == "f"
  }()

  private let home: Home
  private let name: String
  private let server: Program

  /// Mounts the folder `NAME.source` of a home at `NAME`. It holds a file `f` with the content `f`.
  init(in home: Home, _ name: String) throws {
    self.home = home
    self.name = name
    try home.write("\(name).source/f", "f")
    try FileManager.default.createDirectory(atPath: home(name), withIntermediateDirectories: true)
    server = try home.start(
      program: Home.checkout + "/Tests/IntegrationTests/mount-server", [home("\(name).source"), home(name)])
    try server.waitForOutput(containing: "ready")
    // `init` is called just before the mount works.
    try eventually("it is mounted") { FileManager.default.fileExists(atPath: self("f")) }
  }

  deinit {
    resume()
    let unmount = try? home.start(program: "/usr/bin/umount", ["-l", home(name)])
    _ = try? unmount?.wait()
  }

  /// The path of a file on it.
  func callAsFunction(_ file: String) -> String { home("\(name)/\(file)") }

  /// Writes a file in the folder that it shows; that never waits.
  func write(_ file: String, _ text: String) throws { try home.write("\(name).source/\(file)", text) }

  /// Lets nothing be answered any more.
  ///
  /// Stops the server only while it waits for a request (in read, system call 0): not even SIGKILL ends a process whose
  /// request the server has taken and not answered.
  func hang() {
    for _ in 0..<200 * timeFactor {
      server.send(signal: SIGSTOP)
      usleep(2000)
      let call = try? String(contentsOfFile: "/proc/\(server.pid)/syscall", encoding: .utf8)
      if call?.hasPrefix("0 ") ?? true { return }
      resume()
      usleep(2000)
    }
  }

  func resume() { server.send(signal: SIGCONT) }
}
