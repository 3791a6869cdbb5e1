import Foundation
import Testing

/// What happens where the kernel lets us watch only a few folders, in a user namespace with a limit of its own.
struct WatchLimitTests {
  static let isAllowed: Bool = {
    let trial = try? Program(
      "unshare", ["-r", "sh", "-c", "echo 1 > /proc/sys/user/max_inotify_watches"],
      environment: ProcessInfo.processInfo.environment, folder: "/", input: .nothing)
    return (try? trial?.wait()) == .exit(0)
  }()

  /// What runs a program with so many watches.
  static func wrapper(limit: Int) -> [String] {
    ["unshare", "-r", "sh", "-c", "echo \(limit) > /proc/sys/user/max_inotify_watches; exec \"$@\"", "sh"]
  }

  @Test(.enabled(if: isAllowed, "it takes a user namespace"))
  func `files that there are no watches for are said to be read on a timer, and are`() throws {
    let home = try Home()
    var configuration = ""
    for number in 0..<30 {
      let file = try home.write("watched/\(number)/f", "old")
      configuration += "[value.v\(number)]\nfile = \"\(file)\"\n"
    }
    try home.write("config/soundd/config.toml", configuration)
    let daemon = try home.start(
      ["run", "--device", "none"],
      through: Self.wrapper(limit: 20))
    try daemon.waitForErrors("soundd: ready: ")
    let lines = daemon.errors.split(separator: "\n").filter { $0.contains("every second") }
    #expect(lines.count == 6)
    let path = home("watched")
    #expect(lines[0].contains("no inotify watch is left (raise fs.inotify.max_user_watches); "))
    #expect(lines[0].contains("watch \(path)"))
    #expect(lines[5].contains(" more values cannot be watched and are polled every second"))
    for number in 0..<30 { try home.replace("watched/\(number)/f", "new") }
    for number in 0..<30 {
      try eventually("v\(number) was read") { try home.value("v\(number)")["value"] as? String == "new" }
    }
  }

  @Test(.enabled(if: isAllowed, "it takes a user namespace"))
  func `without an inotify instance files are read on a timer, which is said once`() throws {
    let home = try Home()
    var configuration = ""
    for number in 0..<10 {
      let file = try home.write("watched/\(number)", "old")
      configuration += "[value.v\(number)]\nfile = \"\(file)\"\n"
    }
    try home.write("config/soundd/config.toml", configuration)
    let wrapper = [
      "unshare", "-r", "sh", "-c", "echo 0 > /proc/sys/user/max_inotify_instances; exec \"$@\"", "sh",
    ]
    let daemon = try home.start(["run", "--device", "none"], through: wrapper)
    try daemon.waitForErrors("soundd: ready: ")
    let reason = "no inotify instance is left (raise fs.inotify.max_user_instances)"
    #expect(daemon.errors.contains("\(reason); polling 10 paths every second"))
    for number in 0..<10 { try home.replace("watched/\(number)", "new") }
    for number in 0..<10 {
      try eventually("v\(number) was read") { try home.value("v\(number)")["value"] as? String == "new" }
    }
    #expect(daemon.errors.split(separator: "\n").count { $0.contains("polling") } == 1)
  }
}
