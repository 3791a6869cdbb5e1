import Foundation
import TestSupport
import Testing

/// `soundd init`: from nothing to the first sound.
struct InitCommandTests {
  private let home: Home
  private let file: String

  init() throws {
    home = try Home()
    file = home("config/soundd/config.toml")
  }

  private func contents(_ file: String) throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

  @Test func `it writes a good configuration, names the next commands, and the first of them sounds`() throws {
    try FileManager.default.removeItem(atPath: home("config"))
    // No recipe fits a machine without programs.
    let program = try home.run("init", environment: ["PATH": home("bin")])
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    #expect(program.errors == "")
    let lines = program.text.split(separator: "\n").map(String.init)
    #expect(lines.first == "\(file) is written.")
    // The built program has no unit installed beside it.
    #expect(
      lines.suffix(5) == [
        "Start soundd:", "  soundd run &", "Then hear it:", "  soundd set hello=world",
        "More to hear: soundd recipes",
      ])
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o644)
    #expect(try FileManager.default.contentsOfDirectory(atPath: home("config/soundd")).contains("config.toml"))

    let check = try home.run("check")
    #expect(try check.wait() == .exit(0))
    #expect(check.errors == "")

    let daemon = try home.start("run", "--device", "none")
    try daemon.waitForErrors("soundd: ready: ")
    #expect(try home.run("set", "hello=world").wait() == .exit(0))
    #expect(try home.played("hello") == 1)
    // What README does next; its folder is there.
    try home.write(".cache/build-status", "failed\n")
    try eventually("the build plays") { try home.played("build-status") == 1 }
  }

  @Test func `a daemon that waits for a configuration takes it`() throws {
    let daemon = try home.start("run", "--device", "none")
    try daemon.waitForErrors("soundd: ready: ")
    #expect(try home.run("init").wait() == .exit(0))
    try daemon.waitForErrors("soundd: reloaded: ")
    #expect(try home.run("set", "hello=world").wait() == .exit(0))
    #expect(try home.played("hello") == 1)
  }

  /// The files below the home, with their contents.
  private func files() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: home.path) where !name.hasPrefix("run") {
      files[name] = FileManager.default.contents(atPath: home(name))
    }
    return files
  }

  @Test func `it names the recipes that this machine has a use for, and changes no file of another program`() throws {
    // The tests' machine may have any of these.
    let machine = ["PATH": home("bin")]
    let none = try home.run("init", environment: machine)
    #expect(!none.text.contains("soundd add"), "\(none.text)")
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.createDirectory(atPath: home("Mail/new"), withIntermediateDirectories: true)
    try home.write(".claude/settings.json", "{\"model\": \"x\"}")
    try home.write(".gitconfig", "[user]\n\tname = N\n")
    let folders = try home.run("init", environment: machine)
    // A folder of settings is no program.
    #expect(folders.text.contains("\n  soundd add mail\n"), "\(folders.text)")
    try FileManager.default.removeItem(atPath: file)
    for name in ["git", "claude"] { try home.writeProgram("bin/\(name)", "#!/bin/sh\n") }
    let before = try files()
    let program = try home.run("init", environment: machine)
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    #expect(program.text.contains("\n  soundd add agent git mail\n"), "\(program.text)")
    let after = try files()
    #expect(Set(after.keys).subtracting(before.keys) == ["config/soundd/config.toml"])
    #expect(after.filter { $0.key != "config/soundd/config.toml" } == before)
    let check = try home.run("check")
    #expect(try check.wait() == .exit(0))
    #expect(check.errors == "")
  }

  @Test func `a program that was copied alone has all of its recipes`() throws {
    let copy = URL(filePath: Home.soundd).deletingLastPathComponent().appending(
      path: "copy-\(UUID().uuidString)/soundd"
    ).path
    let manager = FileManager.default
    try manager.createDirectory(atPath: folder(of: copy), withIntermediateDirectories: true)
    defer { try? manager.removeItem(atPath: folder(of: copy)) }
    #expect(link(Home.soundd, copy) == 0, "\(errno)")
    #expect(try home.start(program: copy, ["init"]).wait() == .exit(0))
    let add = try home.start(program: copy, ["add", "cron", "systemd"])
    #expect(try add.wait() == .exit(0), "\(add.errors)")
    #expect(manager.isExecutableFile(atPath: home("data/soundd/bin/report")))
    let recipes = try home.start(program: copy, ["recipes"])
    #expect(try recipes.wait() == .exit(0))
    #expect(recipes.text.contains("\nups "))
  }

  /// The folder of a path.
  private func folder(of path: String) -> String { URL(filePath: path).deletingLastPathComponent().path }

  @Test func `it never changes a configuration that is there`() throws {
    try home.write("config/soundd/config.toml", "mine")
    let program = try home.run("init")
    #expect(try program.wait() == .exit(77))
    #expect(program.errors.hasPrefix("soundd: \(file) exists already, and stays as it is"))
    #expect(program.text == "")
    #expect(try contents(file) == "mine")
    // Not even one that leads nowhere now.
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "/nowhere/else")
    #expect(try home.run("init").wait() == .exit(77))
  }

  @Test func `another place may be given`() throws {
    let program = try home.run("init", "--config", "new/soundd.toml")
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    #expect(program.text.contains("\n  soundd run --config new/soundd.toml &\n"))
    #expect(try home.run("check", "new/soundd.toml").wait() == .exit(0))
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test func `its commands can be copied, whatever the name of the file`() throws {
    let program = try home.run("init", "--config", "my files/it's.toml")
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    #expect(program.text.contains("\n" + #"  soundd run --config 'my files/it'\''s.toml' &"# + "\n"))
    let again = try home.run("init", "--config", "my files/it's.toml")
    #expect(try again.wait() == .exit(77))
    let command = try #require(again.errors.split(separator: "(").last?.split(separator: ")").first.map(String.init))
    #expect(try home.start(program: "/bin/sh", ["-c", command]).wait() == .exit(0))
    #expect(try home.run("init", "--config", "my files/it's.toml").wait() == .exit(0))
    #expect(FileManager.default.fileExists(atPath: home("my files/it's.toml.old")))

    let dashed = try home.run("init", "--config=-z.toml")
    #expect(dashed.text.contains("\n  soundd run --config ./-z.toml &\n"), "\(dashed.errors)")
    let refused = try home.run("init", "--config=-z.toml")
    #expect(refused.errors.contains("(mv \(home("-z.toml")) \(home("-z.toml.old")))\n"), "\(refused.errors)")
  }

  @Test(.disabled(if: isSanitized, "a sanitizer writes files of its own"))
  func `a file that cannot be written to its end is not there, and hinders no other attempt`() throws {
    // The signal ends the program in the middle; ignored, it is an error.
    for (trap, end) in [("", Program.Ending.signal(SIGXFSZ)), ("trap '' XFSZ; ", .exit(74))] {
      let command = "\(trap)exec prlimit --fsize=100 '\(Home.soundd)' init"
      let program = try home.start(program: "/bin/sh", ["-c", command])
      #expect(try program.wait() == end, "\(program.errors)")
      #expect(!FileManager.default.fileExists(atPath: file))
      if end == .exit(74) { #expect(program.errors == "soundd: cannot write \(file): File too large\n") }
    }
    // Not even what the killed program left.
    #expect(try FileManager.default.contentsOfDirectory(atPath: home("config/soundd")) == [])
    #expect(try home.run("init").wait() == .exit(0))
    #expect(try home.run("check").wait() == .exit(0))
  }

  @Test func `it leaves no other file`() throws {
    let program = try home.run("init", "--config", "new/mine.toml")
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: home("new")) == ["mine.toml"])
  }

  @Test func `an installed program names its schema to editors`() throws {
    // Beside the built program, because a hard link needs the same file system. A copy could not be run while another test
    // forks, because the copy is open for writing there.
    let prefix = URL(filePath: Home.soundd).deletingLastPathComponent().appending(path: "prefix-\(UUID().uuidString)")
      .path
    let manager = FileManager.default
    defer { try? manager.removeItem(atPath: prefix) }
    for folder in ["bin", "share/soundd"] {
      try manager.createDirectory(atPath: "\(prefix)/\(folder)", withIntermediateDirectories: true)
    }
    let program = "\(prefix)/bin/soundd"
    #expect(link(Home.soundd, program) == 0, "\(errno)")
    let schema = "\(prefix)/share/soundd/config.schema.json"
    try Data("{}".utf8).write(to: URL(filePath: schema))
    let installed = try home.start(program: program, ["init"])
    #expect(try installed.wait() == .exit(0), "\(installed.errors)")
    #expect(try contents(file).hasPrefix("#:schema \(schema)\n# The configuration that `soundd init` writes"))
    #expect(try home.run("check").wait() == .exit(0))
    for path in [schema, file] { try manager.removeItem(atPath: path) }
    #expect(try home.start(program: program, ["init"]).wait() == .exit(0))
    #expect(try contents(file).hasPrefix("# The configuration that `soundd init` writes"))
  }

  @Test func `a place that cannot be written is named`() throws {
    let program = try home.run("init", "--config", "/proc/soundd/config.toml")
    #expect(try program.wait() == .exit(74))
    #expect(program.errors.hasPrefix("soundd: cannot write /proc/soundd/config.toml: "))
  }

  @Test func `the example itself plays what it says`() throws {
    let plays = try home.render(
      example: "first.toml",
      """
      0 hello=world
      1 hello=world
      2 {"heat":20,"build-status":"passed"}
      3 build-status=failed
      20 heat=95
      21 heat=80
      """)
    #expect(
      plays == [
        "0 hello plays success", "1 hello plays success", "3 build-status plays error",
        "20 heat plays alarm", "21 heat stops",
      ])
  }
}
